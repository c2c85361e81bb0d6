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

const decoder = new TextDecoder();

/**
 * Parses the verified bytes of a body.
 *
 * @throws {@link WebhookVerificationError} `invalid_event`
 */
export function parseEvent(bytes: Uint8Array): ReceivedEvent {
  let event: ReceivedEvent | null | undefined;
  let cause: unknown;
  try {
    event = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    cause = error;
  }
  if (typeof event?.id !== 'string' || typeof event.type !== 'string') {
    throw new WebhookVerificationError('invalid_event', 'The body is no JSON event.', { cause });
  }
  if (event.context?.test) event.test = true;
  return event;
}
