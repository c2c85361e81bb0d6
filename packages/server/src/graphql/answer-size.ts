import { type ServiceError, violation } from '../errors.ts';

/** Characters that one answer may have. */
const mostCharacters = 32 * 1024 * 1024;

/** Fields that the items of its lists may have: what takes a second or two to make, in turns with others. */
const mostFields = 500_000;

/**
 * Measures an answer while it is made. What it costs is known before, by its objects; how long their
 * texts are is not, nor how often an object of free form is named again.
 */
export class AnswerSize {
  #characters = 0;
  #fields = 0;
  /** Objects that many names may stand for. */
  readonly #measured = new WeakMap<object, number>();

  /** What is told instead of an answer that is too large; undefined while it is not. */
  get excess(): ServiceError | undefined {
    if (this.#fields > mostFields) return tooMuch(`${mostFields} fields`);
    if (this.#characters > mostCharacters) return tooMuch(`${mostCharacters} characters`);
    return undefined;
  }

  /** Nothing more is loaded or changed for an answer that cannot be given. */
  requireRoom(): void {
    const { excess } = this;
    if (excess) throw excess;
  }

  /** Counts what the items of a list will have, before they are made. */
  addFields(count: number): void {
    this.#fields += count;
  }

  /** Counts a field by the name that it has in the answer, with its quotation marks, colon and comma. */
  addName(name: string | number): void {
    this.#characters += String(name).length + 4;
  }

  /** Counts a value that has no fields. */
  addValue(value: unknown): void {
    const isObject = typeof value === 'object' && value !== null;
    this.#characters += isObject ? this.#lengthOf(value) : String(value).length;
  }

  #lengthOf(value: object): number {
    const known = this.#measured.get(value);
    if (known !== undefined) return known;
    const length = JSON.stringify(value).length;
    this.#measured.set(value, length);
    return length;
  }
}

function tooMuch(most: string): ServiceError {
  const message = `The answer would have more than ${most}: ask for less at once.`;
  return violation('query', 'maxAnswer', message);
}
