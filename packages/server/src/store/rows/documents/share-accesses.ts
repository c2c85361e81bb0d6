import type { Queries } from '../../driver.ts';
import type { PageRequest } from '../../lists/listing.ts';
import { Table } from '../../table.ts';

/** One counted access to a share. */
export interface ShareAccessRecord {
  readonly shareId: string;
  /** The access count of the share, this access included. */
  readonly accessCount: number;
  readonly accessedAt: number;
  readonly ipAddress: string;
  /** At most 512 characters. */
  readonly userAgent: string | null;
}

const accesses = new Table<ShareAccessRecord>({
  name: 'share_accesses',
  columns: 'share_id, access_count, accessed_at, ip_address, user_agent',
});

export function shareAccessRepository(queries: Queries) {
  /**
   * Locks the oldest access to a share, with which every removal begins. Returns false when another transaction removes
   * accesses to it.
   */
  async function lockOldest(shareId: string): Promise<boolean> {
    const oldest = await queries.get(
      `SELECT access_count FROM share_accesses WHERE share_id = @shareId AND access_count IN (
         SELECT MIN(access_count) FROM share_accesses WHERE share_id = @shareId
       ) ${queries.dialect.lockFree()}`,
      { shareId },
    );
    return oldest !== undefined;
  }

  return {
    insert: (access: ShareAccessRecord) => accesses.insert(queries, access),

    /** Returns a page of the accesses to a share, the newest first. */
    async list({ shareId, page, pageSize }: PageRequest & { readonly shareId: string }) {
      // The counts have no gaps, so neither the number of rows nor a page is counted.
      const kept = await queries.get<{ first: number | null; last: number | null }>(
        `SELECT (SELECT MIN(access_count) FROM share_accesses WHERE share_id = @shareId) AS first,
           (SELECT MAX(access_count) FROM share_accesses WHERE share_id = @shareId) AS last`,
        { shareId },
      );
      const first = kept?.first ?? 1;
      const last = kept?.last ?? 0;
      const totalCount = last - first + 1;
      const offset = (page - 1) * pageSize;
      if (offset >= totalCount) return { rows: [], totalCount };
      const newest = last - offset;
      const rows = await accesses.all(
        queries,
        'share_id = @shareId AND access_count BETWEEN @oldest AND @newest ORDER BY access_count DESC',
        { shareId, oldest: newest - pageSize + 1, newest },
      );
      return { rows, totalCount };
    },

    /**
     * Deletes at most `limit` accesses made at or before `accessedBy`, with all earlier ones of their shares:
     * the clocks of two servers differ. Returns the number of deleted ones that were made by then.
     */
    async removeOld({ accessedBy, limit }: { accessedBy: number; limit: number }) {
      const due = await queries.all<Pick<ShareAccessRecord, 'shareId' | 'accessCount'>>(
        `SELECT share_id AS "shareId", access_count AS "accessCount" FROM share_accesses
         WHERE accessed_at <= @accessedBy ORDER BY accessed_at LIMIT @limit`,
        { accessedBy, limit },
      );
      let removed = 0;
      for (const [shareId, old] of Map.groupBy(due, ({ shareId }) => shareId)) {
        if (!(await lockOldest(shareId))) continue;
        const accessCount = Math.max(...old.map((access) => access.accessCount));
        await queries.run(
          'DELETE FROM share_accesses WHERE share_id = @shareId AND access_count <= @accessCount',
          { shareId, accessCount },
        );
        removed += old.length;
      }
      return removed;
    },
  };
}

/**
 * Deletes shares in small steps: at most `limit` accesses to them first, because a share can have millions.
 *
 * @returns whether accesses may be left. The shares are deleted when there are none
 */
export async function deleteShares(
  queries: Queries,
  shareIds: readonly string[],
  limit: number,
): Promise<boolean> {
  const parameters = { shareIds: JSON.stringify(shareIds) };
  const removed = await queries.run(
    `DELETE FROM share_accesses WHERE (share_id, access_count) IN (
       SELECT share_id, access_count FROM share_accesses WHERE ${queries.dialect.among('share_id', 'shareIds')}
       ORDER BY share_id, access_count LIMIT @limit
     )`,
    { ...parameters, limit },
  );
  if (removed >= limit) return true;
  await queries.run(
    `DELETE FROM shares WHERE ${queries.dialect.among('id', 'shareIds')}`,
    parameters,
  );
  return false;
}
