import type { Queries } from '../../driver.ts';
import { Table } from '../../table.ts';

/** An open upload in parts. */
export interface UploadRecord {
  /** The id of the later document. */
  readonly id: string;
  readonly vaultId: string;
  /** The account that owns the vault. */
  readonly userId: string;
  /** The declared length of the content. */
  readonly sizeBytes: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const uploads = new Table<UploadRecord>({
  name: 'uploads',
  columns: 'id, vault_id, user_id, size_bytes, created_at, expires_at',
});

export function uploadRepository(queries: Queries) {
  return {
    /** Stores an upload, which reserves its bytes. */
    insert: (upload: UploadRecord) => uploads.insert(queries, upload),

    find: (id: string) => uploads.find(queries, id),

    /** Removes an upload and frees its bytes. Its id stays used. */
    async delete(id: string) {
      await queries.run('DELETE FROM uploads WHERE id = @id', { id });
    },

    /** Returns the ids of at most `limit` uploads that have expired. */
    async expired(due: { readonly now: number; readonly limit: number }) {
      const rows = await queries.all<{ id: string }>(
        `SELECT id FROM uploads WHERE expires_at <= @now
         ORDER BY expires_at LIMIT @limit ${queries.dialect.lockFree()}`,
        due,
      );
      return rows.map(({ id }) => id);
    },

    /**
     * Whether an id was ever the id of a document or an upload, of any account.
     *
     * @param id a UUID
     */
    async isUsed(id: string) {
      // The id can be that of a document and of an upload, so that no key of one table excludes the other.
      const reservation = queries.dialect.reserve('id');
      if (reservation !== undefined) await queries.get(reservation, { id });
      const found = await queries.get(
        `SELECT 1 AS used FROM documents WHERE id = @id
         UNION ALL SELECT 1 FROM uploads WHERE id = @id
         UNION ALL SELECT 1 FROM used_ids WHERE id = @bytes
         LIMIT 1`,
        { id, bytes: Buffer.from(id.replaceAll('-', ''), 'hex') },
      );
      return found !== undefined;
    },
  };
}
