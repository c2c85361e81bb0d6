import type { Queries } from '../driver.ts';

/** Erases the remaining documents of deleted vaults in small steps. */
export interface ErasureRepository {
  /**
   * Erases at most `limit` shares and then documents of the vault that was deleted first.
   *
   * @returns whether there may be more
   */
  eraseDocuments(limit: number): Promise<boolean>;
}

/** The first documents of a deleted vault. Both steps use the same ones: shares first, then documents. */
const firstDocuments = `SELECT id FROM documents WHERE vault_id IN (@scope)
  ORDER BY uploaded_at, id LIMIT CAST(@limit AS INTEGER)`;

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
        `SELECT scope FROM erasures ORDER BY number LIMIT 1 ${queries.dialect.lock()}`,
      );
      if (!first) return false;
      for (const step of steps) {
        if ((await queries.run(step, { ...first, limit })) >= limit) return true;
      }
      await queries.run('DELETE FROM erasures WHERE scope = @scope', first);
      return true;
    },
  };
}
