import type { Queries } from './driver.ts';

export interface RefreshTokenRecord {
  /** SHA-256 of the token. */
  readonly hash: Uint8Array;
  /** All tokens that descend from one login. */
  readonly familyId: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly rotatedAt: number | null;
  readonly revokedAt: number | null;
}

export interface RefreshTokens {
  insert(token: Omit<RefreshTokenRecord, 'rotatedAt' | 'revokedAt'>): Promise<void>;
  find(hash: Uint8Array): Promise<RefreshTokenRecord | undefined>;
  markRotated(hash: Uint8Array, now: number): Promise<void>;
  revokeFamily(familyId: string, now: number): Promise<void>;
  /** Revokes every family of an account. */
  revokeAll(userId: string, now: number): Promise<void>;
  /** Removes tokens that expired at or before that moment; answers how many. */
  removeExpired(tokens: { expiredBy: number; limit: number }): Promise<number>;
}

export function refreshTokens(queries: Queries): RefreshTokens {
  return {
    async insert(token) {
      await queries.run(
        `INSERT INTO refresh_tokens (hash, family_id, user_id, created_at, expires_at)
         VALUES (@hash, @familyId, @userId, @createdAt, @expiresAt)`,
        { ...token },
      );
    },

    find: (hash) =>
      queries.get<RefreshTokenRecord>(
        `SELECT hash, family_id AS "familyId", user_id AS "userId", created_at AS "createdAt",
           expires_at AS "expiresAt", rotated_at AS "rotatedAt", revoked_at AS "revokedAt"
         FROM refresh_tokens WHERE hash = @hash`,
        { hash },
      ),

    async markRotated(hash, now) {
      await queries.run('UPDATE refresh_tokens SET rotated_at = @now WHERE hash = @hash', {
        hash,
        now,
      });
    },

    async revokeFamily(familyId, now) {
      await queries.run(
        `UPDATE refresh_tokens SET revoked_at = @now
         WHERE family_id = @familyId AND revoked_at IS NULL`,
        { familyId, now },
      );
    },

    async revokeAll(userId, now) {
      await queries.run(
        'UPDATE refresh_tokens SET revoked_at = @now WHERE user_id = @userId AND revoked_at IS NULL',
        { userId, now },
      );
    },
    removeExpired: ({ expiredBy, limit }) =>
      queries.run(
        `DELETE FROM refresh_tokens WHERE hash IN (
           SELECT hash FROM refresh_tokens WHERE expires_at <= @expiredBy
           ORDER BY expires_at LIMIT CAST(@limit AS INTEGER)
         )`,
        { expiredBy, limit },
      ),
  };
}
