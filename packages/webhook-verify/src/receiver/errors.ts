import { WebhookVerificationError } from '../errors.ts';

/**
 * Why a receiver did not respond with 200, when neither the signature nor the handler was the
 * reason. Codes are stable, messages may change.
 *
 * - `method_not_allowed`: the method is not POST. The response is 405.
 * - `body_too_large`: the body is larger than `maxBodySize`. The response is 400.
 * - `chunks_too_small`: a body without `Content-Length` has more than 1,024 chunks, with fewer than 24
 *   bytes on average. The response is 400.
 * - `body_incomplete`: the sender disconnected before the end of the body, or the timeout passed.
 *   The response is 400.
 * - `body_not_base64`: a serverless platform says that the body is base64, but it is not. The response
 *   is 400.
 * - `overloaded`: unverified bodies fill the memory reserved for them, and this one had been arriving
 *   longest. The response is 500.
 * - `timeout`: the handler did not finish within `timeout` and keeps running. The response is 500.
 * - `event_in_progress`: another receiver or call of `dispatch` is handling the event, in this process or
 *   in another one. The response is 500.
 * - `store_failed`: the event store threw, or returned an unknown claim; see `cause`. When the claim
 *   failed, no handler ran and the response is 500.
 */
export type WebhookReceiverErrorCode =
  | 'method_not_allowed'
  | 'body_too_large'
  | 'chunks_too_small'
  | 'body_incomplete'
  | 'body_not_base64'
  | 'overloaded'
  | 'timeout'
  | 'event_in_progress'
  | 'store_failed';

/**
 * An error of the receiver itself. Receivers also report {@link WebhookVerificationError} and the
 * errors of handlers.
 */
export class WebhookReceiverError extends Error {
  /** A literal, which also identifies copies of this class in other bundles. */
  override readonly name = 'WebhookReceiverError';
  /** The reason. */
  declare readonly code: WebhookReceiverErrorCode;

  constructor(code: WebhookReceiverErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The raw bytes of a body are gone: a parser or another reader consumed them. */
export function alreadyRead(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_not_raw',
    'The body was already read or parsed: put the webhook receiver before any body parser.',
  );
}

export function tooLarge(maxBodySize: number): WebhookReceiverError {
  return new WebhookReceiverError(
    'body_too_large',
    `The body is larger than ${maxBodySize} bytes.`,
  );
}

export function chunksTooSmall(): WebhookReceiverError {
  return new WebhookReceiverError('chunks_too_small', 'The chunks are too small.');
}

export function overloaded(): WebhookReceiverError {
  return new WebhookReceiverError('overloaded', 'Too many bodies arrive at once.');
}

export function endedEarly(cause?: unknown): WebhookReceiverError {
  return new WebhookReceiverError('body_incomplete', 'The body ended early.', { cause });
}

export function notBase64(cause: unknown): WebhookReceiverError {
  return new WebhookReceiverError('body_not_base64', 'The body is not base64.', { cause });
}

/** Returns a thrown Error itself, and wraps any other thrown value. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error('A non-Error was thrown.', { cause: thrown });
}

interface Bounds {
  /** The unit for the message, such as `bytes`. */
  readonly unit: string;
  readonly max?: number;
}

/**
 * Returns the value of an option that is a whole number of at least 1.
 *
 * @throws RangeError that names the option
 */
export function wholeNumber(
  option: string,
  value: unknown,
  { unit, max = Number.MAX_SAFE_INTEGER }: Bounds,
): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max) return Number(value);
  throw new RangeError(
    `The option ${option} must be a whole number of ${unit} from 1 to ${max}, not ${String(value)}.`,
  );
}
