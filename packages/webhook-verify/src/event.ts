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
  /** Equals none of the known types. */
  type: UnknownEventType;
  /** Shaped as the newer contract says. */
  data: { object: unknown; previous?: unknown; changes?: string[] };
}

/** What a verified body holds; `type` tells the events apart. */
export type ReceivedEvent = WebhookEvent | UnknownEvent;

export interface AgeRule {
  /**
   * How far the event's `timestamp` may lie from now, in milliseconds, in the past or the future.
   * Above 0; `Infinity` accepts any time. An event without a readable `timestamp` is refused. The
   * service keeps events for 30 days, so the default accepts every manual retry and paused queue.
   * @default 2_678_400_000 (31 days)
   */
  readonly maxAge?: number | undefined;
  /** The time in milliseconds since the epoch, for `maxAge`. @default Date.now */
  readonly clock?: (() => number) | undefined;
}

/** Parses the text of a body whose signature has been verified. */
export type EventParser = (text: string) => ReceivedEvent;

/**
 * Makes a parser that throws a {@link WebhookVerificationError} `invalid_event` or
 * `outside_max_age`.
 *
 * @throws {@link WebhookVerificationError} `invalid_max_age`
 */
export function createParser({
  maxAge = 2_678_400_000,
  clock = () => Date.now(),
}: AgeRule): EventParser {
  if (!(maxAge > 0)) {
    throw new WebhookVerificationError('invalid_max_age', 'maxAge is not above 0.');
  }
  return (text) => {
    let event: ReceivedEvent | null | undefined;
    let cause: unknown;
    try {
      event = JSON.parse(text);
    } catch (error) {
      cause = error;
    }
    if (typeof event?.id !== 'string' || typeof event.type !== 'string') {
      throw new WebhookVerificationError('invalid_event', 'The body is not a JSON event.', {
        cause,
      });
    }
    // An unreadable timestamp gives NaN, which is never within the limit.
    if (!(Math.abs(clock() - Date.parse(event.timestamp)) <= maxAge)) {
      throw new WebhookVerificationError(
        'outside_max_age',
        'The event is outside maxAge, or the clock is wrong.',
      );
    }
    return event;
  };
}
