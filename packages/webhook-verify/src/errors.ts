/**
 * Why a delivery or a secret was refused. Codes are stable, messages may change.
 *
 * - `missing_signature`: the header is absent or empty.
 * - `malformed_signature`: the header is not one string `hmac_sha256=<64 lowercase hex digits>`.
 * - `signature_mismatch`: no secret gives that signature for these bytes.
 * - `body_not_raw`: the body is neither bytes nor a string.
 * - `invalid_event`: the signature is right, but the body is not JSON with an `id` and a `type`.
 * - `outside_max_age`: the signature is right, but the event's `timestamp` is further from now than
 *   `maxAge`.
 * - `secret_too_short`, `secret_whitespace`: no webhook can have this secret.
 * - `secrets_unavailable`: the function `secrets` threw.
 * - `invalid_max_age`: `maxAge` is not a number above 0.
 * - `sync_unavailable`: this build verifies asynchronously only: call `verify` or `verifySignature`.
 */
export type WebhookVerificationErrorCode =
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'body_not_raw'
  | 'invalid_event'
  | 'outside_max_age'
  | 'secret_too_short'
  | 'secret_whitespace'
  | 'secrets_unavailable'
  | 'invalid_max_age'
  | 'sync_unavailable';

/** The only error that verification throws, for any header, any body and any secrets. */
export class WebhookVerificationError extends Error {
  /** A literal, which also identifies copies of this class in other bundles. */
  override readonly name = 'WebhookVerificationError';
  /** The reason. */
  declare readonly code: WebhookVerificationErrorCode;

  constructor(code: WebhookVerificationErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
