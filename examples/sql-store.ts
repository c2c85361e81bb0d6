/**
 * Stores which webhook events have been handled, in a SQLite file that processes can share.
 *
 * Prerequisites: `npm install @document-vault/webhook-verify`, Node 22.13 or newer.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { EventStore } from '@document-vault/webhook-verify';

/** Time after which the claim of a crashed process expires, in milliseconds. */
const lease = 5 * 60_000;
/** Time that a handled event stays stored, in milliseconds: as long as `maxAge` accepts it. */
const memory = 31 * 24 * 60 * 60_000;

/**
 * A claim of `NULL` stands for an event that is done. Rows past their `expires_at` may be deleted
 * at any time.
 */
export function sqlStore(database: DatabaseSync): EventStore {
  // Waits for a process that is writing; by default SQLite fails at once.
  database.exec('PRAGMA busy_timeout = 5000');
  database.exec(`CREATE TABLE IF NOT EXISTS webhook_events
    (id TEXT PRIMARY KEY, claim TEXT, expires_at BIGINT NOT NULL)`);
  const take = database.prepare(`INSERT INTO webhook_events VALUES (:id, :claim, :expiresAt)
    ON CONFLICT (id) DO UPDATE SET claim = excluded.claim, expires_at = excluded.expires_at
    WHERE webhook_events.expires_at <= :now RETURNING id`);
  const find = database.prepare('SELECT id FROM webhook_events WHERE id = :id AND claim IS NULL');
  const complete = database.prepare(`INSERT INTO webhook_events VALUES (:id, NULL, :expiresAt)
    ON CONFLICT (id) DO UPDATE SET claim = NULL, expires_at = excluded.expires_at`);
  const release = database.prepare('DELETE FROM webhook_events WHERE id = :id AND claim = :claim');
  return {
    claim(id, claim) {
      const now = Date.now();
      if (take.get({ id, claim, now, expiresAt: now + lease }) !== undefined) return 'claimed';
      return find.get({ id }) !== undefined ? 'done' : 'running';
    },
    complete: (id) => complete.run({ id, expiresAt: Date.now() + memory }),
    release: (id, claim) => release.run({ id, claim }),
  };
}
