import type { Queries } from '../driver.ts';
import { deliveryCounts } from './delivery-counts.ts';
import type { DeliveryStatus } from './delivery-status.ts';
import { webhookCounters } from './webhook-statistics.ts';

export interface RetriedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly status: DeliveryStatus;
}

export interface FailedDeliveries {
  readonly webhookId: string;
  /** Only those with a larger id. */
  readonly after: string;
  readonly limit: number;
  readonly now: number;
}

/** Attempts that callers ask for. They are due at once and go the way of the others. */
export interface DeliveryRetries {
  /** Opens a finished delivery for one more attempt, or has the attempt that waits made now. */
  retry(delivery: RetriedDelivery, now: number): Promise<void>;
  /**
   * Opens failed deliveries, test deliveries apart, in the order of their ids, for one more attempt
   * each; answers their ids.
   */
  reopenFailed(deliveries: FailedDeliveries): Promise<string[]>;
  /** Whether an attempt that `reopenFailed` has made due is still to end. */
  isReopening(webhookId: string): Promise<boolean>;
}

export function deliveryRetries(queries: Queries): DeliveryRetries {
  const counters = webhookCounters(queries);
  const counts = deliveryCounts(queries);

  async function countReopened(webhookId: string, status: 'succeeded' | 'failed', count: number) {
    if (status === 'failed') await counters.countReopened(webhookId, count);
    await counts.add(webhookId, { [status]: -count, retrying: count });
  }

  return {
    async retry({ id, webhookId, status }, now) {
      await queries.run(
        `UPDATE deliveries SET
           retry = CASE WHEN completed_at IS NOT NULL THEN 'once' WHEN retry IS NULL THEN 'next' ELSE retry END,
           status = CASE WHEN completed_at IS NOT NULL THEN 'retrying' ELSE status END,
           next_attempt_at = CASE WHEN next_attempt_at < @now THEN next_attempt_at ELSE @now END,
           completed_at = NULL
         WHERE id = @id`,
        { id, now },
      );
      if (status === 'succeeded' || status === 'failed') await countReopened(webhookId, status, 1);
    },

    async reopenFailed({ webhookId, after, limit, now }) {
      const rows = await queries.all<{ id: string }>(
        `SELECT id FROM deliveries
         WHERE webhook_id IN (@webhookId) AND status = 'failed' AND test = 0 AND id > @after
         ORDER BY id LIMIT CAST(@limit AS INTEGER)`,
        { webhookId, after, limit },
      );
      for (const { id } of rows) {
        await queries.run(
          `UPDATE deliveries SET status = 'retrying', retry = 'bulk', next_attempt_at = @now, completed_at = NULL
           WHERE id = @id`,
          { id, now },
        );
      }
      if (rows.length > 0) await countReopened(webhookId, 'failed', rows.length);
      return rows.map(({ id }) => id);
    },

    async isReopening(webhookId) {
      const open = await queries.get(
        `SELECT 1 FROM deliveries WHERE webhook_id IN (@webhookId) AND retry = 'bulk' LIMIT 1`,
        { webhookId },
      );
      return open !== undefined;
    },
  };
}
