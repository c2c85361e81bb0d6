import type { Queries } from '../../driver.ts';
import type { Sealer } from '../../sealing.ts';
import { Table } from '../../table.ts';

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

/** Times in milliseconds. */
export interface Poll {
  readonly idHash: Uint8Array;
  readonly now: number;
  /** The first interval between two polls. */
  readonly interval: number;
  /** How much earlier a poll may arrive. */
  readonly leeway: number;
  /** What an early poll adds to the interval. */
  readonly step: number;
}

type StoredArtifact = Omit<OAuthArtifactRecord, 'payload'> & { readonly payload: Uint8Array };

const artifacts = new Table<StoredArtifact>({
  name: 'oauth_artifacts',
  columns: `id_hash, kind, lookup_hash, grant_id, session_id, payload, created_at, expires_at, consumed_at`,
});

const insertion = artifacts.insertionWith({});

const column = 'oauth_artifacts.payload';

export function oauthArtifactRepository(queries: Queries, sealer: Sealer) {
  const toParameters = (artifact: Omit<OAuthArtifactRecord, 'consumedAt'>) => ({
    ...artifact,
    payload: sealer.seal(artifact.payload, column, [artifact.idHash]),
    consumedAt: null,
  });

  async function findWhere(where: string, hash: Uint8Array) {
    const row = await artifacts.first(queries, `${where} LIMIT 1 ${queries.dialect.lock()}`, {
      hash,
    });
    return row && { ...row, payload: sealer.open(row.payload, column, [row.idHash]).toString() };
  }

  return {
    /** Replaces the stored payload and end. A consumed artifact stays consumed, and keeps its end. */
    async save(artifact: Omit<OAuthArtifactRecord, 'consumedAt'>) {
      await queries.run(
        `${insertion} ON CONFLICT (id_hash) DO UPDATE SET
           lookup_hash = COALESCE(excluded.lookup_hash, oauth_artifacts.lookup_hash),
           grant_id = excluded.grant_id, session_id = excluded.session_id, payload = excluded.payload,
           expires_at = CASE WHEN oauth_artifacts.consumed_at IS NULL
             THEN excluded.expires_at ELSE oauth_artifacts.expires_at END`,
        toParameters(artifact),
      );
    },

    /** Stores an artifact unless it exists. Returns whether it is new: of parallel calls, one is. */
    async insertNew(artifact: Omit<OAuthArtifactRecord, 'consumedAt'>) {
      const inserted = await queries.run(
        `${insertion} ON CONFLICT (id_hash) DO NOTHING`,
        toParameters(artifact),
      );
      return inserted === 1;
    },

    find: (idHash: Uint8Array) => findWhere('id_hash = @hash', idHash),

    /** Returns the newest artifact with a second key. */
    findByLookup: (lookupHash: Uint8Array) =>
      findWhere('lookup_hash = @hash ORDER BY created_at DESC', lookupHash),

    /** Notes a poll for a device code. Returns false when it came too early: the interval grows then. */
    async notePoll({ idHash, now, interval, leeway, step }: Poll) {
      const onTime = await queries.run(
        `UPDATE oauth_artifacts SET polled_at = @now WHERE id_hash = @idHash
           AND (polled_at IS NULL OR polled_at + COALESCE(poll_interval, @interval) <= @now + @leeway)`,
        { idHash, now, interval, leeway },
      );
      if (onTime === 1) return true;
      await queries.run(
        `UPDATE oauth_artifacts
         SET polled_at = @now, poll_interval = COALESCE(poll_interval, @interval) + @step
         WHERE id_hash = @idHash`,
        { idHash, now, interval, step },
      );
      return false;
    },

    /** Marks an artifact as consumed. Returns false when it already was, or does not exist. */
    async consume(idHash: Uint8Array, now: number) {
      const changed = await queries.run(
        'UPDATE oauth_artifacts SET consumed_at = @now WHERE id_hash = @idHash AND consumed_at IS NULL',
        { idHash, now },
      );
      return changed === 1;
    },

    async delete(idHash: Uint8Array) {
      await queries.run('DELETE FROM oauth_artifacts WHERE id_hash = @idHash', { idHash });
    },

    /** Lets an artifact end at `expiresAt`, unless it ends earlier. `save` does not prolong it then. */
    async retire(idHash: Uint8Array, { now, expiresAt }: { now: number; expiresAt: number }) {
      await queries.run(
        `UPDATE oauth_artifacts SET expires_at = @expiresAt, consumed_at = @now
         WHERE id_hash = @idHash AND consumed_at IS NULL AND expires_at > @expiresAt`,
        { idHash, now, expiresAt },
      );
    },
  };
}
