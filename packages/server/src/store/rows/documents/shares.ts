import type { Queries } from '../../driver.ts';
import { isOfKeptDocument } from '../../lists/counts.ts';
import { matching, type SortedPageRequest } from '../../lists/listing.ts';
import { decode, type Row, Table } from '../../table.ts';
import { underLiveAccess } from '../oauth/grants.ts';
import { deleteShares } from './share-accesses.ts';

export interface ShareRecord {
  readonly id: string;
  readonly documentId: string;
  /** The account that owns the document. */
  readonly userId: string;
  readonly permissions: readonly 'read'[];
  readonly access: 'authenticated' | 'anyone';
  readonly expiresAt: number;
  /** Null: no limit. */
  readonly maxAccessCount: number | null;
  readonly accessCount: number;
  readonly isActive: boolean;
  /** The grant of the app that made it, or the client that made it as its owner: the share ends with it. */
  readonly accessId: string | null;
  readonly createdAt: number;
}

/** An expired share, with the account and the instance of its document. */
export interface ExpiredShare {
  readonly id: string;
  readonly documentId: string;
  readonly expiresAt: number;
  /** Whether it reached its access limit before it expired. */
  readonly isSpent: boolean;
  readonly userId: string;
  readonly instanceId: string;
}

const sortColumns = { createdAt: 'created_at', expiresAt: 'expires_at' } as const;

const shares = new Table<ShareRecord, typeof sortColumns>({
  name: 'shares',
  columns: `id, document_id, user_id, permissions, access, expires_at, max_access_count, access_count, is_active,
    access_id, created_at`,
  flags: ['isActive'],
  json: ['permissions'],
  sortColumns,
});

const insertion = shares.insertionWith({
  token_hash: '@tokenHash',
  instance_id: '(SELECT instance_id FROM users WHERE id = @userId)',
});

/**
 * Not revoked, not expired, its owner is neither suspended nor has deleted the document, and the app that made it
 * may still share.
 */
const inForce = `is_active = 1 AND expires_at > @now
  AND EXISTS (SELECT 1 FROM users u WHERE u.id = shares.user_id AND u.status = 'active')
  AND ${underLiveAccess('shares', "'documents:share'", '@now')}
  AND ${isOfKeptDocument}`;

const openable = `token_hash = @tokenHash AND ${inForce}
  AND (max_access_count IS NULL OR access_count < max_access_count)`;

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

export function shareRepository(queries: Queries) {
  return {
    async insert(share: ShareRecord, tokenHash: Uint8Array) {
      await queries.run(insertion, { ...shares.parametersOf(share), tokenHash });
    },

    find: (id: string) =>
      shares.first(queries, `id = @id AND ${isOfKeptDocument} ${queries.dialect.lock()}`, { id }),

    list: ({
      documentId,
      ...request
    }: SortedPageRequest<typeof sortColumns> & { documentId: string }) =>
      shares.list(queries, request, matching({ document_id: documentId })),

    /** Returns a page for each of these documents. */
    listOfEach: (documentIds: readonly string[], request: SortedPageRequest<typeof sortColumns>) =>
      shares.listOfEach(queries, request, {
        parentColumn: 'document_id',
        parents: documentIds,
        ...matching({}),
      }),

    /**
     * Counts one access if the caller may open the share at `now`. Checks and count are one statement, so
     * that a limit of N allows exactly N accesses.
     *
     * @returns undefined when the share must not be opened
     */
    async countAccess(access: { tokenHash: Uint8Array; now: number; authenticated: boolean }) {
      const row = await queries.get<Row>(
        `UPDATE shares SET access_count = access_count + 1
         WHERE ${openable} AND (access = 'anyone' OR @authenticated = 1)
         RETURNING ${shares.columns}`,
        { ...access, authenticated: access.authenticated ? 1 : 0 },
      );
      return row && shares.itemOf(row);
    },

    /** Returns a share whose content may be read at `now`. Accesses that are used up do not end reading. */
    findReadable: ({ id, now }: { id: string; now: number }) =>
      shares.first(queries, `id = @id AND ${inForce}`, { id, now }),

    /** Returns the share with this token if a caller with credentials could open it at `now`. */
    findOpenable: ({ tokenHash, now }: { tokenHash: Uint8Array; now: number }) =>
      shares.first(queries, openable, { tokenHash, now }),

    async revoke(id: string) {
      await queries.run('UPDATE shares SET is_active = 0 WHERE id = @id', { id });
    },

    /** Deactivates shares that expired at or before `now`, and returns them. */
    async takeExpired({ now, limit }: { now: number; limit: number }) {
      const rows = await queries.all<Row>(
        `SELECT s.id AS id, s.document_id AS "documentId", s.expires_at AS "expiresAt",
           CASE WHEN s.access_count >= s.max_access_count THEN 1 ELSE 0 END AS "isSpent",
           v.user_id AS "userId", v.instance_id AS "instanceId"
         FROM shares s JOIN documents d ON d.id = s.document_id JOIN vaults v ON v.id = d.vault_id
         WHERE s.is_active = 1 AND s.expires_at <= @now
         ORDER BY s.expires_at LIMIT @limit ${queries.dialect.lockFree('s')}`,
        { now, limit },
      );
      const expired = rows.map((row) => decode<ExpiredShare>(row, { flags: ['isSpent'] }));
      await queries.run(
        `UPDATE shares SET is_active = 0 WHERE ${queries.dialect.among('id', 'ids')}`,
        {
          ids: JSON.stringify(idsOf(expired)),
        },
      );
      return expired;
    },

    /** Whether a document has more than `count` shares, or these more than `count` accesses. */
    async hasMoreThan(count: number, documentId: string) {
      const parameters = { count, documentId };
      const share = await queries.get(
        `SELECT 1 FROM shares WHERE document_id = @documentId
         LIMIT 1 OFFSET @count`,
        parameters,
      );
      if (share !== undefined) return true;
      const access = await queries.get(
        `SELECT 1 FROM shares s CROSS JOIN share_accesses a
         WHERE a.share_id = s.id AND s.document_id = @documentId
         LIMIT 1 OFFSET @count`,
        parameters,
      );
      return access !== undefined;
    },

    /** Deletes at most `count` accesses to shares of a document, and then as many of these shares. */
    async removeSome(count: number, documentId: string) {
      const some = await queries.all<{ id: string }>(
        `SELECT id FROM shares WHERE document_id = @documentId LIMIT @count`,
        { count, documentId },
      );
      await deleteShares(queries, idsOf(some), count);
    },

    /**
     * Deletes inactive shares that expired at or before `expiredBy`, or `limit` of their accesses first.
     * Returns the number of shares, `limit` for accesses.
     */
    async removeEnded({ expiredBy, limit }: { expiredBy: number; limit: number }) {
      const ended = await queries.all<{ id: string }>(
        `SELECT id FROM shares WHERE is_active = 0 AND expires_at <= @expiredBy
         ORDER BY expires_at LIMIT @limit ${queries.dialect.lockFree()}`,
        { expiredBy, limit },
      );
      return (await deleteShares(queries, idsOf(ended), limit)) ? limit : ended.length;
    },
  };
}
