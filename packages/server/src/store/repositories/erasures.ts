import type { Queries } from '../driver.ts';
import { partBytes } from './documents.ts';

/** Erases the remaining rows of deleted vaults and documents in small steps. */
export interface ErasureRepository {
  /**
   * Erases at most `limit` shares and then documents of the vault that was deleted first.
   *
   * @returns whether there may be more
   */
  eraseDocuments(limit: number): Promise<boolean>;
  /**
   * Erases at most `limit` parts of contents without a document, and at most 8 MiB.
   *
   * @returns whether there may be more
   */
  eraseContents(contents: { now: number; limit: number }): Promise<boolean>;
}

/** The first documents of a deleted vault. Both steps use the same ones: shares first, then documents. */
const firstDocuments = `SELECT id FROM documents WHERE vault_id IN (@scope)
  ORDER BY uploaded_at, id LIMIT CAST(@limit AS INTEGER)`;

/** Parts of contents that one transaction erases: 8 MiB. */
const maxParts = Math.floor((8 * 1024 * 1024) / partBytes);

/** The statements that erase a vault, in order: shares refer to documents. */
const steps = [
  `DELETE FROM shares WHERE id IN (
     SELECT id FROM shares WHERE document_id IN (${firstDocuments}) LIMIT CAST(@limit AS INTEGER)
   )`,
  `DELETE FROM documents WHERE id IN (${firstDocuments})`,
];

export function erasureRepository(queries: Queries): ErasureRepository {
  return {
    async eraseDocuments(limit) {
      const first = await queries.get<{ scope: string }>(
        'SELECT scope FROM erasures ORDER BY number LIMIT 1',
      );
      if (!first) return false;
      for (const step of steps) {
        if ((await queries.run(step, { ...first, limit })) >= limit) return true;
      }
      await queries.run('DELETE FROM erasures WHERE scope = @scope', first);
      return true;
    },

    async eraseContents({ now, limit: requested }) {
      const limit = Math.min(requested, maxParts);
      // CROSS JOIN fixes the order of the join: SQLite would choose to read the whole table of contents.
      const oldest = `(SELECT document_id FROM content_erasures
        WHERE due_at <= @now ORDER BY number LIMIT CAST(@limit AS INTEGER)) few`;
      const erased = await queries.run(
        `DELETE FROM document_contents WHERE (document_id, part) IN (
           SELECT c.document_id, c.part FROM ${oldest} CROSS JOIN document_contents c
           WHERE c.document_id = few.document_id
           LIMIT CAST(@limit AS INTEGER)
         )`,
        { now, limit },
      );
      const done = await queries.run(
        `DELETE FROM content_erasures WHERE document_id IN (
           SELECT document_id FROM ${oldest} WHERE NOT EXISTS (
             SELECT 1 FROM document_contents c WHERE c.document_id = few.document_id
           )
         )`,
        { now, limit },
      );
      return erased >= limit || done >= limit;
    },
  };
}
