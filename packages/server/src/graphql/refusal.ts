import { type ServiceError, validationError, violation } from '../errors.ts';
import { wordsOf } from './wording.ts';

/** Something that went wrong, and where. */
export interface Failure {
  /** In the text of the document. */
  readonly locations?: readonly { readonly line: number; readonly column: number }[] | undefined;
  /** In the answer: names, and positions in lists. */
  readonly path?: readonly (string | number)[] | undefined;
  /** A ServiceError is told as it is, anything else is INTERNAL_ERROR. */
  readonly cause: unknown;
}

/** A request of which nothing was done. Its causes are all of one code. */
export class GraphqlRefusal extends Error {
  override readonly name = 'GraphqlRefusal';
  readonly failures: readonly [RefusedPart, ...RefusedPart[]];

  constructor(failures: readonly [RefusedPart, ...RefusedPart[]]) {
    super(failures[0].cause.message);
    this.failures = failures;
  }
}

export interface RefusedPart extends Failure {
  readonly cause: ServiceError;
}

/** @throws GraphqlRefusal when there are failures */
export function refuse(failures: readonly RefusedPart[]): void {
  const [first, ...others] = failures;
  if (first) throw new GraphqlRefusal([first, ...others]);
}

/** A refusal for one broken rule of the whole request. */
export function refusal(field: string, constraint: string, message: string): GraphqlRefusal {
  return new GraphqlRefusal([{ cause: violation(field, constraint, message) }]);
}

/**
 * A rule of the type system, which the contract has too, that a document or its variables have broken.
 *
 * @param message as graphql-js has it
 */
export function typeViolation(message: string, place: string): ServiceError {
  const [, member] = /^Field "(?:\w+\.)?(\w+)"/.exec(message) ?? [];
  const words = wordsOf(message);
  const namesPlace = place === 'query' || words.startsWith('Argument ') || member !== undefined;
  const text = namesPlace ? words : `${place}: ${words}`;
  const said = (constraint: string, field: string) =>
    validationError([{ field, constraint, message: text }]);
  if (member && message.includes('was not provided')) return said('required', member);
  if (member && message.includes('is not defined by type')) {
    return said('additionalProperties', member);
  }
  return said(/\benum\b/i.test(text) ? 'enum' : 'type', place);
}
