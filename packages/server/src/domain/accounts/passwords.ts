import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { ServiceError } from '../../errors.ts';
import { randomToken } from './secrets.ts';

/**
 * Hashes passwords with argon2id (RFC 9106), off the event loop.
 *
 * At most 64 hashes wait. More would only make every login time out.
 */
export interface Passwords {
  /** @throws ServiceError RATE_LIMIT_EXCEEDED when too many hashes wait */
  hash(password: string): Promise<string>;
  /**
   * Without a hash to compare with, it takes the same time and returns false.
   *
   * @param isKnown the account has signed in from there before: the check waits however many others do,
   *   so that strangers cannot keep its owner out
   * @throws ServiceError RATE_LIMIT_EXCEEDED when too many hashes wait
   */
  verify(
    password: string,
    passwordHash: string | undefined,
    options: { readonly isKnown: boolean },
  ): Promise<boolean>;
}

/** OWASP's first choice for argon2id: 19 MiB of memory, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes that are computed at once: one processor is left to those who do not sign in. */
const concurrency = Math.max(1, availableParallelism() - 1);

/** Hashes that may wait: about two seconds of work. */
const maxWaiting = 64;

export function createPasswords(): Passwords {
  const inTurn = pLimit(concurrency);
  const decoy = hash(randomToken(), parameters);

  function refuseWhenBusy(): void {
    if (inTurn.pendingCount < maxWaiting) return;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', {
      message: 'The server checks too many passwords at once. Try again in a second.',
      retryAfter: 1,
    });
  }

  return {
    async hash(password) {
      refuseWhenBusy();
      return inTurn(() => hash(password, parameters));
    },

    async verify(password, passwordHash, { isKnown }) {
      const expected = passwordHash ?? (await decoy);
      if (!isKnown) refuseWhenBusy();
      const matches = await inTurn(() => verify(expected, password));
      return matches && passwordHash !== undefined;
    },
  };
}
