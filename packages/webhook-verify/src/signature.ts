import { WebhookVerificationError } from './errors.ts';

/** Name of the header that carries the signature. */
export const signatureHeader = 'X-Service-Signature';

/** What the value of the header starts with; the lowercase hex HMAC-SHA256 of the body follows. */
export const signaturePrefix = 'hmac_sha256=';

/** The value of `X-Service-Signature` as servers hand it over; more than one value is refused. */
export type SignatureHeader = string | readonly string[] | null | undefined;

/**
 * The 64 hex digits of a signature header.
 *
 * @throws {@link WebhookVerificationError} `missing_signature` or `malformed_signature`
 */
export function signatureDigits(header: unknown): string {
  if (!header)
    throw new WebhookVerificationError(
      'missing_signature',
      'The X-Service-Signature header is missing.',
    );
  // The length bounds the work; a counted repetition would take twice the time.
  if (typeof header !== 'string' || header.length !== 76 || !/^hmac_sha256=[0-9a-f]+$/.test(header))
    throw new WebhookVerificationError(
      'malformed_signature',
      'The signature is not hmac_sha256= and 64 lowercase hex digits.',
    );
  return header.slice(12);
}
