import { fold } from '../../case-folding.ts';
import type { Queries, SqlParameters } from '../driver.ts';
import { isOfKeptDocument } from '../lists/counts.ts';
import { listRows, matching, type Rows, type SortedPageRequest } from '../lists/listing.ts';

export type InstanceStatus = 'healthy' | 'degraded';

export interface InstanceRecord {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly version: string;
  readonly status: InstanceStatus;
  readonly isActive: boolean;
  readonly quotaBytes: number;
  readonly usedBytes: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface InstanceFilter extends SortedPageRequest<keyof typeof sortColumns> {
  /** Only this instance; null for all. */
  readonly instanceId: string | null;
}

/** Statistics of one instance. */
export interface InstanceFigures {
  readonly instanceId: string;
  readonly vaults: number;
  readonly documents: number;
  readonly usedBytes: number;
  /** Shares that can still be opened. */
  readonly activeShares: number;
  readonly webhooks: number;
  /** Deliveries by status, without test deliveries. */
  readonly pending: number;
  readonly retrying: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface InstanceRepository {
  insert(instance: InstanceRecord): Promise<void>;
  find(id: string): Promise<InstanceRecord | undefined>;
  list(filter: InstanceFilter): Promise<Rows<InstanceRecord>>;
  /** Returns the oldest active instance. New accounts belong to it. */
  firstActive(): Promise<InstanceRecord | undefined>;
  isEmpty(): Promise<boolean>;
  /** Writes name, region, quotaBytes, isActive and updatedAt. */
  save(instance: InstanceRecord): Promise<void>;
  /** Stores the server version on every instance. */
  setVersion(version: string): Promise<void>;
  /** Returns the ids of the instances with another status, the oldest first. */
  notIn(status: InstanceStatus): Promise<string[]>;
  setStatus(id: string, status: InstanceStatus): Promise<void>;
  /** Adds to the used bytes; negative amounts subtract. */
  use(id: string, bytes: number): Promise<void>;
  /** Statistics of one instance, or of all with null; the oldest instance first. */
  figures(instanceId: string | null, now: number): Promise<InstanceFigures[]>;
}

const sortColumns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  name: 'name_folded',
} as const;

const columns = `id, name, region, version, status, is_active AS "isActive", quota_bytes AS "quotaBytes",
  used_bytes AS "usedBytes", created_at AS "createdAt", updated_at AS "updatedAt"`;

const figureColumns = `id AS "instanceId", vaults, documents, used_bytes AS "usedBytes",
  usable_shares - COALESCE(expired.shares, 0) AS "activeShares", webhooks, pending_deliveries AS pending,
  retrying_deliveries AS retrying, succeeded_deliveries AS succeeded, failed_deliveries AS failed`;

type Row = Omit<InstanceRecord, 'isActive'> & { readonly isActive: number };

function toRecord(row: Row): InstanceRecord {
  return { ...row, isActive: row.isActive === 1 };
}

function toParameters(instance: InstanceRecord): SqlParameters {
  return {
    ...instance,
    nameFolded: fold(instance.name),
    isActive: instance.isActive ? 1 : 0,
  };
}

export function instanceRepository(queries: Queries): InstanceRepository {
  return {
    async insert(instance) {
      await queries.run(
        `INSERT INTO instances (id, name, name_folded, region, version, status, is_active, quota_bytes, used_bytes,
           created_at, updated_at)
         VALUES (@id, @name, @nameFolded, @region, @version, @status, @isActive, @quotaBytes, @usedBytes,
           @createdAt, @updatedAt)`,
        toParameters(instance),
      );
    },

    async find(id) {
      const sql = `SELECT ${columns} FROM instances WHERE id = @id`;
      const row = await queries.get<Row>(sql, { id });
      return row && toRecord(row);
    },

    async list({ instanceId, sortBy, sortOrder, page, pageSize }) {
      const { rows, totalCount } = await listRows<Row>(queries, {
        table: 'instances',
        columns,
        ...matching({ id: instanceId ?? undefined }),
        orderBy: sortColumns[sortBy],
        direction: sortOrder,
        page,
        pageSize,
      });
      return { rows: rows.map(toRecord), totalCount };
    },

    async firstActive() {
      const row = await queries.get<Row>(
        `SELECT ${columns} FROM instances WHERE is_active = 1 ORDER BY created_at, id LIMIT 1`,
      );
      return row && toRecord(row);
    },

    async isEmpty() {
      return (await queries.get('SELECT 1 FROM instances LIMIT 1')) === undefined;
    },

    async save(instance) {
      // A higher quota, like a deletion, can take the usage below the warning level.
      await queries.run(
        `UPDATE instances SET name = @name, name_folded = @nameFolded, region = @region, is_active = @isActive,
           quota_bytes = @quotaBytes, updated_at = @updatedAt,
           quota_warned = CASE WHEN used_bytes * 5 < @quotaBytes * 4 THEN 0 ELSE quota_warned END
         WHERE id = @id`,
        toParameters(instance),
      );
    },

    async setVersion(version) {
      await queries.run('UPDATE instances SET version = @version WHERE version <> @version', {
        version,
      });
    },

    async notIn(status) {
      const rows = await queries.all<{ id: string }>(
        'SELECT id FROM instances WHERE status <> @status ORDER BY created_at, id',
        { status },
      );
      return rows.map(({ id }) => id);
    },

    async setStatus(id, status) {
      await queries.run('UPDATE instances SET status = @status WHERE id = @id', { id, status });
    },

    async use(id, bytes) {
      // Below 80 % the warning is reset, so that the next crossing warns again.
      await queries.run(
        `UPDATE instances SET used_bytes = used_bytes + @bytes,
           quota_warned = CASE WHEN (used_bytes + @bytes) * 5 < quota_bytes * 4 THEN 0 ELSE quota_warned END
         WHERE id = @id`,
        { id, bytes },
      );
    },

    figures(instanceId, now) {
      const { where, parameters } = matching({ id: instanceId ?? undefined });
      // A share expires without a write, so no counter can know it. The expired ones are counted here
      // and subtracted; they are few, because the sweeper marks them as inactive within a minute.
      return queries.all<InstanceFigures>(
        `/* all rows */ SELECT ${figureColumns} FROM instances LEFT JOIN (
           SELECT instance_id, COUNT(*) AS shares FROM shares
           WHERE is_active = 1 AND expires_at <= @now
             AND (max_access_count IS NULL OR access_count < max_access_count)
             AND ${isOfKeptDocument}
           GROUP BY instance_id
         ) expired ON expired.instance_id = id
         ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY created_at, id`,
        { ...parameters, now },
      );
    },
  };
}
