/**
 * Why a delivery, or a secret, was refused. Codes are stable; the sentences may change.
 *
 * - `missing_signature`: the header is absent or empty.
 * - `malformed_signature`: it is not one string `hmac_sha256=<64 lowercase hex digits>`.
 * - `signature_mismatch`: no secret gives that signature for these bytes.
 * - `body_not_raw`: the body is neither bytes nor a string.
 * - `invalid_event`: rightly signed, but not JSON with an `id` and a `type`.
 * - `outside_max_age`: rightly signed, but the event's `timestamp` is further from now than `maxAge`.
 * - `secret_too_short`, `secret_whitespace`: thrown when a secret is handed over.
 * - `invalid_max_age`: thrown when a verifier is made whose `maxAge` is not a number above 0.
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
  | 'invalid_max_age';

/** The only error that verifying throws, whatever the header and the body are. */
export class WebhookVerificationError extends Error {
  /** Always this literal, so that copies of the class in other bundles are recognised too. */
  override readonly name = 'WebhookVerificationError';
  /** Why it was refused. */
  declare readonly code: WebhookVerificationErrorCode;

  constructor(code: WebhookVerificationErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
