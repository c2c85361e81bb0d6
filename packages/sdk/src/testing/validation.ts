import type { Operation, Parameter, Schema } from './contract.ts';
import { invalid, violation } from './responses.ts';
import { violationsOf } from './schema.ts';

/** Maximum number of violations in an error. */
const mostViolations = 100;

/** Maximum body of an operation without a document, in bytes. */
const mostBytes = 1024 * 1024;

function validate(schema: Schema, value: unknown, whole: string): void {
  const [first, ...others] = violationsOf(schema, value, whole).slice(0, mostViolations);
  if (first) throw invalid([first, ...others]);
}

/**
 * Validates the body of a request and fills in defaults.
 *
 * @throws Failure VALIDATION_ERROR
 */
export function validateBody(operation: Operation, value: unknown): unknown {
  if (operation.body) validate(operation.body.schema, value, 'body');
  return value;
}

/** Reads the body of a request as the service does. */
export function readBody({ id, body }: Operation, text: string, contentType: string): unknown {
  if (!body) return undefined;
  if (text === '' && !body.required) return {};
  if (text === '') throw violation('body', 'required', 'This operation needs a JSON body.');
  if (id !== 'createDocument' && text.length > mostBytes) {
    throw violation('body', 'maxBytes', `The request body must be at most ${mostBytes} bytes.`);
  }
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(contentType)) {
    throw violation('Content-Type', 'contentType', 'Send the body as application/json.');
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw violation('body', 'json', 'The request body is not valid JSON.');
  }
}

/** Validates the query of a request and converts values to the types of the contract. */
export function validateQuery(
  { parameters }: Operation,
  query: URLSearchParams,
): Record<string, unknown> {
  return approveTexts(
    parameters.filter((parameter) => parameter.in === 'query'),
    (name) => {
      const values = query.getAll(name);
      return values.length > 1 ? values : values[0];
    },
  );
}

/** Validates the headers that the contract describes. */
export function validateHeaders({ parameters }: Operation, headers: Headers): void {
  approveTexts(
    parameters.filter((parameter) => parameter.in === 'header'),
    (name) => headers.get(name) ?? undefined,
  );
}

function approveTexts(
  parameters: readonly Parameter[],
  look: (name: string) => unknown,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, schema } of parameters) {
    const value = look(name);
    if (value !== undefined) values[name] = meant(schema, value);
  }
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  validate({ type: 'object', properties, required }, values, '');
  return values;
}

/** Parses a value of a query. A text of another type stays a text, and validation rejects it. */
function meant({ type }: Schema, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && value !== '' && Number.isInteger(Number(value))) return Number(value);
  const isBoolean = type === 'boolean' && /^(true|false)$/.test(value);
  return isBoolean ? value === 'true' : value;
}
