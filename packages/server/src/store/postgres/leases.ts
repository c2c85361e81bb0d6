import type { Driver, Lease, Leases } from '../driver.ts';

/** The clock of the database, in epoch milliseconds: the clocks of the processes may differ. */
const now = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)';

/** Leases as rows. */
export function createLeases(driver: Pick<Driver, 'transaction'>): Leases {
  return {
    async take({ name, holder, durationMs }: Lease) {
      const taken = await driver.transaction((queries) =>
        queries.run(
          `INSERT INTO leases (name, holder, expires_at) VALUES (@name, @holder, ${now} + @durationMs)
           ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
           WHERE leases.holder = excluded.holder OR leases.expires_at <= ${now}`,
          { name, holder, durationMs },
        ),
      );
      return taken > 0;
    },

    async release({ name, holder }) {
      await driver.transaction((queries) =>
        queries.run('DELETE FROM leases WHERE name = @name AND holder = @holder', { name, holder }),
      );
    },
  };
}
