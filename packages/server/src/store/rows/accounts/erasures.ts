import type { Queries } from '../../driver.ts';
import { deleteShares } from '../documents/share-accesses.ts';

/** The first documents of a deleted vault. Both steps use the same ones: shares first, then documents. */
const firstDocuments = `SELECT id FROM documents WHERE vault_id = @scope
  ORDER BY uploaded_at, id LIMIT @limit`;

/** Erases the remaining documents of deleted vaults in small steps. */
export function erasureRepository(queries: Queries) {
  return {
    /**
     * Erases at most `limit` accesses, shares and then documents of the vault that was deleted first.
     *
     * @returns whether there may be more
     */
    async eraseDocuments(limit: number) {
      const first = await queries.get<{ scope: string }>(
        `SELECT scope FROM erasures ORDER BY number LIMIT 1 ${queries.dialect.lockFree()}`,
      );
      if (!first) return false;
      const parameters = { ...first, limit };
      const shares = await queries.all<{ id: string }>(
        `SELECT id FROM shares WHERE document_id IN (${firstDocuments}) LIMIT @limit`,
        parameters,
      );
      const shareIds = shares.map(({ id }) => id);
      if (await deleteShares(queries, shareIds, limit)) return true;
      if (shares.length >= limit) return true;
      const documents = await queries.run(
        `DELETE FROM documents WHERE id IN (${firstDocuments})`,
        parameters,
      );
      if (documents >= limit) return true;
      await queries.run('DELETE FROM erasures WHERE scope = @scope', first);
      return true;
    },
  };
}
