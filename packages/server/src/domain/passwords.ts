import { hash, verify } from '@node-rs/argon2';
import { randomToken } from './secrets.ts';

/** Hashes passwords with argon2id (RFC 9106), off the event loop. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash to compare with, it takes the same time and answers false. */
  verify(password: string, passwordHash: string | undefined): Promise<boolean>;
}

/** OWASP's first choice for argon2id: 19 MiB of memory, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function createPasswords(): Passwords {
  const decoy = hash(randomToken(), parameters);

  return {
    hash: (password) => hash(password, parameters),

    async verify(password, passwordHash) {
      const matches = await verify(passwordHash ?? (await decoy), password);
      return matches && passwordHash !== undefined;
    },
  };
}
