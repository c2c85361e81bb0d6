import type { Queries } from '../driver.ts';
import { matching } from '../lists/listing.ts';

/** What one instance holds. */
export interface InstanceFigures {
  readonly instanceId: string;
  readonly vaults: number;
  readonly documents: number;
  readonly usedBytes: number;
  /** Shares that can still be used. */
  readonly activeShares: number;
  readonly webhooks: number;
  /** Deliveries by status, tests left out. */
  readonly pending: number;
  readonly retrying: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface Figures {
  /** Of one instance, or of every instance with null; oldest first. */
  read(instanceId: string | null, now: number): Promise<InstanceFigures[]>;
}

const columns = `id AS "instanceId", vaults, documents, used_bytes AS "usedBytes",
  usable_shares - COALESCE(expired.shares, 0) AS "activeShares", webhooks, pending_deliveries AS pending,
  retrying_deliveries AS retrying, succeeded_deliveries AS succeeded, failed_deliveries AS failed`;

export function figures(queries: Queries): Figures {
  return {
    read(instanceId, now) {
      const { where, parameters } = matching({ id: instanceId ?? undefined });
      // Time alone ends a share, so that no counter can know of it. What has expired is counted here and
      // taken off: it is little, since the sweeper soon marks it as inactive.
      return queries.all<InstanceFigures>(
        `/* all rows */ SELECT ${columns} FROM instances LEFT JOIN (
           SELECT instance_id, COUNT(*) AS shares FROM shares
           WHERE is_active = 1 AND expires_at <= @now
             AND (max_access_count IS NULL OR access_count < max_access_count)
           GROUP BY instance_id
         ) expired ON expired.instance_id = id
         ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY created_at, id`,
        { ...parameters, now },
      );
    },
  };
}
