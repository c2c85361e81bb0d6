import { fold } from '../../../lib/case-folding.ts';
import type { Queries, SqlParameters } from '../../driver.ts';
import { counts } from '../../lists/counts.ts';
import {
  byNumber,
  inSnapshot,
  type Listing,
  listRows,
  mapRows,
  matching,
  orderAndPage,
  type Rows,
  type SortedPageRequest,
} from '../../lists/listing.ts';
import { findRows } from '../../lists/listing-of-each.ts';
import { type ListCache, searchRows } from '../../lists/search.ts';

export interface VaultRecord {
  readonly id: string;
  readonly userId: string;
  readonly instanceId: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly isActive: boolean;
  readonly documentCount: number;
  readonly totalSize: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface VaultFilter extends SortedPageRequest<typeof sortColumns> {
  /** The owner; null for all accounts. */
  readonly userId: string | null;
  readonly category?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly search?: string | undefined;
  /** The columns that `search` covers. */
  readonly searchIn: 'name' | 'nameAndDescription';
}

const sortColumns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  name: 'name_folded',
  documentCount: 'document_count',
  totalSize: 'total_size',
} as const;

const columns = `id, user_id AS "userId", instance_id AS "instanceId", name, description, category,
  is_active AS "isActive", document_count AS "documentCount", total_size AS "totalSize",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

type Row = Omit<VaultRecord, 'isActive'> & { readonly isActive: number };

function toRecord(row: Row): VaultRecord {
  return { ...row, isActive: row.isActive === 1 };
}

function toParameters(vault: VaultRecord): SqlParameters {
  return {
    ...vault,
    nameFolded: fold(vault.name),
    descriptionFolded: vault.description === null ? null : fold(vault.description),
    isActive: vault.isActive ? 1 : 0,
  };
}

/**
 * Sort columns whose changes increase the revision. Documents change the other columns without increasing
 * it.
 */
const steadyOrders: ReadonlySet<VaultFilter['sortBy']> = new Set(['createdAt', 'name']);

function toListing(filter: VaultFilter) {
  const { userId, category, isActive, sortBy } = filter;
  const owned = matching({ user_id: userId ?? undefined });
  const ofCategory = matching({ category });
  // The index of inactive vaults has the condition as it stands here.
  const ofActivity = isActive === undefined ? [] : [`is_active = ${Number(isActive)}`];
  const ofAll = userId === null;
  return {
    table: 'vaults',
    columns,
    where: owned.where,
    residual: [...ofCategory.where, ...ofActivity],
    parameters: { ...owned.parameters, ...ofCategory.parameters },
    ...orderAndPage(filter, sortColumns),
    ...(ofAll && (sortBy === 'createdAt' ? byNumber : { isUnindexed: true })),
  } satisfies Listing;
}

function searched({ userId, searchIn }: VaultFilter) {
  const inName = searchIn === 'name';
  return {
    columnsSearched: inName ? ['name_folded'] : ['name_folded', 'description_folded'],
    scanBy: scanOrder(userId, inName),
    index: {
      name: 'vault_search',
      columns: inName ? ['name'] : ['name', 'description'],
      belongingTo: { ...(userId !== null && { owner: userId }) },
    },
  };
}

/** No index contains descriptions. By creation time, the rows are stored next to each other. */
function scanOrder(userId: string | null, inName: boolean): string {
  if (userId === null) return 'number';
  return inName ? 'name_folded' : 'created_at';
}

/** Counts a new vault in the row of its account and in its category. */
async function count(queries: Queries, vault: SqlParameters): Promise<void> {
  await queries.run(
    `UPDATE account_usage SET vaults = vaults + 1, inactive_vaults = inactive_vaults + 1 - @isActive,
       bytes = bytes + octet_length(@name) + COALESCE(octet_length(@description), 0)
         + COALESCE(octet_length(@category), 0),
       vault_revision = vault_revision + 1
     WHERE user_id = @userId`,
    vault,
  );
  if (vault.category === null) return;
  await queries.run(
    `INSERT INTO vault_categories (user_id, category, active, inactive)
     VALUES (@userId, @category, @isActive, 1 - @isActive)
     ON CONFLICT (user_id, category) DO UPDATE
       SET active = vault_categories.active + excluded.active,
         inactive = vault_categories.inactive + excluded.inactive`,
    vault,
  );
}

export function vaultRepository(queries: Queries, cache?: ListCache) {
  return {
    /** Stores an empty vault and counts it for its account. */
    async insert(vault: VaultRecord) {
      const parameters = toParameters(vault);
      const number = await queries.insert(
        `INSERT INTO vaults (id, user_id, instance_id, name, name_folded, description, description_folded,
           category, is_active, created_at, updated_at)
         VALUES (@id, @userId, @instanceId, @name, @nameFolded, @description, @descriptionFolded,
           @category, @isActive, @createdAt, @updatedAt)`,
        parameters,
      );
      await count(queries, parameters);
      const indexing = queries.dialect.indexing('vaults', number);
      if (indexing) await queries.run(indexing, { number });
    },

    async find(id: string) {
      const row = await queries.get<Row>(
        `SELECT ${columns} FROM vaults WHERE id = @id ${queries.dialect.lock()}`,
        { id },
      );
      return row && toRecord(row);
    },

    /** Returns the existing vaults, in no order. */
    async findMany(ids: readonly string[]) {
      const rows = await findRows<Row>(queries, { table: 'vaults', columns }, ids);
      return rows.map(toRecord);
    },

    /** Lists vaults. Other orders of all accounts than `createdAt` sort all vaults. */
    list: (filter: VaultFilter) =>
      inSnapshot(queries, filter, (snapshot) => listIn(snapshot, filter, cache)),

    /** Updates name, description, category, isActive and updatedAt. */
    async save(vault: VaultRecord) {
      await queries.run(
        `UPDATE vaults SET name = @name, name_folded = @nameFolded, description = @description,
           description_folded = @descriptionFolded, category = @category, is_active = @isActive,
           updated_at = @updatedAt
         WHERE id = @id`,
        toParameters(vault),
      );
    },

    /** Removes the vault with its documents and shares. */
    async delete(id: string) {
      await queries.run('DELETE FROM vaults WHERE id = @id', { id });
    },
  };
}

async function listIn(
  queries: Queries,
  filter: VaultFilter,
  cache: ListCache | undefined,
): Promise<Rows<VaultRecord>> {
  const { search, userId } = filter;
  const listing = toListing(filter);
  const { total, revision = cache?.revision } = await counts(queries).vaults(filter);
  const list = search
    ? await searchRows<Row>(queries, {
        ...listing,
        ...searched(filter),
        text: search,
        countSearched: async () => (await counts(queries).vaults({ userId })).total,
        cache: cache?.matches,
        revision,
      })
    : await listRows<Row>(queries, {
        ...listing,
        totalCount: total,
        ...(cache &&
          revision !== undefined &&
          steadyOrders.has(filter.sortBy) && { anchors: cache.anchors.of(revision) }),
      });
  return mapRows(list, toRecord);
}
