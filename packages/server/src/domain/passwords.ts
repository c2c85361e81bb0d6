import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { randomToken } from './secrets.ts';

/** Hashes passwords with argon2id (RFC 9106), off the event loop. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash to compare with, it takes the same time and answers false. */
  verify(password: string, passwordHash: string | undefined): Promise<boolean>;
}

/** OWASP's first choice for argon2id: 19 MiB of memory, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes that are computed at once: one processor is left to those who do not sign in. */
const concurrency = Math.max(1, availableParallelism() - 1);

export function createPasswords(): Passwords {
  const inTurn = pLimit(concurrency);
  const decoy = hash(randomToken(), parameters);

  return {
    hash: (password) => inTurn(() => hash(password, parameters)),

    async verify(password, passwordHash) {
      const expected = passwordHash ?? (await decoy);
      const matches = await inTurn(() => verify(expected, password));
      return matches && passwordHash !== undefined;
    },
  };
}
