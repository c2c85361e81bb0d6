import {
  type ServiceError,
  shownName,
  validationError,
  violation,
} from '../generated/rules/errors.ts';

/** An error with its place in the document and in the response. */
export interface LocatedError {
  /** Lines and columns in the document. */
  readonly locations?: readonly { readonly line: number; readonly column: number }[] | undefined;
  /** Response names, and positions in lists. */
  readonly path?: readonly (string | number)[] | undefined;
  /** A ServiceError is reported unchanged, any other value as INTERNAL_ERROR. */
  readonly cause: unknown;
}

export interface LocatedServiceError extends LocatedError {
  readonly cause: ServiceError;
}

/** Errors of a request that is rejected before execution. */
export const maxErrors = 20;

/**
 * The request is rejected before execution. All its errors have the same code.
 *
 * @see https://spec.graphql.org/October2021/#sec-Errors.Request-errors
 */
export class GraphqlRequestError extends Error {
  override readonly name = 'GraphqlRequestError';
  readonly errors: readonly [LocatedServiceError, ...LocatedServiceError[]];

  constructor(errors: readonly [LocatedServiceError, ...LocatedServiceError[]]) {
    super(errors[0].cause.message);
    this.errors = errors;
  }
}

/** @throws GraphqlRequestError when there are errors */
export function throwIfAny(errors: readonly LocatedServiceError[]): void {
  const [first, ...others] = errors;
  if (first) throw new GraphqlRequestError([first, ...others]);
}

/** Creates a GraphqlRequestError for one broken rule. */
export function requestError(
  field: string,
  constraint: string,
  message: string,
): GraphqlRequestError {
  return new GraphqlRequestError([{ cause: violation(field, constraint, message) }]);
}

/**
 * Converts a violation of the type system into the contract's VALIDATION_ERROR.
 *
 * @param message from graphql-js
 * @param field the variable or argument; `query` for the document
 */
export function typeViolation(message: string, field: string): ServiceError {
  const [, member] = /^(?:Field "(?:\w+\.)?|Variable "\$)(\w+)"/.exec(message) ?? [];
  const redacted = redactMessage(message);
  const namesField = field === 'query' || redacted.startsWith('Argument ') || member !== undefined;
  const text = namesField ? redacted : `${shownName(field)}: ${redacted}`;
  const error = (constraint: string, name: string) =>
    validationError([{ field: shownName(name), constraint, message: text }]);
  if (member && message.includes('was not provided')) return error('required', member);
  if (member && message.includes('is not defined by type')) {
    return error('additionalProperties', member);
  }
  return error(/\benum\b/i.test(text) ? 'enum' : 'type', field);
}

/** Characters of a redacted message. */
const maxMessageLength = 300;

/** Messages of graphql-js that quote a value, each with its replacement. */
const redactions: readonly (readonly [message: RegExp, replacement: string])[] = [
  [/^((?:Enum )?"?\w+"? cannot represent [\w -]*value): .*$/s, '$1.'],
  [/^(Expected value of type "[^"]*"), found .*$/s, '$1.'],
  [/^(Expected type "[^"]*"\.) .*$/s, '$1'],
  [/^Value .* does not exist in ("\w+") enum\b.*$/s, 'There is no such value in the enum $1.'],
  [/^(Argument "\w+") has invalid value .*$/s, '$1 has an invalid value.'],
  [/^(Syntax Error: .*?\b(?:Name|String|BlockString|Int|Float)) ".*$/s, '$1.'],
];

/** Removes quoted values from a message of graphql-js, since they can be secrets, and shortens it. */
export function redactMessage(message: string): string {
  const found = redactions.find(([pattern]) => pattern.test(message));
  const text = found ? message.replace(...found) : message;
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}
