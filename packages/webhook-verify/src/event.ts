import { WebhookVerificationError } from './errors.ts';
import type { EventEnvelope, WebhookEvent } from './generated/events.ts';

/**
 * A string that equals none of the known event types. Declared as an enum because nothing else is a
 * string to the compiler and yet ruled out by a comparison with a known type; it has no value.
 */
declare enum UnknownEventType {
  Unknown = 'an event type of a newer contract',
}

/** An event of a type that was added to the service after this version. */
export interface UnknownEvent extends EventEnvelope {
  type: UnknownEventType;
  /** Shaped as the newer contract says. */
  data: { object: unknown; previous?: unknown; changes?: string[] };
}

/** What a verified body holds; `type` tells the events apart. */
export type ReceivedEvent = WebhookEvent | UnknownEvent;

export interface AgeRule {
  /**
   * How far the event's `timestamp` may lie from now, in milliseconds, in the past or the future.
   * Off by default: a legitimate last retry arrives 5 h 21 min after the event.
   */
  readonly maxAge?: number | undefined;
  /** The time in milliseconds since the epoch, for `maxAge`. @default Date.now */
  readonly clock?: (() => number) | undefined;
}

/**
 * Parses a body whose signature has been verified: UTF-8, with or without a byte order mark; invalid
 * sequences become U+FFFD.
 *
 * @throws {@link WebhookVerificationError} `invalid_event` or `outside_max_age`
 */
export function parseEvent(
  bytes: Uint8Array,
  { maxAge, clock = Date.now }: AgeRule,
): ReceivedEvent {
  let event: ReceivedEvent | null | undefined;
  let cause: unknown;
  try {
    event = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    cause = error;
  }
  if (typeof event?.id !== 'string' || typeof event.type !== 'string') {
    throw new WebhookVerificationError('invalid_event', 'The body is not a JSON event.', { cause });
  }
  // An unreadable timestamp gives NaN, which is never within the limit.
  if (maxAge !== undefined && !(Math.abs(clock() - Date.parse(event.timestamp)) <= maxAge)) {
    throw new WebhookVerificationError('outside_max_age', 'The event is not within maxAge.');
  }
  return event;
}
