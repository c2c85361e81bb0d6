import { WebhookVerificationError } from './errors.ts';

/** One secret, or several: the current one first. */
export type Secrets = string | readonly string[];

/**
 * Returns the secret when a webhook can have it: at least 32 characters (Unicode code points), without
 * white space at an end. Refuses quotes around it and zero-width characters too: the service accepts them,
 * but here they are mistakes of copying.
 *
 * @throws {@link WebhookVerificationError} with a code that begins with `secret_`
 */
export function checkSecret(secret: unknown): string {
  if (typeof secret !== 'string' || [...secret].length < 32) {
    throw refused('too_short', 'is missing or has under 32 characters');
  }
  if (secret !== secret.trim()) throw refused('whitespace', 'has white space at an end');
  // As `.env` files and shells write it. Such a mistake would make every signature wrong.
  if (/^["'`‘“].*["'`’”]$/s.test(secret)) throw refused('quoted', 'is in quotes');
  if (/[\u200b-\u200d\u2060\ufeff]/.test(secret)) {
    throw refused('zero_width', 'has a zero-width character');
  }
  return secret;
}

type Problem = 'too_short' | 'whitespace' | 'quoted' | 'zero_width';

function refused(problem: Problem, sentence: string): WebhookVerificationError {
  return new WebhookVerificationError(`secret_${problem}`, `The secret ${sentence}.`);
}

/**
 * Returns a checked copy of the secrets, so that later changes of the array have no effect.
 *
 * @throws {@link WebhookVerificationError} with a code that begins with `secret_`
 */
export function checkSecrets(secrets: Secrets): string[] {
  const list: unknown[] = [secrets].flat();
  checkSecret(list[0]);
  return list.map(checkSecret);
}
