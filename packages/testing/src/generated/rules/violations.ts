// Generated from openapi/rules/violations.ts by `npm run generate`. Do not edit.

import { shownName, type Violation, validationError } from './errors.ts';
import { suggestion } from './parameters.ts';
import { formatText, patternText } from './patterns.ts';

/** An error of a compiled validator, with the properties of Ajv's `ErrorObject` that are read here. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON pointer (RFC 6901) of the value. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly propertyName?: string;
}

/** A validator that Ajv has compiled. It also fills in defaults, trims texts and parses parameters. */
export interface SchemaValidator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** The validators of an operation; undefined for parts that its requests do not have. */
export interface RequestValidators {
  readonly body?: SchemaValidator;
  readonly query?: SchemaValidator;
  readonly headers?: SchemaValidator;
}

/** Violations listed in one error. Bounds the response, however long the request was. */
const maxViolations = 100;

/**
 * Validates a body and fills in the contract's defaults.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function checkBody(validate: SchemaValidator, body: unknown): void {
  check(validate, body, 'body');
}

/**
 * Validates parameters that arrived as text, and replaces their values by numbers, booleans and defaults.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function checkParameters(validate: SchemaValidator, values: Record<string, unknown>): void {
  check(validate, values, '');
}

function check(validate: SchemaValidator, value: unknown, whole: string): void {
  if (validate(value)) return;
  const [first, ...others] = (validate.errors ?? [])
    // Ajv reports the rule that the name or the branch violates as an error of its own.
    .filter(({ keyword }) => keyword !== 'propertyNames' && keyword !== 'if')
    .slice(0, maxViolations)
    .map((error) => toViolation(error, whole));
  if (!first) throw new Error('A validator rejected a value without an error');
  throw validationError([first, ...others]);
}

/** Converts an error into the contract's form: `field` is a dotted path. */
function toViolation(error: SchemaError, whole: string): Violation {
  const { missingProperty, additionalProperty } = error.params;
  const member = missingProperty ?? additionalProperty ?? error.propertyName ?? '';
  const segments = error.instancePath.split('/').slice(1).map(unescapePointer);
  if (member !== '') segments.push(String(member));
  const field = shownName(segments.join('.')) || whole;
  const constraint = constraintNames[error.keyword] ?? error.keyword;
  return { field, constraint, message: `${field} ${explain(error)}.${hint(error)}` };
}

/** Constraints whose names differ from their keywords. */
const constraintNames: Readonly<Record<string, string>> = {
  'x-max-bytes': 'maxBytes',
  // `not: {}` stands for the properties that an `uploadId` replaces.
  not: 'exclusive',
};

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** What a value must be, by the keyword that it violates. Ajv's own messages are not compiled in. */
const rules: Readonly<Record<string, (params: SchemaError['params']) => string>> = {
  required: () => 'is required',
  dependentRequired: () => 'is required',
  additionalProperties: () => 'is not a known property',
  type: ({ type }) => `must be ${[type].flat().join(' or ')}`,
  const: ({ allowedValue }) => `must be ${allowedValue}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  format: ({ format }) => formatText(format),
  pattern: ({ pattern }) => patternText(pattern),
  maximum: ({ limit }) => `must be at most ${limit}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minLength: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  minItems: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} items`,
  uniqueItems: ({ i, j }) => `must not have equal items, and items ${j} and ${i} are equal`,
  maxProperties: ({ limit }) => `must have at most ${limit} properties`,
  minProperties: () => 'must have at least one property',
  not: () => 'must not be given together with uploadId',
  'x-max-bytes': ({ limit }) => `must have at most ${limit} bytes as JSON`,
};

/** Suggests the property that a misspelt name may mean. */
function hint({ params: { additionalProperty, known } }: SchemaError): string {
  return known === undefined
    ? ''
    : suggestion(String(additionalProperty), String(known).split(','));
}

function explain({ keyword, params }: SchemaError): string {
  return rules[keyword]?.(params) ?? 'is not valid';
}
