import type { Queries } from '../driver.ts';
import type { DeliveryStatus } from './delivery-status.ts';

/** By how many deliveries in that status there are more, or with a negative number fewer. */
export type DeliveryChanges = Partial<Record<DeliveryStatus, number>>;

/**
 * How many deliveries an instance has in each status, those of test events apart. Counted by whoever
 * changes them, many with one statement: a trigger for each row would cost as much as the row. Only
 * removed deliveries are counted by a trigger, since they may go with their webhook.
 */
export interface DeliveryCounts {
  /** @param webhookId of the deliveries; they belong to its instance */
  add(webhookId: string, changes: DeliveryChanges): Promise<void>;
}

export function deliveryCounts(queries: Queries): DeliveryCounts {
  return {
    async add(webhookId, { pending = 0, retrying = 0, succeeded = 0, failed = 0 }) {
      await queries.run(
        `UPDATE instances SET
           pending_deliveries = pending_deliveries + @pending,
           retrying_deliveries = retrying_deliveries + @retrying,
           succeeded_deliveries = succeeded_deliveries + @succeeded,
           failed_deliveries = failed_deliveries + @failed
         WHERE id = (SELECT instance_id FROM webhooks WHERE id = @webhookId)`,
        { webhookId, pending, retrying, succeeded, failed },
      );
    },
  };
}

/** What moving deliveries from one status to another changes. */
export function moves(
  deliveries: readonly { readonly from: DeliveryStatus; readonly to: DeliveryStatus }[],
): DeliveryChanges {
  const changes: DeliveryChanges = {};
  for (const { from, to } of deliveries) {
    changes[from] = (changes[from] ?? 0) - 1;
    changes[to] = (changes[to] ?? 0) + 1;
  }
  return changes;
}
