import type { Queries } from '../../driver.ts';
import { findRows } from '../../lists/listing-of-each.ts';
import type { Tier } from '../accounts/users.ts';

/**
 * How many deliveries a webhook may have queued, and how many finished ones it keeps, by the tier of
 * its account.
 */
export type DeliveryLimits = Readonly<Record<Tier, number>>;

/** Returns the limit of a webhook as SQL with the parameters of `DeliveryLimits`. */
export function deliveryLimitOf(webhookId: string): string {
  return `(SELECT CASE u.tier WHEN 'free' THEN @free WHEN 'paid' THEN @paid ELSE @enterprise END
    FROM webhooks w JOIN users u ON u.id = w.user_id WHERE w.id = ${webhookId})`;
}

/** `pending`: not attempted yet. `retrying`: another attempt follows. The others are final. */
export type DeliveryStatus = 'pending' | 'retrying' | 'succeeded' | 'failed';

/** Returns the deltas of deliveries that change their status. */
function statusDeltas(
  deliveries: readonly { readonly from: DeliveryStatus; readonly to: DeliveryStatus }[],
): Record<DeliveryStatus, number> {
  const deltas = { pending: 0, retrying: 0, succeeded: 0, failed: 0 };
  for (const { from, to } of deliveries) {
    deltas[from] -= 1;
    deltas[to] += 1;
  }
  return deltas;
}

/** Counted since the webhook was registered, without test deliveries. */
export interface WebhookStatistics {
  readonly totalDeliveries: number;
  /** Deliveries that failed for good and were not retried since. */
  readonly failedDeliveries: number;
  /** Events that were dropped because the queue was full. */
  readonly droppedDeliveries: number;
  readonly lastDroppedAt: number | null;
  /** The error of the latest failed attempt. */
  readonly lastError: string | null;
  /** When the latest attempt started. */
  readonly lastDeliveryAt: number | null;
  /** Failed attempts since the latest success. */
  readonly consecutiveFailures: number;
  /** When the first of them started. */
  readonly failingSince: number | null;
  /** When the latest successful attempt started. */
  readonly lastSuccessAt: number | null;
  /** When the delivery was created that has waited longest for its next attempt. */
  readonly oldestPendingAt: number | null;
}

/** A new delivery, queued or dropped. */
export interface CountedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly test: boolean;
  readonly byOthers?: boolean;
}

/** The facts of an attempt that the statistics use. */
export interface CountedAttempt {
  readonly startedAt: number;
  /** Null when the receiver acknowledged the delivery. */
  readonly error: string | null;
  /** The status of the delivery before and after the attempt. */
  readonly from: DeliveryStatus;
  readonly to: DeliveryStatus;
  /** Whether the delivery ended with this attempt, for the first time. */
  readonly leftQueue: boolean;
  /** Whether it is a test delivery. Those count for the queue, not in the statistics. */
  readonly test: boolean;
}

/** The failures since the latest success. */
type Run = Pick<WebhookStatistics, 'consecutiveFailures' | 'failingSince' | 'lastSuccessAt'>;

/** Maximum number of deliveries of a webhook that are counted later. Each read of its statistics reads them. */
const maxUncounted = 100;

const columns = `total_deliveries AS "totalDeliveries", failed_deliveries AS "failedDeliveries",
  dropped_deliveries AS "droppedDeliveries", last_dropped_at AS "lastDroppedAt",
  last_error AS "lastError", last_delivery_at AS "lastDeliveryAt",
  consecutive_failures AS "consecutiveFailures", failing_since AS "failingSince",
  last_success_at AS "lastSuccessAt",
  (SELECT MIN(d.created_at) FROM deliveries d WHERE d.webhook_id = current_webhook_statistics.webhook_id
    AND d.next_attempt_at IS NOT NULL AND d.test = 0) AS "oldestPendingAt"`;

/** How many deliveries of a webhook are not counted yet. */
interface Uncounted {
  readonly uncounted: number;
}

const uncounted =
  '(SELECT COUNT(*) FROM uncounted_deliveries n WHERE n.webhook_id = @webhookId) AS uncounted';

const none: WebhookStatistics = {
  totalDeliveries: 0,
  failedDeliveries: 0,
  droppedDeliveries: 0,
  lastDroppedAt: null,
  lastError: null,
  lastDeliveryAt: null,
  consecutiveFailures: 0,
  failingSince: null,
  lastSuccessAt: null,
  oldestPendingAt: null,
};

/**
 * Statistics per webhook. Reading them has a constant cost, and they outlive the deliveries that retention removes.
 * The transaction of an attempt updates the row of its webhook. The transactions that queue deliveries belong to many
 * accounts and must not wait for each other at that row: each adds a row to `uncounted_deliveries`. The next attempt
 * counts these rows. So does a transaction that adds a hundredth row, unless another one has locked the statistics.
 * Readers see both. A trigger counts deleted deliveries, because they can cascade from a webhook.
 */
export function webhookStatisticsRepository(queries: Queries) {
  /**
   * Adds the new deliveries of a webhook to its row.
   *
   * @param lock the end of a SELECT. With `lockFree`, nothing is counted while another transaction has the row
   * @returns the locked row; undefined for a deleted webhook, and while another transaction has the row
   */
  async function countNew(webhookId: string, lock: string): Promise<Run | undefined> {
    const row = await queries.get<Run>(
      `SELECT consecutive_failures AS "consecutiveFailures", failing_since AS "failingSince",
         last_success_at AS "lastSuccessAt" FROM webhook_statistics WHERE webhook_id = @webhookId ${lock}`,
      { webhookId },
    );
    if (row === undefined) return undefined;
    const deliveries = await queries.all<{ test: number; droppedAt: number | null }>(
      `DELETE FROM uncounted_deliveries WHERE webhook_id = @webhookId
       RETURNING test, dropped_at AS "droppedAt"`,
      { webhookId },
    );
    if (deliveries.length === 0) return row;
    const queued = deliveries.filter(({ droppedAt }) => droppedAt === null);
    const drops = deliveries.flatMap(({ droppedAt }) => droppedAt ?? []);
    await queries.run(
      `UPDATE webhook_statistics SET total_deliveries = total_deliveries + @counted, pending = pending + @counted,
         queued_deliveries = queued_deliveries + @queued, dropped_deliveries = dropped_deliveries + @dropped,
         full_since = COALESCE(full_since, @firstDrop), last_dropped_at = COALESCE(@lastDrop, last_dropped_at)
       WHERE webhook_id = @webhookId`,
      {
        webhookId,
        counted: queued.filter(({ test }) => test === 0).length,
        queued: queued.length,
        dropped: drops.length,
        firstDrop: drops.length === 0 ? null : Math.min(...drops),
        lastDrop: drops.length === 0 ? null : Math.max(...drops),
      },
    );
    return row;
  }

  /** Other accounts add deliveries meanwhile, and wait for nothing. */
  async function countMany(webhookId: string, { uncounted }: Uncounted): Promise<void> {
    if (uncounted >= maxUncounted) await countNew(webhookId, queries.dialect.lockFree());
  }

  return {
    async find(webhookId: string) {
      const counted = await queries.get<WebhookStatistics>(
        `SELECT ${columns} FROM current_webhook_statistics WHERE webhook_id = @webhookId`,
        { webhookId },
      );
      return counted ?? none;
    },

    /** Reads several webhooks with one statement and returns a function from id to statistics. */
    async findMany(webhookIds: readonly string[]) {
      const table = 'current_webhook_statistics';
      const rows = await findRows<WebhookStatistics & { readonly webhookId: string }>(
        queries,
        { table, columns: `webhook_id AS "webhookId", ${columns}`, key: 'webhook_id' },
        webhookIds,
      );
      const found = new Map(rows.map(({ webhookId, ...counted }) => [webhookId, counted]));
      return (webhookId: string) => found.get(webhookId) ?? none;
    },

    /**
     * Counts a delivery into the queue. Returns false, and counts nothing, when the queue is full, or half
     * full for a delivery that others cause. Transactions that run at the same time do not see each other's deliveries:
     * each of them can exceed the limit by its own.
     */
    async enqueue(
      { id, webhookId, test, byOthers = false }: CountedDelivery,
      limits: DeliveryLimits,
    ) {
      const queued = await queries.get<Uncounted>(
        `INSERT INTO uncounted_deliveries (webhook_id, delivery_id, test)
         SELECT s.webhook_id, @id, CAST(@test AS BIGINT) FROM current_webhook_statistics s
         WHERE s.webhook_id = @webhookId AND (s.queued_deliveries * @parts < @least
           OR s.queued_deliveries * @parts < ${deliveryLimitOf('@webhookId')})
         RETURNING ${uncounted}`,
        // Below the lowest limit, the statement does not read the tier.
        {
          id,
          webhookId,
          test: test ? 1 : 0,
          parts: byOthers ? 2 : 1,
          ...limits,
          least: leastOf(limits),
        },
      );
      if (queued === undefined) return false;
      await countMany(webhookId, queued);
      return true;
    },

    /**
     * Counts a delivery that was not queued.
     * @returns whether it is the first one since the queue was last empty, as far as this transaction sees
     */
    async countDropped({ id, webhookId, test }: CountedDelivery, now: number) {
      const full = await queries.get(
        `SELECT 1 FROM current_webhook_statistics
         WHERE webhook_id = @webhookId AND full_since IS NOT NULL`,
        { webhookId },
      );
      const dropped = await queries.get<Uncounted>(
        `INSERT INTO uncounted_deliveries (webhook_id, delivery_id, test, dropped_at)
         VALUES (@webhookId, @id, @test, @now) RETURNING ${uncounted}`,
        { webhookId, id, test: test ? 1 : 0, now },
      );
      if (dropped) await countMany(webhookId, dropped);
      return full === undefined;
    },

    async countAttempts(webhookId: string, attempts: readonly CountedAttempt[]) {
      // A delivery must not fail before it is counted.
      const run = await countNew(webhookId, queries.dialect.lock());
      if (!run) return;
      const seen = attempts.filter(({ test }) => !test);
      await queries.run(
        `UPDATE webhook_statistics SET
           failed_deliveries = failed_deliveries + @gaveUp,
           pending = pending + @pending, retrying = retrying + @retrying,
           succeeded = succeeded + @succeeded, failed = failed + @failed,
           queued_deliveries = queued_deliveries - @leftQueue,
           finished_deliveries = finished_deliveries + @leftQueue,
           full_since = CASE WHEN queued_deliveries > @leftQueue THEN full_since END,
           last_delivery_at = CASE WHEN last_delivery_at > @startedAt THEN last_delivery_at
             ELSE COALESCE(@startedAt, last_delivery_at) END,
           consecutive_failures = @consecutiveFailures, failing_since = @failingSince,
           last_success_at = @lastSuccessAt
         WHERE webhook_id = @webhookId`,
        {
          webhookId,
          gaveUp: seen.filter(({ to }) => to === 'failed').length,
          ...statusDeltas(seen),
          leftQueue: attempts.filter(({ leftQueue }) => leftQueue).length,
          startedAt: seen.length === 0 ? null : Math.max(...seen.map((one) => one.startedAt)),
          ...runAfter(run, seen),
        },
      );
      const failure = latestFailure(seen);
      if (failure === undefined) return;
      await queries.run(
        `UPDATE webhook_statistics SET last_error = @error, last_error_at = @startedAt
         WHERE webhook_id = @webhookId AND (last_error_at IS NULL OR last_error_at <= @startedAt)`,
        { webhookId, startedAt: failure.startedAt, error: failure.error },
      );
    },

    /** Counts ended deliveries that are retried. */
    async countReopened(webhookId: string, from: 'succeeded' | 'failed', count: number) {
      await queries.run(
        from === 'failed'
          ? `UPDATE webhook_statistics SET failed_deliveries = failed_deliveries - @count,
               failed = failed - @count, retrying = retrying + @count
             WHERE webhook_id = @webhookId`
          : `UPDATE webhook_statistics SET succeeded = succeeded - @count, retrying = retrying + @count
             WHERE webhook_id = @webhookId`,
        { webhookId, count },
      );
    },

    /** Counts the deliveries of all webhooks that have not ended, without test deliveries. */
    async countOpen() {
      const counted = await queries.get<{ open: number }>(
        `/* all rows */ SELECT COALESCE(SUM(pending + retrying), 0) AS open FROM current_webhook_statistics`,
      );
      return counted?.open ?? 0;
    },
  };
}

export function leastOf(limits: DeliveryLimits): number {
  return Math.min(...Object.values(limits));
}

/**
 * Returns the run with further attempts. They are recorded when they end: a slow one can have started before the latest
 * success, or before the failures since then. Then it changes nothing.
 */
function runAfter(run: Run, attempts: readonly CountedAttempt[]): Run {
  let { consecutiveFailures, failingSince, lastSuccessAt } = run;
  for (const { error, startedAt } of attempts.toSorted((a, b) => a.startedAt - b.startedAt)) {
    if (lastSuccessAt !== null && startedAt < lastSuccessAt) continue;
    if (error !== null) {
      consecutiveFailures += 1;
      failingSince ??= startedAt;
    } else {
      lastSuccessAt = startedAt;
      if (failingSince !== null && startedAt < failingSince) continue;
      consecutiveFailures = 0;
      failingSince = null;
    }
  }
  return { consecutiveFailures, failingSince, lastSuccessAt };
}

/** Of attempts that started at the same millisecond, the last one counts. */
function latestFailure(attempts: readonly CountedAttempt[]): CountedAttempt | undefined {
  const inOrder = attempts.toSorted((a, b) => a.startedAt - b.startedAt);
  return inOrder.findLast(({ error }) => error !== null);
}
