import type { EventType, WebhookEventMap } from './generated/events.ts';
import { fixtures } from './generated/fixtures.ts';

/** The types of all events, in the order of the contract. */
export const eventTypes = Object.keys(fixtures) as readonly EventType[];

/**
 * An event of a type, for tests of a receiver: the example that the contract gives for it, the same
 * on every call, its `id` too. A receiver that remembers ids handles it once; give it another one to
 * have it handled again: `{ ...fixture('vault.created'), id: 'evt_2' }`.
 *
 * @param type one of the types of this version
 * @returns a copy, which may be changed
 * @throws RangeError for any other type
 */
export function fixture<Type extends EventType>(type: Type): WebhookEventMap[Type] {
  if (!Object.hasOwn(fixtures, type)) throw new RangeError(`There is no event type '${type}'.`);
  return structuredClone(fixtures[type]);
}
