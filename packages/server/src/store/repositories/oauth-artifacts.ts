import type { Queries } from '../driver.ts';
import type { Sealer } from '../sealing.ts';

/** A code, token, request or session of the OAuth engine. Its id is stored as a digest alone. */
export interface OAuthArtifactRecord {
  /** SHA-256 of kind and id. */
  readonly idHash: Uint8Array;
  readonly kind: string;
  /** SHA-256 of a second key: the code that a user enters, the `uid` of a session. */
  readonly lookupHash: Uint8Array | null;
  readonly grantId: string | null;
  /** The sign-in that a session of the engine stands for. */
  readonly sessionId: string | null;
  /** JSON without the id and without the second key. */
  readonly payload: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly consumedAt: number | null;
}

export interface OAuthArtifactRepository {
  /** Replaces the stored payload and end. A consumed artifact stays consumed. */
  save(artifact: Omit<OAuthArtifactRecord, 'consumedAt'>): Promise<void>;
  find(idHash: Uint8Array): Promise<OAuthArtifactRecord | undefined>;
  findByLookup(lookupHash: Uint8Array): Promise<OAuthArtifactRecord | undefined>;
  /** Marks an artifact as consumed. Returns false when it already was, or does not exist. */
  consume(idHash: Uint8Array, now: number): Promise<boolean>;
  delete(idHash: Uint8Array): Promise<void>;
  /** Deletes artifacts that expired at or before `expiredBy`. Returns their number. */
  removeExpired(artifacts: { expiredBy: number; limit: number }): Promise<number>;
}

const columns = `id_hash AS "idHash", kind, lookup_hash AS "lookupHash", grant_id AS "grantId",
  session_id AS "sessionId", payload, created_at AS "createdAt", expires_at AS "expiresAt",
  consumed_at AS "consumedAt"`;

type Stored = Omit<OAuthArtifactRecord, 'payload'> & { readonly payload: Uint8Array };

const column = 'oauth_artifacts.payload';

export function oauthArtifactRepository(queries: Queries, sealer: Sealer): OAuthArtifactRepository {
  async function findWhere(where: string, hash: Uint8Array) {
    const row = await queries.get<Stored>(
      `SELECT ${columns} FROM oauth_artifacts WHERE ${where} ${queries.dialect.lock()}`,
      { hash },
    );
    return row && { ...row, payload: sealer.open(row.payload, column, [row.idHash]).toString() };
  }

  return {
    async save(artifact) {
      await queries.run(
        `INSERT INTO oauth_artifacts (id_hash, kind, lookup_hash, grant_id, session_id, payload, created_at, expires_at)
         VALUES (@idHash, @kind, @lookupHash, @grantId, @sessionId, @payload, @createdAt, @expiresAt)
         ON CONFLICT (id_hash) DO UPDATE SET
           lookup_hash = COALESCE(excluded.lookup_hash, oauth_artifacts.lookup_hash),
           grant_id = excluded.grant_id, session_id = excluded.session_id, payload = excluded.payload,
           expires_at = excluded.expires_at`,
        { ...artifact, payload: sealer.seal(artifact.payload, column, [artifact.idHash]) },
      );
    },

    find: (idHash) => findWhere('id_hash IN (@hash)', idHash),

    findByLookup: (lookupHash) => findWhere('lookup_hash IN (@hash)', lookupHash),

    async consume(idHash, now) {
      const changed = await queries.run(
        'UPDATE oauth_artifacts SET consumed_at = @now WHERE id_hash = @idHash AND consumed_at IS NULL',
        { idHash, now },
      );
      return changed === 1;
    },

    async delete(idHash) {
      await queries.run('DELETE FROM oauth_artifacts WHERE id_hash = @idHash', { idHash });
    },

    removeExpired: ({ expiredBy, limit }) =>
      queries.run(
        `DELETE FROM oauth_artifacts WHERE id_hash IN (
           SELECT id_hash FROM oauth_artifacts WHERE expires_at <= @expiredBy
           ORDER BY expires_at LIMIT CAST(@limit AS INTEGER) ${queries.dialect.lockFree()}
         )`,
        { expiredBy, limit },
      ),
  };
}
