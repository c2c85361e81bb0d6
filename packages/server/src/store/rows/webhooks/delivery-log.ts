import type { Queries } from '../../driver.ts';
import { matching, type SortedPageRequest } from '../../lists/listing.ts';
import { decode, type Row, Table } from '../../table.ts';
import type { AttemptRecord } from './deliveries.ts';
import {
  type DeliveryLimits,
  type DeliveryStatus,
  deliveryLimitOf,
  leastOf,
} from './delivery-counters.ts';

export interface DeliveryRecord {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly test: boolean;
  /** Whether the event belongs to another account than the webhook, or to none. */
  readonly ofOther: boolean;
  readonly status: DeliveryStatus;
  /** Number of the latest attempt; 0 before the first. */
  readonly attemptNumber: number;
  readonly statusCode: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
  readonly nextAttemptAt: number | null;
  readonly createdAt: number;
  readonly completedAt: number | null;
}

export interface LoggedAttempt extends AttemptRecord {
  readonly attemptNumber: number;
  /** Whether a caller asked for it. */
  readonly manual: boolean;
}

const sortColumns = { createdAt: 'created_at' } as const;

export interface DeliveryFilter extends SortedPageRequest<typeof sortColumns> {
  readonly webhookId: string;
  /** Whether deliveries of other accounts are left out. Default: false. */
  readonly onlyOwn?: boolean;
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
}

const deliveries = new Table<DeliveryRecord, typeof sortColumns>({
  name: 'deliveries',
  columns: `id, webhook_id, event_id, event_type, test, of_other, status, attempt_number, status_code, duration_ms,
    error, next_attempt_at, created_at, completed_at`,
  flags: ['test', 'ofOther'],
  sortColumns,
});

/** The deliveries and attempts of webhooks, for their owners to read. */
export function deliveryLogRepository(queries: Queries) {
  const { countedAtOnce } = queries.dialect;

  /** Reads each final status alone, because the index is ordered by age within a status. */
  async function removeOldest(webhookId: string, count: number): Promise<number> {
    const oldest = (status: DeliveryStatus) =>
      queries.all<{ id: string; createdAt: number }>(
        `SELECT id, created_at AS "createdAt" FROM deliveries
         WHERE webhook_id = @webhookId AND status = @status
         ORDER BY created_at, id LIMIT @count ${queries.dialect.lockFree()}`,
        { webhookId, status, count },
      );
    const finished = [...(await oldest('succeeded')), ...(await oldest('failed'))];
    const removed = finished.toSorted((a, b) => a.createdAt - b.createdAt).slice(0, count);
    return queries.run(`DELETE FROM deliveries WHERE ${queries.dialect.among('id', 'ids')}`, {
      ids: JSON.stringify(removed.map(({ id }) => id)),
    });
  }

  return {
    find: (id: string) => deliveries.find(queries, id),

    list({ webhookId, onlyOwn, status, eventType, ...request }: DeliveryFilter) {
      const ofType = matching({ event_type: eventType });
      const indexed = matching({ webhook_id: webhookId, status });
      return deliveries.list(queries, request, {
        where: [...indexed.where, ...(status === undefined ? ofType.where : [])],
        residual: [
          ...(status === undefined ? [] : ofType.where),
          ...(onlyOwn ? ['of_other = 0'] : []),
        ],
        parameters: { ...indexed.parameters, ...ofType.parameters },
        ...(Number.isFinite(countedAtOnce) && { step: countedAtOnce }),
      });
    },

    /**
     * Returns a page for each of these webhooks; undefined when they have too many deliveries for one statement: use
     * `list` for each webhook then.
     */
    async listOfEach(
      webhookIds: readonly string[],
      { onlyOwn, status, eventType, ...request }: Omit<DeliveryFilter, 'webhookId'>,
    ) {
      const counted = await queries.get<{ total: number | null }>(
        `SELECT SUM(queued_deliveries + finished_deliveries) AS total FROM current_webhook_statistics
         WHERE ${queries.dialect.among('webhook_id', 'webhookIds')}`,
        { webhookIds: JSON.stringify(webhookIds) },
      );
      if ((counted?.total ?? 0) > countedAtOnce) return undefined;
      return deliveries.listOfEach(queries, request, {
        parentColumn: 'webhook_id',
        parents: webhookIds,
        ...matching({ status, event_type: eventType, of_other: onlyOwn ? 0 : undefined }),
      });
    },

    /** Returns all deliveries, the oldest first. For tests. */
    async all() {
      const rows = await queries.all<Row>(
        `/* all rows */ SELECT ${deliveries.columns} FROM deliveries ORDER BY created_at, id`,
      );
      return rows.map((row) => deliveries.itemOf(row));
    },

    /** Returns the stored attempts of a delivery, the oldest first. */
    async attempts(deliveryId: string) {
      const rows = await queries.all<Row>(
        `SELECT attempt_number AS "attemptNumber", started_at AS "startedAt", status_code AS "statusCode",
           duration_ms AS "durationMs", error, response_body AS "responseBody", manual
         FROM delivery_attempts WHERE delivery_id = @deliveryId ORDER BY attempt_number`,
        { deliveryId },
      );
      return rows.map((row) => decode<LoggedAttempt>(row, { flags: ['manual'] }));
    },

    /**
     * Deletes the oldest finished deliveries of webhooks that have more than their limit. Returns their
     * number.
     */
    async removeExcess({ limits, limit }: { limits: DeliveryLimits; limit: number }) {
      const excesses = await queries.all<{ webhookId: string; excess: number }>(
        `SELECT webhook_id AS "webhookId", finished_deliveries - ${deliveryLimitOf('s.webhook_id')} AS excess
         FROM webhook_statistics s
         WHERE finished_deliveries > @least
           AND finished_deliveries > ${deliveryLimitOf('s.webhook_id')}
         LIMIT @limit`,
        { ...limits, least: leastOf(limits), limit },
      );
      let removed = 0;
      for (const { webhookId, excess } of excesses) {
        if (removed === limit) break;
        removed += await removeOldest(webhookId, Math.min(excess, limit - removed));
      }
      return removed;
    },

    /** Deletes deliveries of a webhook, queued ones too, with their attempts. Returns their number. */
    removeOf: ({ webhookId, limit }: { webhookId: string; limit: number }) =>
      queries.run(
        `DELETE FROM deliveries WHERE id IN (
           SELECT id FROM deliveries WHERE webhook_id = @webhookId LIMIT @limit
         )`,
        { webhookId, limit },
      ),
  };
}
