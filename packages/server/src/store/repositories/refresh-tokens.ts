import type { Queries } from '../driver.ts';

export interface RefreshTokenRecord {
  /** SHA-256 of the token. */
  readonly hash: Uint8Array;
  readonly sessionId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly rotatedAt: number | null;
}

/** A token together with its session. */
export interface SessionToken extends RefreshTokenRecord {
  readonly userId: string;
  /** When the session was ended. */
  readonly endedAt: number | null;
}

export interface RefreshTokens {
  insert(token: Omit<RefreshTokenRecord, 'rotatedAt'>): Promise<void>;
  find(hash: Uint8Array): Promise<SessionToken | undefined>;
  markRotated(hash: Uint8Array, now: number): Promise<void>;
  /** Removes tokens that expired at or before that moment; returns how many. */
  removeExpired(tokens: { expiredBy: number; limit: number }): Promise<number>;
}

export function refreshTokens(queries: Queries): RefreshTokens {
  return {
    async insert(token) {
      await queries.run(
        `INSERT INTO refresh_tokens (hash, session_id, created_at, expires_at)
         VALUES (@hash, @sessionId, @createdAt, @expiresAt)`,
        { ...token },
      );
    },

    find: (hash) =>
      queries.get<SessionToken>(
        `SELECT t.hash AS hash, t.session_id AS "sessionId", t.created_at AS "createdAt",
           t.expires_at AS "expiresAt", t.rotated_at AS "rotatedAt", s.user_id AS "userId",
           s.ended_at AS "endedAt"
         FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE t.hash IN (@hash)`,
        { hash },
      ),

    async markRotated(hash, now) {
      await queries.run('UPDATE refresh_tokens SET rotated_at = @now WHERE hash = @hash', {
        hash,
        now,
      });
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
