import { WebhookVerificationError } from './errors.ts';

/**
 * Returns the secret if it can be the secret of a webhook: at least 32 characters (Unicode code
 * points), no white space at either end.
 *
 * @throws {@link WebhookVerificationError} `secret_too_short` or `secret_whitespace`
 */
export function checkSecret(secret: unknown): string {
  if (typeof secret !== 'string' || [...secret].length < 32) {
    throw new WebhookVerificationError(
      'secret_too_short',
      'The secret has fewer than 32 characters.',
    );
  }
  if (secret !== secret.trim())
    throw new WebhookVerificationError(
      'secret_whitespace',
      'The secret has outer space, or a trailing newline.',
    );
  return secret;
}

/** Checks every secret, and that there is one. The copy is safe from later changes of the array. */
export function checkSecrets(secrets: readonly string[]): string[] {
  // A bare string, or none, is what a caller without types may pass.
  const list = [secrets].flat();
  checkSecret(list[0]);
  return list.map(checkSecret);
}
