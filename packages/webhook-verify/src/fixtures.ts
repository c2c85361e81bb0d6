import type { EventType, WebhookEventMap } from './generated/events.ts';
import { fixtures } from './generated/fixtures.ts';

/** The types of all events, in the order of the contract. */
export const eventTypes = Object.keys(fixtures) as readonly EventType[];

/**
 * Returns an event of a type, for tests of a receiver: the example of the contract with the current
 * time as its `timestamp`, because a receiver refuses events that are older than `maxAge`.
 *
 * The `id` is the same on every call. A receiver that remembers ids handles it once; pass another
 * one to have it handled again: `{ ...fixture('vault.created'), id: 'evt_2' }`.
 *
 * @param type one of the types of this version
 * @returns a copy, which may be changed
 * @throws RangeError for any other type
 */
export function fixture<Type extends EventType>(type: Type): WebhookEventMap[Type] {
  if (!Object.hasOwn(fixtures, type)) throw new RangeError(`There is no event type '${type}'.`);
  return { ...structuredClone(fixtures[type]), timestamp: new Date().toISOString() };
}
