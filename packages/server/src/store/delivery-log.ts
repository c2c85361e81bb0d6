import type { Queries } from './driver.ts';

export interface WebhookStatistics {
  readonly totalDeliveries: number;
  readonly failedDeliveries: number;
  /** Of the latest attempt that failed. */
  readonly lastError: string | null;
  /** When the latest attempt started. */
  readonly lastDeliveryAt: number | null;
}

/** What became of deliveries, for people to read. */
export interface DeliveryLog {
  /** Test deliveries do not count. */
  statistics(webhookId: string): Promise<WebhookStatistics>;
}

export function deliveryLog(queries: Queries): DeliveryLog {
  return {
    async statistics(webhookId) {
      const counts = await queries.get<{ total: number; failed: number }>(
        `SELECT COUNT(*) AS total, COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed
         FROM deliveries WHERE webhook_id = @webhookId AND test = 0`,
        { webhookId },
      );
      const attempts = `FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id
         WHERE d.webhook_id = @webhookId AND d.test = 0`;
      const latest = await queries.get<{ startedAt: number }>(
        `SELECT a.started_at AS "startedAt" ${attempts} ORDER BY a.started_at DESC LIMIT 1`,
        { webhookId },
      );
      const failed = await queries.get<{ error: string }>(
        `SELECT a.error AS error ${attempts} AND a.error IS NOT NULL ORDER BY a.started_at DESC LIMIT 1`,
        { webhookId },
      );
      return {
        totalDeliveries: counts?.total ?? 0,
        failedDeliveries: counts?.failed ?? 0,
        lastError: failed?.error ?? null,
        lastDeliveryAt: latest?.startedAt ?? null,
      };
    },
  };
}
