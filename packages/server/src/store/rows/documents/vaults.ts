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
import { type ListCache, searchRows } from '../../lists/search.ts';
import { type Row, Table } from '../../table.ts';

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

const vaults = new Table<VaultRecord>({
  name: 'vaults',
  columns: `id, user_id, instance_id, name, description, category, is_active, document_count, total_size,
    created_at, updated_at`,
  flags: ['isActive'],
});

const insertion = vaults.insertionWith({
  name_folded: '@nameFolded',
  description_folded: '@descriptionFolded',
});

const changes = vaults.update(
  'name, name_folded, description, description_folded, category, is_active, updated_at',
);

const toRecord = (row: Row) => vaults.itemOf(row);

function toParameters(vault: VaultRecord): SqlParameters {
  return {
    ...vaults.parametersOf(vault),
    nameFolded: fold(vault.name),
    descriptionFolded: vault.description === null ? null : fold(vault.description),
  };
}

/**
 * Sort columns whose changes increase the revision. Documents change the other columns without increasing
 * it.
 */
const steadyOrders: ReadonlySet<VaultFilter['sortBy']> = new Set(['createdAt', 'name']);

function toListing(filter: VaultFilter) {
  const { userId, category, isActive, sortBy } = filter;
  const owned = matching({ user_id: userId });
  const ofCategory = matching({ category });
  // The index of inactive vaults has the condition as it stands here.
  const ofActivity = isActive === undefined ? [] : [`is_active = ${Number(isActive)}`];
  const ofAll = userId === null;
  return {
    table: 'vaults',
    columns: vaults.columns,
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
      const number = await queries.insert(insertion, parameters);
      await count(queries, parameters);
      const indexing = queries.dialect.indexing('vaults', number);
      if (indexing) await queries.run(indexing, { number });
    },

    find: (id: string) => vaults.find(queries, id),

    /** Returns the existing vaults, in no order. */
    findMany: (ids: readonly string[]) => vaults.findMany(queries, ids),

    /** Lists vaults. Other orders of all accounts than `createdAt` sort all vaults. */
    list: (filter: VaultFilter) =>
      inSnapshot(queries, filter, (snapshot) => listIn(snapshot, filter, cache)),

    /** Updates name, description, category, isActive and updatedAt. */
    async save(vault: VaultRecord) {
      await queries.run(changes, toParameters(vault));
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
