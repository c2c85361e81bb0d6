import { WebhookVerificationError } from '../errors.ts';

/**
 * Why a receiver did not answer 200, when neither the signature nor the handler was the reason.
 * Codes are stable; the sentences may change.
 *
 * - `method_not_allowed`: the request was no POST. Answered 405.
 * - `body_too_large`: the body is larger than `limit`. Answered 400.
 * - `body_incomplete`: the body was cut off, or was not there before the deadline. Answered 400.
 * - `overloaded`: unverified bodies occupy all memory set aside for them, and this one had been
 *   arriving longest. The response is 500.
 * - `timeout`: the handler was not done in time; it goes on running. Answered 500.
 * - `event_in_progress`: another process is handling the event. Answered 500.
 * - `store_failed`: the event store threw, or broke its rules; `cause` says how. Answered 500 when
 *   the event could not be claimed, in which case no handler ran.
 */
export type WebhookReceiverErrorCode =
  | 'method_not_allowed'
  | 'body_too_large'
  | 'body_incomplete'
  | 'overloaded'
  | 'timeout'
  | 'event_in_progress'
  | 'store_failed';

/** What a receiver reports beside {@link WebhookVerificationError} and what its handlers throw. */
export class WebhookReceiverError extends Error {
  /** Always this literal, so that copies of the class in other bundles are recognised too. */
  override readonly name = 'WebhookReceiverError';
  /** Why the answer was not 200. */
  declare readonly code: WebhookReceiverErrorCode;

  constructor(code: WebhookReceiverErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** For a body that is no longer there as it was sent; a receiver's mistake, and always the same. */
export function alreadyRead(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_not_raw',
    'The body was already read or parsed: put the webhook receiver before any body parser.',
  );
}

export function tooLarge(limit: number): WebhookReceiverError {
  return new WebhookReceiverError('body_too_large', `The body is larger than ${limit} bytes.`);
}

export function overloaded(): WebhookReceiverError {
  return new WebhookReceiverError('overloaded', 'Too many bodies arrive at once.');
}

export function endedEarly(cause?: unknown): WebhookReceiverError {
  return new WebhookReceiverError('body_incomplete', 'The body ended early.', { cause });
}

/** The thrown value itself when it is an error, else an error that tells of it. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error('Something other than an Error was thrown.', { cause: thrown });
}
