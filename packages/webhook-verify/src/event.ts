import { WebhookVerificationError } from './errors.ts';
import type { EventEnvelope, WebhookEvent } from './generated/events.ts';

/**
 * A string that equals none of the known event types. TypeScript narrows only an enum this way. It
 * has no value at run time.
 */
declare enum UnknownEventType {
  Unknown = 'an event type of a newer contract',
}

/** An event of a type that was added to the service after this version. */
export interface UnknownEvent extends EventEnvelope {
  /** Equals none of the known types. */
  type: UnknownEventType;
  /** The shape that the newer contract defines. */
  data: { object: unknown; previous?: unknown; changes?: string[] };
}

/** An event of a verified body, discriminated by `type`. */
export type ReceivedEvent = WebhookEvent | UnknownEvent;

/** The accepted age of an event. */
export interface AgeRule {
  /**
   * The largest accepted distance between the event's `timestamp` and now, in milliseconds, in the
   * past or the future. Above 0; `Infinity` accepts any time. An event without a readable
   * `timestamp` is refused. The service keeps events for 30 days, so the default accepts every manual
   * retry and every paused queue. @default 2_678_400_000 (31 days)
   */
  readonly maxAge?: number | undefined;
  /** Returns the current time in milliseconds since the epoch. @default Date.now */
  readonly clock?: (() => number) | undefined;
}

/** Parses the text of a verified body. */
export type EventParser = (text: string) => ReceivedEvent;

/**
 * Creates a parser, which throws a {@link WebhookVerificationError} `invalid_event` or
 * `outside_max_age`.
 *
 * @throws {@link WebhookVerificationError} `invalid_max_age`
 */
export function createParser({
  maxAge = 2_678_400_000,
  clock = () => Date.now(),
}: AgeRule): EventParser {
  if (!(maxAge > 0)) {
    throw new WebhookVerificationError('invalid_max_age', 'maxAge must be above 0.');
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
      throw new WebhookVerificationError('invalid_event', 'The body is no JSON event.', {
        cause,
      });
    }
    // `Date.parse` of an unreadable timestamp is NaN, which fails every comparison.
    if (!(Math.abs(clock() - Date.parse(event.timestamp)) <= maxAge)) {
      throw new WebhookVerificationError('outside_max_age', 'The event is outside maxAge.');
    }
    if (event.context?.test) event.test = true;
    return event;
  };
}
