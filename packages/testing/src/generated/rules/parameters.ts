// Generated from openapi/rules/parameters.ts by `npm run generate`. Do not edit.

import { editsBetween } from './edits.ts';
import { shownName, type Violation, validationError, violation } from './errors.ts';

/** Maximum number of parameters of a query string, and of fields of a form. */
const maxParameters = 100;

/** Values by name. A name that was sent several times has all of its values, in their order. */
export type Parameters = Readonly<Record<string, string | readonly string[]>>;

/**
 * Parses a query string or a form in linear time.
 *
 * @param place what the text is, as errors name it
 * @throws ServiceError VALIDATION_ERROR for more than 100 parameters
 */
export function readParameters(text: string, place: 'query' | 'body'): Parameters {
  const sent = new URLSearchParams(text);
  if (sent.size > maxParameters) {
    const message = `The ${place} must have at most ${maxParameters} parameters.`;
    throw violation(place, 'maxParameters', message);
  }
  const values = new Map<string, string[]>();
  for (const [name, value] of sent) {
    const others = values.get(name);
    if (others) others.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries(
    [...values].map(([name, list]) => [name, list.length === 1 ? (list[0] as string) : list]),
  );
}

/**
 * Rejects parameters that an operation does not have: a misspelt filter must not be ignored.
 *
 * @param known the names of its parameters
 * @throws ServiceError VALIDATION_ERROR
 */
export function refuseUnknown(sent: Parameters, known: readonly string[]): void {
  const [first, ...others] = Object.keys(sent)
    .filter((name) => !known.includes(name))
    .map((name): Violation => {
      const constraint = 'unknown';
      if (name === '') return { field: 'query', constraint, message: 'A parameter has no name.' };
      const field = shownName(name);
      const message = `${field} is not a known parameter.${suggestion(name, known)}`;
      return { field, constraint, message };
    });
  if (first) throw validationError([first, ...others]);
}

/** Returns a sentence with the nearest known name, after a space; an empty text when none is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const similar = nearest(name, known);
  return similar === undefined ? '' : ` Did you mean ${similar}?`;
}

/** Returns the known name with the fewest edits, without regard to case; undefined when none is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const maxEdits = Math.min(2, Math.floor(name.length / 3));
  const [best] = known
    .filter(({ length }) => Math.abs(length - name.length) <= maxEdits)
    .map((candidate) => ({
      candidate,
      edits: editsBetween(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}
