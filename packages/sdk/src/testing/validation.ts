import type { Operation, Parameter, Schema } from './contract.ts';
import { invalid, violation } from './responses.ts';
import { violationsOf } from './schema.ts';

/** The most violations that are named. */
const mostViolations = 100;

/** The largest body of an operation that carries no document, in bytes. */
const mostBytes = 1024 * 1024;

function validate(schema: Schema, value: unknown, whole: string): void {
  const [first, ...others] = violationsOf(schema, value, whole).slice(0, mostViolations);
  if (first) throw invalid([first, ...others]);
}

/**
 * The body of a request, approved, with its defaults.
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

/** The query of a request, each value as what the contract says it is. */
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

/** The headers that the contract has something to say about. */
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

/** What a text stands for; one that stands for nothing of the kind stays, and is refused as it is. */
function meant({ type }: Schema, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && value !== '' && Number.isInteger(Number(value))) return Number(value);
  const isBoolean = type === 'boolean' && /^(true|false)$/.test(value);
  return isBoolean ? value === 'true' : value;
}
