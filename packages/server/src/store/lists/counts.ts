import type { Queries } from '../driver.ts';

/** The number of rows of a list. */
export interface Count {
  readonly total: number;
  /** Differs after every change that the list may show. Undefined: unknown, over all accounts. */
  readonly revision: number | undefined;
}

export interface DocumentCount extends Count {
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

export interface CountedVaults {
  /** Null: the vaults of all accounts, which are summed over the accounts. */
  readonly userId: string | null;
  readonly category?: string | undefined;
  readonly isActive?: boolean | undefined;
}

export interface CountedDocuments {
  /** Null: the documents of all accounts, which are summed over the accounts. */
  readonly userId: string | null;
  /** A vault of the account. */
  readonly vaultId?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** The vaults of each account by activity: columns of `account_usage` or `vault_categories`. */
function ofActivity(
  isActive: boolean | undefined,
  { active, inactive }: { readonly active: string; readonly inactive: string },
): string {
  if (isActive === undefined) return `${active} + ${inactive}`;
  return isActive ? active : inactive;
}

const inUsage = { active: 'u.vaults - u.inactive_vaults', inactive: 'u.inactive_vaults' };
const inCategories = { active: 'c.active', inactive: 'c.inactive' };

const none: Count = { total: 0, revision: 0 };

/** Stored counts, so that lists do not count. */
export function counts(queries: Queries) {
  async function sum(
    value: string,
    rows: string,
    parameters: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const counted = await queries.get<{ total: number | null }>(
      `/* all rows */ SELECT SUM(${value}) AS total FROM ${rows}`,
      parameters,
    );
    return counted?.total ?? 0;
  }

  async function ofAllVaults({ category, isActive }: CountedVaults): Promise<number> {
    if (category === undefined) return sum(ofActivity(isActive, inUsage), 'account_usage u');
    const rows = 'vault_categories c WHERE category = @category';
    return sum(ofActivity(isActive, inCategories), rows, { category });
  }

  async function ofAllDocuments(mimeType: string | undefined): Promise<number> {
    if (mimeType === undefined) return sum('documents', 'account_usage');
    const rows = `document_types WHERE mime_type = @mimeType AND ${isKept('vault_id')}`;
    return sum('documents', rows, { mimeType });
  }

  async function ofType(userId: string, vaultId: string | undefined, mimeType: string) {
    const counted = await queries.get<{ total: number | null }>(
      `SELECT SUM(documents) AS total FROM document_types
       WHERE user_id = @userId AND mime_type = @mimeType
         AND ${vaultId === undefined ? isKept('vault_id') : 'vault_id = @vaultId'}`,
      { userId, mimeType, ...(vaultId !== undefined && { vaultId }) },
    );
    return counted?.total ?? 0;
  }

  async function isErasing(userId: string | null): Promise<boolean> {
    const erasure = await queries.get(
      `SELECT 1 FROM erasures ${userId === null ? '' : 'WHERE user_id = @userId'} LIMIT 1`,
      userId === null ? {} : { userId },
    );
    return erasure !== undefined;
  }

  return {
    async vaults(counted: CountedVaults): Promise<Count> {
      const { userId, category, isActive } = counted;
      if (userId === null) return { total: await ofAllVaults(counted), revision: undefined };
      const found = await queries.get<Count>(
        category === undefined
          ? `SELECT ${ofActivity(isActive, inUsage)} AS total, u.vault_revision AS revision
             FROM account_usage u WHERE u.user_id = @userId`
          : `SELECT COALESCE(${ofActivity(isActive, inCategories)}, 0) AS total, u.vault_revision AS revision
             FROM account_usage u
             LEFT JOIN vault_categories c ON c.user_id = u.user_id AND c.category = @category
             WHERE u.user_id = @userId`,
        { userId, ...(category !== undefined && { category }) },
      );
      return found ?? none;
    },

    async documents({ userId, vaultId, mimeType }: CountedDocuments): Promise<DocumentCount> {
      const erasing = vaultId === undefined && (await isErasing(userId));
      if (userId === null) {
        const total = await ofAllDocuments(mimeType);
        return { total, revision: undefined, isErasing: erasing };
      }
      const found = await queries.get<Count>(
        `SELECT ${vaultId === undefined ? 'u.documents' : 'v.document_count'} AS total,
           u.document_revision AS revision
         FROM account_usage u ${vaultId === undefined ? '' : 'JOIN vaults v ON v.id = @vaultId'}
         WHERE u.user_id = @userId`,
        { userId, ...(vaultId !== undefined && { vaultId }) },
      );
      const total = mimeType === undefined ? undefined : await ofType(userId, vaultId, mimeType);
      return { ...(found ?? none), ...(total !== undefined && { total }), isErasing: erasing };
    },

    /** Returns the number of documents of each vault. */
    async documentsOfEach(vaultIds: readonly string[]) {
      const rows = await queries.all<{ id: string; documents: number }>(
        `SELECT id, document_count AS documents FROM vaults
         WHERE ${queries.dialect.among('id', 'vaultIds')}`,
        { vaultIds: JSON.stringify(vaultIds) },
      );
      return new Map(rows.map(({ id, documents }) => [id, documents]));
    },
  };
}
