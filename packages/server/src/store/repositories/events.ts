import type { Queries } from '../driver.ts';

export interface EventRecord {
  readonly id: string;
  readonly type: string;
  /** The account whose webhooks receive it; null: only administrators. */
  readonly userId: string | null;
  readonly instanceId: string;
  /** The envelope, serialized once. Every delivery sends these bytes. */
  readonly body: string;
  readonly createdAt: number;
  /** The event is kept at least until then, and while it has deliveries. Epoch milliseconds. */
  readonly keepUntil: number;
}

export interface EventRepository {
  insert(event: EventRecord): Promise<void>;
  find(id: string): Promise<EventRecord | undefined>;
  /**
   * Removes events whose retention has ended and that have no deliveries. Keeps the others until
   * `keepUntil`.
   *
   * @returns the number of events that were removed or kept
   */
  removeEnded(events: { now: number; keepUntil: number; limit: number }): Promise<number>;
  /** Returns all events, the oldest first. For tests. */
  all(): Promise<EventRecord[]>;
}

const columns =
  'id, type, user_id AS "userId", instance_id AS "instanceId", body, created_at AS "createdAt", keep_until AS "keepUntil"';

export function eventRepository(queries: Queries): EventRepository {
  return {
    async insert(event) {
      await queries.run(
        `INSERT INTO events (id, type, user_id, instance_id, body, created_at, keep_until)
         VALUES (@id, @type, @userId, @instanceId, @body, @createdAt, @keepUntil)`,
        { ...event },
      );
    },

    find: (id) => queries.get<EventRecord>(`SELECT ${columns} FROM events WHERE id = @id`, { id }),

    all: () =>
      queries.all<EventRecord>(
        `/* all rows */ SELECT ${columns} FROM events ORDER BY created_at, id`,
      ),

    async removeEnded({ now, keepUntil, limit }) {
      const rows = await queries.all<{ id: string; needed: number }>(
        `SELECT id, CASE WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id) THEN 1 ELSE 0 END AS needed
         FROM events e WHERE keep_until <= @now ORDER BY keep_until LIMIT CAST(@limit AS INTEGER)`,
        { now, limit },
      );
      for (const { id, needed } of rows) {
        await (needed === 1
          ? queries.run('UPDATE events SET keep_until = @keepUntil WHERE id = @id', {
              id,
              keepUntil,
            })
          : queries.run('DELETE FROM events WHERE id = @id', { id }));
      }
      return rows.length;
    },
  };
}
