import type { Queries } from '../../driver.ts';

/** What happened in an hour. */
export interface ActivityCounts {
  readonly requests: number;
  /** Deliveries that ended, without test deliveries. */
  readonly succeeded: number;
  readonly failed: number;
}

/** What a server has counted for an instance. */
export interface CountedActivity extends ActivityCounts {
  readonly instanceId: string;
  /** Begin of the hour, epoch milliseconds. */
  readonly hour: number;
}

/** Figures of an hour. */
export interface HistoryRecord extends ActivityCounts {
  readonly hour: number;
  /** When the hour was first recorded. */
  readonly documents: number;
  readonly usedBytes: number;
}

/** Sums over all accounts, once an hour. */
const begin = `/* all rows */ INSERT INTO instance_history
    (instance_id, hour, documents, used_bytes, requests, succeeded, failed)
  SELECT i.id, @hour, COALESCE(SUM(a.documents), 0), COALESCE(SUM(a.total_size), 0), 0, 0, 0
  FROM instances i LEFT JOIN account_usage a ON a.instance_id = i.id
  WHERE NOT EXISTS (SELECT 1 FROM instance_history h WHERE h.instance_id = i.id AND h.hour = @hour)
  GROUP BY i.id
  ON CONFLICT (instance_id, hour) DO NOTHING`;

export function instanceHistoryRepository(queries: Queries) {
  /** Records the documents of every instance for an hour that has no record. */
  async function beginHour(hour: number): Promise<void> {
    await queries.run(begin, { hour });
  }

  return {
    begin: beginHour,

    /** Adds to the record of an hour. Without a record, it begins the hour. */
    async add(counted: CountedActivity) {
      const update = () =>
        queries.run(
          `UPDATE instance_history SET requests = requests + @requests,
             succeeded = succeeded + @succeeded, failed = failed + @failed
           WHERE instance_id = @instanceId AND hour = @hour`,
          { ...counted },
        );
      if ((await update()) > 0) return;
      await beginHour(counted.hour);
      await update();
    },

    /** Returns the records of an instance from one time to another, which is excluded, the earliest first. */
    between: ({ instanceId, from, to }: { instanceId: string; from: number; to: number }) =>
      queries.all<HistoryRecord>(
        `SELECT hour, documents, used_bytes AS "usedBytes", requests, succeeded, failed
         FROM instance_history WHERE instance_id = @instanceId AND hour >= @from AND hour < @to
         ORDER BY hour`,
        { instanceId, from, to },
      ),
  };
}
