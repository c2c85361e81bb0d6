import { randomUUID } from 'node:crypto';
import type { EventFacts } from '../delivery-headers.ts';
import { eventTypes, fixture } from '../fixtures.ts';
import type { EventType } from '../generated/events.ts';
import { UsageError } from './failures.ts';
import { nearestNames } from './nearest.ts';
import { printable } from './printable.ts';

/** What is sent: the bytes, and what the headers say of them. */
export interface EventBody {
  readonly facts: EventFacts;
  readonly bytes: Uint8Array;
}

/** The event types, a line each. */
export const typeLines = eventTypes.map((type) => `  ${type}`).join('\n');

/**
 * The fixture of a type as an event of this moment.
 *
 * @param id default: a new one
 * @throws {@link UsageError} for a type that does not exist
 */
export function fixtureBody(
  type: string,
  id: string = `evt_${randomUUID().replaceAll('-', '')}`,
): EventBody {
  if (!isEventType(type)) throw unknownType(type);
  if (!isHeaderValue(id)) throw new UsageError('An event id is printable ASCII without spaces.');
  const event = { ...fixture(type), id };
  return { facts: event, bytes: Buffer.from(JSON.stringify(event)) };
}

/**
 * An event of the user's own, sent byte for byte.
 *
 * @throws {@link UsageError} when it has no `id` and `type` for the headers
 */
export function ownBody(bytes: Uint8Array): EventBody {
  const facts = factsOf(bytes);
  if (facts === undefined) {
    throw new UsageError('The data is not an event: JSON with an `id` and a `type`.');
  }
  return { facts, bytes };
}

function isEventType(type: string): type is EventType {
  return eventTypes.some((known) => known === type);
}

function unknownType(type: string): UsageError {
  const near = nearestNames(type, eventTypes);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return new UsageError(
    `There is no event type '${printable(type)}'.${hint}\n\nEvent types:\n${typeLines}`,
  );
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

function factsOf(bytes: Uint8Array): EventFacts | undefined {
  let event: { readonly id?: unknown; readonly type?: unknown } | null;
  try {
    event = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { id, type } = event ?? {};
  return isHeaderValue(id) && isHeaderValue(type) ? { id, type } : undefined;
}
