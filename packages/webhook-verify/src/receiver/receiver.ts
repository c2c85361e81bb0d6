import type { RawBody } from './body.ts';
import type { WebhookVerificationErrorCode } from './errors.ts';
import type { ReceivedEvent } from './event.ts';
import type { EventType, WebhookEventMap } from './generated/events.ts';
import type { SignatureHeader } from './signature.ts';
import type { VerifiedBody, Verifier } from './verifier.ts';

/** What a handler is told beside the event. */
export type DeliveryFacts = Pick<VerifiedBody, 'secretIndex'>;

/**
 * A function for each event type that the receiver acts on; `other` gets every event that has no
 * function of its own, of unknown types too. Without it, such events are acknowledged and dropped.
 * Promises are awaited; what a function returns is not used.
 */
export type EventHandlers = {
  readonly [Type in EventType]?:
    | ((event: WebhookEventMap[Type], delivery: DeliveryFacts) => unknown)
    | undefined;
} & {
  readonly other?: ((event: ReceivedEvent, delivery: DeliveryFacts) => unknown) | undefined;
};

/** One request, as an adapter sees it. */
export interface ReceivedRequest {
  readonly signature: SignatureHeader;
  /** Reads the raw body; rejects with an {@link UnreadableBodyError} when there is none to be had. */
  readRawBody(): Promise<RawBody>;
}

/** How the request is to be answered, and for the receiver's own log why. */
export interface Outcome {
  readonly status: 200 | 400 | 401 | 500;
  readonly message: string;
  readonly error?: Error;
}

/** The sender's fault: a body that is too large, or that ended early. */
export class UnreadableBodyError extends Error {
  override readonly name = 'UnreadableBodyError';
}

/**
 * Verifies a request and runs its handler. Nothing is handled, and no success reported, before the
 * signature is verified; a handler that fails makes the sender try again.
 */
export async function receive(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  { signature, readRawBody }: ReceivedRequest,
): Promise<Outcome> {
  let body: VerifiedBody;
  let event: ReceivedEvent;
  try {
    body = await verifier.verifySignature(await readRawBody(), signature);
    event = body.event();
  } catch (error) {
    return refusal(toError(error));
  }
  try {
    await handlerOf(handlers, event)?.(event, { secretIndex: body.secretIndex });
  } catch (error) {
    return { status: 500, message: 'The handler failed.', error: toError(error) };
  }
  return { status: 200, message: 'OK' };
}

type AnyHandler = EventHandlers['other'];

/** Own properties alone are handlers: a type called `constructor` finds nothing. */
function handlerOf(handlers: EventHandlers, event: ReceivedEvent): AnyHandler {
  const own = Object.hasOwn(handlers, event.type)
    ? (handlers[event.type as EventType] as AnyHandler)
    : undefined;
  return own ?? handlers.other;
}

function refusal(error: Error): Outcome {
  if (error instanceof UnreadableBodyError) return { status: 400, message: error.message, error };
  if (error.name !== 'WebhookVerificationError') {
    return { status: 500, message: 'Verifying failed.', error };
  }
  const { code } = error as Error & { code: WebhookVerificationErrorCode };
  if (code === 'body_not_raw') return { status: 500, message: error.message, error };
  if (code === 'invalid_event') return { status: 400, message: error.message, error };
  return { status: 401, message: 'Unauthorized', error };
}

function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error('Something other than an Error was thrown.', { cause: thrown });
}
