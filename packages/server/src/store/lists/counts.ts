import type { Queries } from '../driver.ts';

export interface VaultCount {
  readonly active: number;
  readonly inactive: number;
  /** Grows with every change of a column that vault lists filter or sort by. */
  readonly revision: number;
}

export interface DocumentCount {
  readonly documents: number;
  /** Grows with every change of a document. */
  readonly revision: number;
  /** Whether documents of deleted vaults still stand between them. */
  readonly isErasing: boolean;
}

/** The condition that a document does not belong to a deleted vault. */
export function isKept(vaultId: string): string {
  return `NOT EXISTS (SELECT 1 FROM erasures WHERE scope = ${vaultId})`;
}

/** The condition that a share's document does not belong to a deleted vault. */
export const isOfKeptDocument = `EXISTS (
  SELECT 1 FROM documents d WHERE d.id = shares.document_id AND ${isKept('d.vault_id')}
)`;

/** Row counts that triggers maintain, so that lists do not count. */
export interface Counts {
  /** @param userId null for all accounts. @param category undefined for all vaults */
  vaults(userId: string | null, category: string | undefined): Promise<VaultCount>;
  /** @param scope id of a vault or an account; null for all. @param mimeType undefined for all types */
  documents(scope: string | null, mimeType: string | undefined): Promise<DocumentCount>;
  /** Counts several scopes. Scopes without documents are omitted. */
  documentsOfEach(scopes: readonly string[]): Promise<Map<string, number>>;
}

export function counts(queries: Queries): Counts {
  return {
    async vaults(userId, category = '') {
      const counted = await queries.get<VaultCount>(
        `SELECT active, inactive, revision FROM vault_counts
         WHERE scope IN (@scope) AND category IN (@category)`,
        { scope: userId ?? '', category },
      );
      return counted ?? { active: 0, inactive: 0, revision: 0 };
    },

    async documents(scope, mimeType = '') {
      const ofScope = scope === null ? 'true' : 'e.user_id IN (@scope)';
      // The counts of deleted accounts repeat those of their vaults. CROSS JOIN: SQLite would choose to
      // read all counts.
      const counted = await queries.get<Omit<DocumentCount, 'isErasing'> & { erasing: number }>(
        `SELECT documents - COALESCE((
             SELECT SUM(c.documents) FROM erasures e CROSS JOIN document_counts c
             WHERE ${ofScope} AND e.scope <> e.user_id
               AND c.scope = e.scope AND c.mime_type IN (@mimeType)
           ), 0) AS documents,
           revision, COALESCE((SELECT MAX(e.number) FROM erasures e WHERE ${ofScope}), 0) AS erasing
         FROM document_counts WHERE scope IN (@scope) AND mime_type IN (@mimeType)`,
        { scope: scope ?? '', mimeType },
      );
      if (!counted) return { documents: 0, revision: 0, isErasing: false };
      const { documents, revision, erasing } = counted;
      // Erasures end in their order: while there are any, the highest number never falls.
      return { documents, revision: revision + erasing, isErasing: erasing > 0 };
    },

    async documentsOfEach(scopes) {
      const rows = await queries.all<{ scope: string; documents: number }>(
        `SELECT scope, documents FROM document_counts
         WHERE scope IN (${queries.dialect.elements('scopes')}) AND mime_type = ''`,
        { scopes: JSON.stringify(scopes) },
      );
      return new Map(rows.map(({ scope, documents }) => [scope, documents]));
    },
  };
}
