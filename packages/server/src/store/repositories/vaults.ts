import { fold } from '../../case-folding.ts';
import type { Queries, SqlParameters } from '../driver.ts';
import { counts, type VaultCount } from '../lists/counts.ts';
import {
  type Listing,
  listRows,
  matching,
  type Rows,
  type SortedPageRequest,
} from '../lists/listing.ts';
import { findRows } from '../lists/listing-of-each.ts';
import { type ListCache, searchRows } from '../lists/search.ts';

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

export interface VaultFilter extends SortedPageRequest<keyof typeof sortColumns> {
  /** The owner; null for all accounts. */
  readonly userId: string | null;
  readonly category?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly search?: string | undefined;
  /** The columns that `search` covers. */
  readonly searchIn: 'name' | 'nameAndDescription';
}

export interface VaultRepository {
  insert(vault: VaultRecord): Promise<void>;
  find(id: string): Promise<VaultRecord | undefined>;
  /** Returns the existing vaults, in no order. */
  findMany(ids: readonly string[]): Promise<VaultRecord[]>;
  list(filter: VaultFilter): Promise<Rows<VaultRecord>>;
  /** Updates name, description, category, isActive and updatedAt. */
  save(vault: VaultRecord): Promise<void>;
  /** Adds to the counters; negative amounts subtract. */
  count(id: string, change: { documents: number; bytes: number }): Promise<void>;
  /** What the vaults of an account hold, by instance. */
  usage(userId: string): Promise<{ instanceId: string; bytes: number }[]>;
  /** Removes the vault with its documents and shares. */
  delete(id: string): Promise<void>;
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
  const { userId, category, isActive, sortBy, sortOrder, page, pageSize } = filter;
  const owned = matching({ user_id: userId ?? undefined });
  const { where: residual, parameters } = matching({
    category,
    is_active: isActive === undefined ? undefined : Number(isActive),
  });
  return {
    table: 'vaults',
    columns,
    where: owned.where,
    residual,
    parameters: { ...owned.parameters, ...parameters },
    orderBy: sortColumns[sortBy],
    direction: sortOrder,
    page,
    pageSize,
  } satisfies Listing;
}

function ofActivity({ active, inactive }: VaultCount, { isActive }: VaultFilter): number {
  if (isActive === undefined) return active + inactive;
  return isActive ? active : inactive;
}

function searched({ userId, searchIn }: VaultFilter) {
  const inName = searchIn === 'name';
  return {
    columnsSearched: inName ? ['name_folded'] : ['name_folded', 'description_folded'],
    // No index contains descriptions. By creation time, the rows are stored next to each other.
    scanBy: inName ? 'name_folded' : 'created_at',
    index: {
      name: 'vault_search',
      columns: inName ? ['name'] : ['name', 'description'],
      belongingTo: { ...(userId !== null && { owner: userId }) },
    },
  };
}

export function vaultRepository(queries: Queries, cache?: ListCache): VaultRepository {
  return {
    async insert(vault) {
      await queries.run(
        `INSERT INTO vaults (id, user_id, instance_id, name, name_folded, description, description_folded,
           category, is_active, document_count, total_size, created_at, updated_at)
         VALUES (@id, @userId, @instanceId, @name, @nameFolded, @description, @descriptionFolded,
           @category, @isActive, @documentCount, @totalSize, @createdAt, @updatedAt)`,
        toParameters(vault),
      );
    },

    async find(id) {
      const row = await queries.get<Row>(`SELECT ${columns} FROM vaults WHERE id = @id`, { id });
      return row && toRecord(row);
    },

    async findMany(ids) {
      const rows = await findRows<Row>(queries, { table: 'vaults', columns }, ids);
      return rows.map(toRecord);
    },

    async list(filter) {
      const { search } = filter;
      const listing = toListing(filter);
      const count = await counts(queries).vaults(filter.userId, filter.category);
      const { rows, totalCount } = search
        ? await searchRows<Row>(queries, {
            ...listing,
            ...searched(filter),
            text: search,
            cache: cache?.matches,
            revision: count.revision,
          })
        : await listRows<Row>(queries, {
            ...listing,
            totalCount: ofActivity(count, filter),
            ...(cache &&
              steadyOrders.has(filter.sortBy) && { anchors: cache.anchors.of(count.revision) }),
          });
      return { rows: rows.map(toRecord), totalCount };
    },

    async save(vault) {
      await queries.run(
        `UPDATE vaults SET name = @name, name_folded = @nameFolded, description = @description,
           description_folded = @descriptionFolded, category = @category, is_active = @isActive,
           updated_at = @updatedAt
         WHERE id = @id`,
        toParameters(vault),
      );
    },

    async count(id, { documents, bytes }) {
      await queries.run(
        `UPDATE vaults SET document_count = document_count + @documents, total_size = total_size + @bytes
         WHERE id = @id`,
        { id, documents, bytes },
      );
    },

    usage: (userId) =>
      queries.all(
        `/* all rows */ SELECT instance_id AS "instanceId", SUM(total_size) AS bytes FROM vaults
         WHERE user_id IN (@userId) GROUP BY instance_id`,
        { userId },
      ),

    async delete(id) {
      await queries.run('DELETE FROM vaults WHERE id = @id', { id });
    },
  };
}
