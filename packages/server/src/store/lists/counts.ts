import type { Queries } from '../driver.ts';

export interface VaultCount {
  readonly active: number;
  readonly inactive: number;
  /** Grows with every change to what one of the vaults is found by. */
  readonly changes: number;
}

export interface DocumentCount {
  readonly documents: number;
  /** Grows with every change to one of the documents. */
  readonly changes: number;
}

/** What triggers count, so that no list has to. */
export interface Counts {
  /** @param userId the account; null for all. @param category undefined for every one and none */
  vaults(userId: string | null, category: string | undefined): Promise<VaultCount>;
  /** @param scope the id of a vault or an account; null for all. @param mimeType undefined for every one */
  documents(scope: string | null, mimeType: string | undefined): Promise<DocumentCount>;
  /** The same for each of several scopes; those without a document are left out. */
  documentsOfEach(
    scopes: readonly string[],
    mimeType: string | undefined,
  ): Promise<Map<string, number>>;
}

export function counts(queries: Queries): Counts {
  return {
    async vaults(userId, category = '') {
      const counted = await queries.get<VaultCount>(
        `SELECT active, inactive, changes FROM vault_counts
         WHERE scope IN (@scope) AND category IN (@category)`,
        { scope: userId ?? '', category },
      );
      return counted ?? { active: 0, inactive: 0, changes: 0 };
    },

    async documents(scope, mimeType = '') {
      const counted = await queries.get<DocumentCount>(
        `SELECT documents, changes FROM document_counts
         WHERE scope IN (@scope) AND mime_type IN (@mimeType)`,
        { scope: scope ?? '', mimeType },
      );
      return counted ?? { documents: 0, changes: 0 };
    },

    async documentsOfEach(scopes, mimeType = '') {
      const rows = await queries.all<{ scope: string; documents: number }>(
        `SELECT scope, documents FROM document_counts
         WHERE scope IN (${queries.dialect.elements('scopes')}) AND mime_type IN (@mimeType)`,
        { scopes: JSON.stringify(scopes), mimeType },
      );
      return new Map(rows.map(({ scope, documents }) => [scope, documents]));
    },
  };
}
