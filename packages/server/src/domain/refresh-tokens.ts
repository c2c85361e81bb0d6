import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Ids } from '../ids.ts';
import type { RefreshTokenRecord } from '../store/refresh-tokens.ts';
import type { Repositories, Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import { deriveToken, digest, randomToken } from './secrets.ts';

/** Lifetime of a refresh token: 30 days, in milliseconds. */
const lifetime = 30 * 24 * 60 * 60 * 1000;

/**
 * How long a rotated token still answers its successor: an answer that was lost and a second tab
 * must not log people out.
 */
const reuseGrace = 10_000;

export interface RefreshTokens {
  /** Starts a family for this account and answers its first token. */
  start(tx: Repositories, userId: string): Promise<string>;
  /**
   * Exchanges a token for its successor. A token that was exchanged longer than 10 s ago has been
   * stolen or lost: its whole family is revoked. `admit` may refuse the account by throwing; the
   * token is as good as before then.
   * @throws ServiceError INVALID_TOKEN
   */
  rotate(
    token: string,
    admit: (user: UserRecord) => void,
  ): Promise<{ token: string; user: UserRecord }>;
  /** Revokes the family of a token; an unknown token is none of our business. */
  revoke(token: string): Promise<void>;
}

export interface RefreshTokensOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function createRefreshTokens({ store, clock, ids }: RefreshTokensOptions): RefreshTokens {
  function insert(tx: Repositories, token: string, family: { id: string; userId: string }) {
    const now = clock.now();
    return tx.refreshTokens.insert({
      hash: digest(token),
      familyId: family.id,
      userId: family.userId,
      createdAt: now,
      expiresAt: now + lifetime,
    });
  }

  function judge(
    record: RefreshTokenRecord | undefined,
  ): 'invalid' | 'reused' | 'rotated' | 'current' {
    const now = clock.now();
    if (!record || record.revokedAt !== null || record.expiresAt <= now) return 'invalid';
    if (record.rotatedAt === null) return 'current';
    return now - record.rotatedAt <= reuseGrace ? 'rotated' : 'reused';
  }

  return {
    async start(tx, userId) {
      const token = randomToken();
      await insert(tx, token, { id: ids.resource(), userId });
      return token;
    },

    async rotate(token, admit) {
      const rotated = await store.transaction(async (tx) => {
        const record = await tx.refreshTokens.find(digest(token));
        const verdict = judge(record);
        if (!record || verdict === 'invalid') return undefined;
        if (verdict === 'reused') {
          // Not thrown from here: the revocation has to be committed.
          await tx.refreshTokens.revokeFamily(record.familyId, clock.now());
          return undefined;
        }
        const user = await tx.users.find(record.userId);
        if (!user) return undefined;
        admit(user);
        const secret = await tx.signingKeys.secret('refresh-tokens', () =>
          Buffer.from(randomToken()),
        );
        const successor = deriveToken(token, secret);
        if (verdict === 'current') {
          await tx.refreshTokens.markRotated(record.hash, clock.now());
          await insert(tx, successor, { id: record.familyId, userId: record.userId });
        }
        return { token: successor, user };
      });
      if (!rotated) {
        throw new ServiceError('INVALID_TOKEN', {
          message: 'The refresh token is not valid. Sign in again.',
        });
      }
      return rotated;
    },

    async revoke(token) {
      await store.transaction(async (tx) => {
        const record = await tx.refreshTokens.find(digest(token));
        if (record) await tx.refreshTokens.revokeFamily(record.familyId, clock.now());
      });
    },
  };
}
