import {
  Ajv2020,
  type ErrorObject,
  type FuncKeywordDefinition,
  type Options,
  str,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import addFormatsModule from 'ajv-formats';
import { type Violation, validationError, violation } from '../errors.ts';
import { contractDocument, type Operation, type Parameter } from './contract.ts';

/** Validates the parts of a request against the contract, and fills in the contract's defaults. */
export interface RequestValidator {
  /** @throws ServiceError VALIDATION_ERROR */
  query(query: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** @throws ServiceError VALIDATION_ERROR */
  headers(headers: Readonly<Record<string, unknown>>): void;
  /** @throws ServiceError VALIDATION_ERROR */
  body(body: unknown): unknown;
}

/** ajv-formats is CommonJS: its types put the function under `default`, Node imports it directly. */
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** Base64 with padding (RFC 4648, section 4), without line breaks. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const timestampPattern =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Whether a text is a timestamp (RFC 3339, section 5.6). Leap seconds are rejected, because `Date` has
 * none; so are times whose offset moves them out of the years 0000 to 9999.
 */
function isTimestamp(text: string): boolean {
  const date = timestampPattern.exec(text)?.[1];
  if (date === undefined) return false;
  // `Date` accepts February 30 and returns March 2.
  const isDay = new Date(date).toJSON()?.startsWith(date) === true;
  return isDay && /^\d{4}-/.test(new Date(text).toJSON() ?? '');
}

/** Trims a string before its other keywords are checked. */
const trimmed: FuncKeywordDefinition = {
  keyword: 'x-trimmed',
  type: 'string',
  schemaType: 'boolean',
  modifying: true,
  before: 'maxLength',
  errors: false,
  validate: (_schema: boolean, text: string, _parent: unknown, place?: DataValidationCxt) => {
    if (place) place.parentData[place.parentDataProperty] = text.trim();
    return true;
  },
};

/** Limits the bytes of a free-form object as JSON. */
const boundedBytes: FuncKeywordDefinition = {
  keyword: 'x-max-bytes',
  type: 'object',
  schemaType: 'number',
  errors: false,
  error: { message: ({ schemaCode }) => str`must have at most ${schemaCode} bytes as JSON` },
  validate: (max: number, value: object) => Buffer.byteLength(JSON.stringify(value)) <= max,
};

/** Creates an Ajv instance whose schemas can refer to the contract as `contract#/…`. */
export function createAjv(options: Options): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    strict: true,
    // The build lints the contract. Compiling the meta-schema at start would take 0.1 s.
    validateSchema: false,
    ...options,
  });
  addFormats(ajv);
  ajv.addFormat('byte', { type: 'string', validate: isBase64 });
  ajv.addFormat('date-time', { type: 'string', validate: isTimestamp });
  ajv.addVocabulary(['example', 'x-addition', 'discriminator', ...Object.keys(contractDocument)]);
  ajv.addKeyword(trimmed);
  ajv.addKeyword(boundedBytes);
  ajv.addSchema(contractDocument, 'contract', undefined, false);
  return ajv;
}

const bodies = createAjv({ useDefaults: true });
/** Query parameters and headers arrive as text. */
const texts = createAjv({ useDefaults: true, coerceTypes: true });

/** Creates the validator of one operation. Each schema is compiled at its first use. */
export function createRequestValidator(operation: Operation): RequestValidator {
  const query = parametersIn(operation, 'query');
  const headers = parametersIn(operation, 'header');
  const validateQuery = lazily(() => texts.compile(query.schema));
  const validateHeaders = lazily(() => texts.compile(headers.schema));
  const validateBody = lazily(() =>
    bodies.compile({
      $ref: `contract${operation.pointer}/requestBody/content/application~1json/schema`,
    }),
  );

  return {
    query(values) {
      const known = pick(query.names, (name) => values[name]);
      check(validateQuery(), known, '');
      rejectInfinity(known);
      return known;
    },
    headers(values) {
      // Node's header names are in lower case.
      const known = pick(headers.names, (name) => values[name.toLowerCase()]);
      check(validateHeaders(), known, '');
    },
    body(value) {
      check(validateBody(), value, 'body');
      return value;
    },
  };
}

function parametersIn(operation: Operation, place: 'query' | 'header') {
  const parameters = operation.parameters.filter((parameter) => parameter.in === place);
  const properties = Object.fromEntries(
    parameters.map(({ name, schema }) => [name, inContract(schema)]),
  );
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return {
    names: parameters.map(({ name }) => name),
    schema: { type: 'object', properties, required },
  };
}

/** Makes the references of a contract's schema absolute, so that it compiles outside the contract. */
function inContract(schema: Parameter['schema']): object {
  return schema.$ref === undefined ? schema : { ...schema, $ref: `contract${schema.$ref}` };
}

function pick(names: readonly string[], look: (name: string) => unknown) {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = look(name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** Creates a value at its first use. */
export function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** Violations listed in one error. Bounds the response, however long the request was. */
const maxViolations = 100;

function check(validate: ValidateFunction, value: unknown, whole: string): void {
  if (validate(value)) return;
  const [first, ...others] = (validate.errors ?? [])
    // Ajv reports the rule that the name violates as an error of its own.
    .filter(({ keyword }) => keyword !== 'propertyNames')
    .slice(0, maxViolations)
    .map((error) => toViolation(error, whole));
  if (!first) throw new Error('Ajv rejected a value without an error');
  throw validationError([first, ...others]);
}

/** Ajv coerces `1e400` to Infinity and then applies no bounds to it. */
function rejectInfinity(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'number' || Number.isFinite(value)) continue;
    throw violation(name, 'type', `${name} must be a finite number.`);
  }
}

/** Converts an Ajv error into the contract's form: `field` is a dotted path. */
function toViolation(error: ErrorObject, whole: string): Violation {
  const parameters = error.params as Readonly<Record<string, unknown>>;
  const member =
    parameters.missingProperty ?? parameters.additionalProperty ?? error.propertyName ?? '';
  const segments = error.instancePath.split('/').slice(1).map(unescapePointer);
  if (member !== '') segments.push(String(member));
  const field = segments.join('.') || whole;
  const constraint = error.keyword === boundedBytes.keyword ? 'maxBytes' : error.keyword;
  return { field, constraint, message: `${field} ${explain(error)}.` };
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function explain({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known property';
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'minProperties':
      return 'must have at least one property';
    default:
      return message ?? 'is not valid';
  }
}
