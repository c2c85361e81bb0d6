import { checkSecrets } from '../secrets.ts';
import { UsageError } from './failures.ts';
import type { Terminal } from './terminal.ts';

/** The option that takes a secret, or several. */
export const secretOption = { secret: { type: 'string', multiple: true } } as const;

/** Where the secrets of a command come from. */
export interface Secrets {
  readonly values: readonly string[];
  /** What to call one of them, which is never shown itself. */
  nameOf(index: number): string;
}

/**
 * The secrets that were typed, or else the one of the environment.
 *
 * @throws {@link UsageError} when there is none
 * @throws {@link WebhookVerificationError} for a secret that no webhook can have
 */
export function secretsOf(typed: readonly string[] | undefined, { env }: Terminal): Secrets {
  if (typed !== undefined) {
    const nameOf = (index: number) => `secret ${index + 1} of ${typed.length}`;
    return { values: checkSecrets(typed), nameOf };
  }
  const { WEBHOOK_SECRET: secret } = env;
  if (secret === undefined) throw new UsageError('No secret: set WEBHOOK_SECRET or give --secret.');
  return { values: checkSecrets([secret]), nameOf: () => 'WEBHOOK_SECRET' };
}

/**
 * The secret to sign with.
 *
 * @throws as {@link secretsOf}, and {@link UsageError} when there are several
 */
export function signingSecret(typed: readonly string[] | undefined, terminal: Terminal): string {
  const [secret = '', ...others] = secretsOf(typed, terminal).values;
  if (others.length > 0) throw new UsageError('A body is signed with one secret: give one.');
  return secret;
}
