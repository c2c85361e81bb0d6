import type { Queries } from './driver.ts';

export interface EventRecord {
  readonly id: string;
  readonly type: string;
  /** The account whose webhooks hear of it; null: administrators' alone. */
  readonly userId: string | null;
  readonly instanceId: string;
  /** The envelope, serialised once: every delivery sends these bytes. */
  readonly body: string;
  readonly createdAt: number;
}

export interface Events {
  insert(event: EventRecord): Promise<void>;
  find(id: string): Promise<EventRecord | undefined>;
}

export function events(queries: Queries): Events {
  return {
    async insert(event) {
      await queries.run(
        `INSERT INTO events (id, type, user_id, instance_id, body, created_at)
         VALUES (@id, @type, @userId, @instanceId, @body, @createdAt)`,
        { ...event },
      );
    },

    find: (id) =>
      queries.get<EventRecord>(
        `SELECT id, type, user_id AS "userId", instance_id AS "instanceId", body, created_at AS "createdAt"
         FROM events WHERE id = @id`,
        { id },
      ),
  };
}
