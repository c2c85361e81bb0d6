import type { EventType, WebhookEventMap } from './generated/events.ts';
import { fixtures } from './generated/fixtures.ts';

/** All event types, in the order of the contract. */
export const eventTypes = Object.keys(fixtures) as readonly EventType[];

/**
 * Returns an event for tests of a receiver: the example of the contract with the current time as its
 * `timestamp`, because a receiver refuses events that are older than `maxAge`.
 *
 * The `id` is the same on every call, and a receiver handles an id once. Set another `id` to have the
 * event handled again: `{ ...fixture('vault.created'), id: 'evt_2' }`.
 *
 * @param type an event type of this version
 * @returns a copy that you may change
 * @throws RangeError for any other type
 * @example
 * ```ts
 * const event = fixture('document.uploaded');
 * event.data.object.fileName = 'letter.pdf.enc';
 * ```
 */
export function fixture<Type extends EventType>(type: Type): WebhookEventMap[Type] {
  if (!Object.hasOwn(fixtures, type)) throw new RangeError(`There is no event type '${type}'.`);
  return { ...structuredClone(fixtures[type]), timestamp: new Date().toISOString() };
}
