/**
 * Why a delivery or an option was refused. Codes are stable, messages may change.
 *
 * - `missing_signature`: a header of the signature is absent.
 * - `malformed_signature`: a header does not have the form of a signature, or was given twice and the
 *   platform keeps both values.
 * - `signature_mismatch`: no secret gives that signature for these bytes, or the platform made one value
 *   of a header that was given twice.
 * - `outside_tolerance`: the signature is right, but `webhook-timestamp` is further from now than
 *   `tolerance`.
 * - `body_not_raw`: the body is neither bytes nor a string.
 * - `invalid_event`: the signature is right, but the body is not JSON with an `id` and a `type`, or its
 *   `id` is not the value of `webhook-id`.
 * - `outside_max_age`: the signature is right, but the event's `timestamp` is further from now than
 *   `maxAge`.
 * - `secret_too_short`, `secret_whitespace`: no webhook has this secret.
 * - `secret_quoted`, `secret_zero_width`: the secret looks as if it was copied wrongly. The service accepts
 *   such a secret for a webhook, this package does not.
 * - `secrets_unavailable`: the function `secrets` threw.
 * - `invalid_option`: another option of `createVerifier` is invalid.
 */
export type WebhookVerificationErrorCode =
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'outside_tolerance'
  | 'body_not_raw'
  | 'invalid_event'
  | 'outside_max_age'
  | 'secret_too_short'
  | 'secret_whitespace'
  | 'secret_quoted'
  | 'secret_zero_width'
  | 'secrets_unavailable'
  | 'invalid_option';

/** The only error that verification throws, for any headers, any body and any secrets. Errors of `clock` pass. */
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
