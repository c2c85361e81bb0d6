import type { Queries } from '../../driver.ts';

interface Removal {
  readonly key: string;
  readonly time: string;
  readonly condition?: string;
}

/** The tables whose rows are removed some time after the time in a column. */
const removals = {
  api_keys: { key: 'key_id', time: 'revoked_at' },
  deliveries: { key: 'id', time: 'completed_at' },
  idempotency_outcomes: { key: 'user_id, call_hash', time: 'created_at' },
  instance_history: { key: 'instance_id, hour', time: 'hour' },
  login_places: { key: 'user_id, network', time: 'last_login_at' },
  oauth_artifacts: { key: 'id_hash', time: 'expires_at' },
  refresh_tokens: { key: 'hash', time: 'expires_at' },
  sessions: {
    key: 'id',
    time: 'expires_at',
    condition: 'NOT EXISTS (SELECT 1 FROM refresh_tokens WHERE session_id = sessions.id)',
  },
} as const satisfies Readonly<Record<string, Removal>>;

export function retentionRepository(queries: Queries) {
  return {
    /**
     * Deletes at most `limit` rows whose time is `until` or earlier, the earliest first, with everything that belongs to
     * them.
     *
     * @returns their number
     */
    remove(table: keyof typeof removals, until: number, limit: number) {
      const { key, time, condition }: Removal = removals[table];
      return queries.run(
        `DELETE FROM ${table} WHERE (${key}) IN (
           SELECT ${key} FROM ${table} WHERE ${time} <= @until ${condition ? `AND ${condition}` : ''}
           ORDER BY ${time} LIMIT @limit ${queries.dialect.lockFree()}
         )`,
        { until, limit },
      );
    },
  };
}
