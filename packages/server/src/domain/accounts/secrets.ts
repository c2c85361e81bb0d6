import { createHmac, randomBytes, randomInt, hash as sha256 } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { ServiceError } from '../../generated/rules/errors.ts';
import { normalPassword } from '../../generated/rules/passwords.ts';

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 32 random bytes in base64url: refresh tokens and share tokens. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The start of every API key. */
export const apiKeyPrefix = 'service_sk_';

/** `service_sk_` and 40 alphanumeric characters. */
export function randomApiKey(): string {
  return `${apiKeyPrefix}${randomAlphanumerics()}`;
}

/** `service_cs_` and 40 alphanumeric characters. */
export function randomClientSecret(): string {
  return `service_cs_${randomAlphanumerics()}`;
}

/** `whsec_` and the base64 of 30 random bytes, which has no padding. */
export function randomWebhookSecret(): string {
  return `whsec_${randomBytes(30).toString('base64')}`;
}

function randomAlphanumerics(): string {
  return Array.from({ length: 40 }, () => alphanumerics[randomInt(62)]).join('');
}

/**
 * Hashes tokens and keys for storage. They have at least 238 random bits, so a plain hash cannot be
 * guessed.
 */
export function digest(secret: string): Buffer {
  return sha256('sha256', secret, 'buffer');
}

/** Derives the successor of a token. It requires the token and the server's secret. */
export function deriveToken(token: string, serverSecret: Uint8Array): string {
  return createHmac('sha256', serverSecret).update(token).digest('base64url');
}

export type Passwords = ReturnType<typeof createPasswords>;

/** Where a password comes from. */
export interface PasswordPlace {
  /**
   * The account has signed in from this network before. The check then waits in any case, so that strangers cannot
   * lock out its owner.
   */
  readonly isKnown: boolean;
  /** Null: the server itself. */
  readonly site: string | null;
}

/** The parameters of argon2id. */
export interface PasswordCost {
  /** KiB of memory for each hash. */
  readonly memoryCost: number;
  /** Passes over that memory. */
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP's first choice for argon2id: 19 MiB of memory, two passes, one lane. */
export const owaspCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Concurrent hashes. One processor stays free for other requests. */
const concurrency = Math.max(1, availableParallelism() - 1);

/** Hashes that may wait: about two seconds of work. */
const maxWaiting = 64;

/** Hashes of one site at once, so that it leaves places for others. */
const maxOfSite = maxWaiting / 2;

/**
 * Hashes passwords with argon2id (RFC 9106), off the event loop. It normalises them.
 *
 * At most 64 hashes wait, 32 of one site. More would only make every login time out.
 */
export function createPasswords(cost: PasswordCost = owaspCost) {
  const inTurn = pLimit(concurrency);
  const decoy = hash(randomToken(), cost);
  /** Hashes that run or wait, by site. */
  const bySite = new Map<string, number>();

  function refuseWhenBusy(site: string | null): void {
    const ofSite = (site !== null && bySite.get(site)) || 0;
    if (inTurn.pendingCount < maxWaiting && ofSite < maxOfSite) return;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', {
      message: 'The server checks too many passwords at once. Try again in a second.',
      retryAfter: 1,
    });
  }

  async function hashFor<Result>(site: string | null, run: () => Promise<Result>): Promise<Result> {
    if (site === null) return inTurn(run);
    bySite.set(site, (bySite.get(site) ?? 0) + 1);
    try {
      return await inTurn(run);
    } finally {
      const left = (bySite.get(site) ?? 0) - 1;
      if (left > 0) bySite.set(site, left);
      else bySite.delete(site);
    }
  }

  return {
    /**
     * @param site where the password comes from. Default: the server itself
     * @throws ServiceError RATE_LIMIT_EXCEEDED when too many hashes wait
     */
    async hash(password: string, site: string | null = null): Promise<string> {
      refuseWhenBusy(site);
      return hashFor(site, () => hash(normalPassword(password), cost));
    },

    /**
     * Compares a password with a hash. Without a hash, it takes the same time and returns false.
     *
     * @throws ServiceError RATE_LIMIT_EXCEEDED when too many hashes wait
     */
    async verify(
      password: string,
      passwordHash: string | undefined,
      { isKnown, site }: PasswordPlace,
    ): Promise<boolean> {
      const expected = passwordHash ?? (await decoy);
      if (!isKnown) refuseWhenBusy(site);
      const matches = await hashFor(site, () => verify(expected, normalPassword(password)));
      return matches && passwordHash !== undefined;
    },
  };
}
