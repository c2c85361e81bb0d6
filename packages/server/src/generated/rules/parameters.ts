// Generated from openapi/rules/parameters.ts by `npm run generate`. Do not edit.

import { violation } from './errors.ts';

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
