import type { Driver, LeaseRequest, Leases } from '../driver.ts';

/** The clock of the database, in epoch milliseconds: the clocks of the processes may differ. */
const now = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)';

/** The first key of the lock under which a free lease is taken: the letters `dvle`. The second one is the name. */
const acquisitionLock = 0x64_76_6c_65;

/** Leases as rows. No process waits for another one that takes the same lease: it does not get the lease. */
export function createLeases(driver: Pick<Driver, 'transaction'>): Leases {
  return {
    take: ({ names, holder, durationMs }: LeaseRequest) =>
      driver.transaction(async (queries) => {
        const taken = await queries.all<{ name: string }>(
          `INSERT INTO leases (name, holder, expires_at)
           SELECT value, @holder, ${now} + @durationMs
           FROM (${queries.dialect.elements('names')}) wanted LEFT JOIN leases l ON l.name = value
           WHERE CASE WHEN l.holder = @holder THEN TRUE WHEN l.expires_at > ${now} THEN FALSE
             ELSE pg_try_advisory_xact_lock(${acquisitionLock}, HASHTEXT(value)) END
           ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
           WHERE leases.holder = excluded.holder OR leases.expires_at <= ${now}
           RETURNING name`,
          { names: JSON.stringify(names), holder, durationMs },
        );
        return new Set(taken.map(({ name }) => name));
      }),

    async release({ names, holder }) {
      await driver.transaction((queries) =>
        queries.run(
          `DELETE FROM leases WHERE holder = @holder AND ${queries.dialect.among('name', 'names')}`,
          { names: JSON.stringify(names), holder },
        ),
      );
    },

    removeExpired: (limit) =>
      driver.transaction((queries) =>
        queries.run(
          `DELETE FROM leases WHERE name IN (
             SELECT name FROM leases WHERE expires_at <= ${now}
             LIMIT @limit FOR UPDATE SKIP LOCKED)`,
          { limit },
        ),
      ),
  };
}
