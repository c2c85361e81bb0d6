import { fold } from '../../../lib/case-folding.ts';
import type { Queries, SqlParameters } from '../../driver.ts';
import type { InstanceLedger } from '../../instance-totals.ts';
import { allOf } from '../../lists/anchors.ts';
import { isOfKeptDocument } from '../../lists/counts.ts';
import { matching, type SortedPageRequest } from '../../lists/listing.ts';
import { Table } from '../../table.ts';

export type InstanceStatus = 'healthy' | 'degraded';

export interface InstanceRecord {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly version: string;
  readonly status: InstanceStatus;
  readonly isActive: boolean;
  readonly quotaBytes: number;
  /** The bytes of the contents of all documents: a sum over the accounts. */
  readonly usedBytes: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface InstanceFilter extends SortedPageRequest<typeof sortColumns> {
  /** Only this instance; null for all. */
  readonly instanceId: string | null;
}

/** Which rows statistics count. Null: those of all instances, or of all accounts. */
export interface ChosenFigures {
  readonly instanceId: string | null;
  readonly userId: string | null;
  readonly now: number;
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

const sortColumns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  name: 'name_folded',
} as const;

type StoredInstance = Omit<InstanceRecord, 'usedBytes'>;

const instances = new Table<StoredInstance, typeof sortColumns>({
  name: 'instances',
  columns: `id, name, region, version, status, is_active, quota_bytes, created_at, updated_at`,
  flags: ['isActive'],
  sortColumns,
});

const insertion = instances.insertionWith({ name_folded: '@nameFolded' });

const changes = instances.update('name, name_folded, region, is_active, quota_bytes, updated_at');

/** Sums over the chosen accounts and their webhooks, in the chosen instances. */
const figures = (chosen: string, isOne: boolean) => `/* all rows */ SELECT id AS "instanceId",
    COALESCE(held.vaults, 0) AS vaults, COALESCE(held.documents, 0) AS documents,
    COALESCE(held.total_size, 0) AS "usedBytes",
    COALESCE(held.usable_shares, 0) - COALESCE(expired.shares, 0) AS "activeShares",
    COALESCE(held.webhooks, 0) AS webhooks, COALESCE(sent.pending, 0) AS pending,
    COALESCE(sent.retrying, 0) AS retrying, COALESCE(sent.succeeded, 0) AS succeeded,
    COALESCE(sent.failed, 0) AS failed
  FROM instances
  LEFT JOIN (
    SELECT instance_id, SUM(vaults) AS vaults, SUM(documents) AS documents, SUM(total_size) AS total_size,
      SUM(usable_shares) AS usable_shares, SUM(webhooks) AS webhooks
    FROM account_usage ${isOne ? 'WHERE user_id = @userId' : ''} GROUP BY instance_id
  ) held ON held.instance_id = id
  LEFT JOIN (
    SELECT w.instance_id AS instance_id, SUM(s.pending) AS pending, SUM(s.retrying) AS retrying,
      SUM(s.succeeded) AS succeeded, SUM(s.failed) AS failed
    FROM current_webhook_statistics s JOIN webhooks w ON w.id = s.webhook_id
    ${isOne ? 'WHERE w.user_id = @userId' : ''} GROUP BY w.instance_id
  ) sent ON sent.instance_id = id
  LEFT JOIN (
    SELECT instance_id, COUNT(*) AS shares FROM shares
    WHERE is_active = 1 AND expires_at <= @now ${isOne ? 'AND user_id = @userId' : ''}
      AND (max_access_count IS NULL OR access_count < max_access_count)
      AND ${isOfKeptDocument}
    GROUP BY instance_id
  ) expired ON expired.instance_id = id
  ${chosen} ORDER BY created_at, id`;

function toParameters(instance: InstanceRecord): SqlParameters {
  return { ...instances.parametersOf(instance), nameFolded: fold(instance.name) };
}

export function instanceRepository(queries: Queries, ledger: InstanceLedger) {
  async function withUsage(instance: StoredInstance): Promise<InstanceRecord> {
    return { ...instance, usedBytes: await ledger.usedBytes(queries, instance.id) };
  }

  /** Below 80 % the warning is reset, so that the next crossing warns again. */
  async function resetWarning(id: string): Promise<void> {
    await queries.run(
      `UPDATE instances SET quota_warned = 0
       WHERE id = @id AND quota_warned = 1 AND @usedBytes * 5 < quota_bytes * 4`,
      { id, usedBytes: await ledger.usedBytes(queries, id) },
    );
  }

  return {
    async insert(instance: InstanceRecord) {
      await queries.run(insertion, toParameters(instance));
    },

    async find(id: string) {
      const found = await instances.find(queries, id);
      return found && withUsage(found);
    },

    async list({ instanceId, ...request }: InstanceFilter) {
      const list = await instances.list(queries, request, matching({ id: instanceId }));
      return { ...list, rows: await Promise.all(list.rows.map(withUsage)) };
    },

    /** Returns the oldest active instance. New accounts belong to it. */
    async firstActive() {
      const where = 'is_active = 1 ORDER BY created_at, id LIMIT 1';
      const found = await instances.first(queries, where, {});
      return found && withUsage(found);
    },

    async isEmpty() {
      return (await queries.get('SELECT 1 FROM instances LIMIT 1')) === undefined;
    },

    /** Writes name, region, quotaBytes, isActive and updatedAt. */
    async save(instance: InstanceRecord) {
      await queries.run(changes, toParameters(instance));
      // A higher quota, like a deletion, can take the usage below the warning level.
      await resetWarning(instance.id);
    },

    /** Stores the server version on every instance. */
    async setVersion(version: string) {
      await queries.run('UPDATE instances SET version = @version WHERE version <> @version', {
        version,
      });
    },

    /** Returns the ids of the instances with another status, the oldest first. */
    async notIn(status: InstanceStatus) {
      const rows = await queries.all<{ id: string }>(
        'SELECT id FROM instances WHERE status <> @status ORDER BY created_at, id',
        { status },
      );
      return rows.map(({ id }) => id);
    },

    async setStatus(id: string, status: InstanceStatus) {
      await queries.run('UPDATE instances SET status = @status WHERE id = @id', { id, status });
    },

    /**
     * Adds to the used bytes in memory; negative amounts subtract. Call it right after the statement that
     * changed the documents.
     *
     * @param most the used bytes that a growth must not exceed
     * @returns false when it would, with the documents that other transactions are adding. Nothing is added
     */
    async use(id: string, bytes: number, most?: number) {
      const isAdded = ledger.add(id, bytes, most);
      if (bytes < 0) await resetWarning(id);
      return isAdded;
    },

    /** Statistics of one instance and one account, or of all with null; the oldest instance first. */
    figures({ instanceId, userId, now }: ChosenFigures) {
      const { where, parameters } = matching({ id: instanceId });
      // A share expires without a write, so no counter can know it. The expired ones are counted here
      // and subtracted; they are few, because the sweeper marks them as inactive within a minute.
      return queries.all<InstanceFigures>(figures(allOf(where), userId !== null), {
        ...parameters,
        ...(userId !== null && { userId }),
        now,
      });
    },
  };
}
