/**
 * Returns a new secret for a webhook: `whsec_` and 256 random bits in base64url (RFC 4648, section 5). All of it is
 * the secret, with its prefix.
 *
 * @example
 * ```ts
 * const secret = newWebhookSecret();
 * ```
 */
export function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const base64 = btoa(String.fromCharCode(...bytes));
  return `whsec_${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}
