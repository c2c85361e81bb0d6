import type { Queries } from './driver.ts';
import { webhookCounters } from './webhook-statistics.ts';

export type DeliveryStatus = 'pending' | 'retrying' | 'succeeded' | 'failed';

/**
 * How a caller has asked for an attempt: in the place of the next automatic one, once more after the
 * end, or once more together with all that have failed.
 */
export type Retry = 'next' | 'once' | 'bulk';

export interface NewDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly test: boolean;
  readonly createdAt: number;
}

/** What one attempt needs to know. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** How many attempts came before; the one that is due is the next number. */
  readonly attemptNumber: number;
  readonly test: boolean;
  /** null: nobody has asked for this attempt. */
  readonly retry: Retry | null;
  readonly url: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The event as it was serialised when it happened. */
  readonly body: string;
}

/** How one attempt went. */
export interface AttemptRecord {
  readonly startedAt: number;
  /** null: there was no answer. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** A short sentence; null: the receiver has acknowledged. */
  readonly error: string | null;
  /** The beginning of the answer's body; null: there was no answer. */
  readonly responseBody: string | null;
}

/** What an attempt makes of its delivery. */
export type AttemptOutcome =
  | { readonly status: 'succeeded' | 'failed'; readonly completedAt: number }
  | { readonly status: 'retrying'; readonly nextAttemptAt: number };

export interface ClaimOptions {
  readonly now: number;
  /** The most attempts at once for one webhook. */
  readonly webhookLimit: number;
  /** The most deliveries to claim. */
  readonly total: number;
  /** Attempts that run already, by webhook. */
  readonly busy: ReadonlyMap<string, number>;
  /** The webhook that was served last: the round goes on with the one after it. */
  readonly after?: string | undefined;
}

/** The queue of deliveries. A claimed delivery is out of it until its attempt is recorded. */
export interface Deliveries {
  /** Queues new deliveries, due at once. */
  insert(deliveries: readonly NewDelivery[]): Promise<void>;
  /** Claims due deliveries of active webhooks, in turns over the webhooks, oldest due first in each. */
  claimDue(options: ClaimOptions): Promise<ClaimedDelivery[]>;
  /** The earliest moment after `now` at which a delivery of an active webhook becomes due. */
  nextDueAt(now: number): Promise<number | undefined>;
  /**
   * Logs the attempt, gives the delivery its new state and releases the claim. A delivery that has
   * been removed meanwhile, or whose attempt is recorded already, is left alone.
   */
  recordAttempt(
    claimed: ClaimedDelivery,
    attempt: AttemptRecord,
    outcome: AttemptOutcome,
  ): Promise<void>;
  /**
   * Since when a delivery has been due to an active webhook to which nothing is being sent at the
   * moment; the earliest such moment. A queue that its own slow receiver holds up is not among them.
   */
  waitingSince(now: number): Promise<number | undefined>;
  /** How many deliveries have not ended, those of test events apart. */
  countOpen(): Promise<number>;
  /** Makes due again whatever a process that ended had claimed; answers how many deliveries that were. */
  releaseClaims(): Promise<number>;
}

const queued = 'next_attempt_at IS NOT NULL AND claimed = 0';

/** The webhooks that have a queue, by leaps over the index: how long one is does not matter. */
const queues = `WITH RECURSIVE queues (webhook_id) AS (
    SELECT MIN(webhook_id) FROM deliveries WHERE ${queued}
    UNION ALL
    SELECT (SELECT MIN(webhook_id) FROM deliveries WHERE ${queued} AND webhook_id > q.webhook_id)
    FROM queues q WHERE q.webhook_id IS NOT NULL
  )`;

/** When the head of the queue of webhook `w` is due. */
const headDueAt = `(SELECT MIN(next_attempt_at) FROM deliveries WHERE ${queued} AND webhook_id = w.id)`;

type ClaimedRow = Omit<ClaimedDelivery, 'test' | 'headers'> & {
  readonly test: number;
  readonly headers: string | null;
};

export function deliveries(queries: Queries): Deliveries {
  const counters = webhookCounters(queries);

  /** Active webhooks with something due, from the one behind `after` once around. */
  async function webhooksDue(now: number, after: string): Promise<readonly string[]> {
    const rows = await queries.all<{ id: string }>(
      `${queues} SELECT w.id AS id FROM queues q JOIN webhooks w ON w.id = q.webhook_id
       WHERE w.active = 1 AND ${headDueAt} <= @now`,
      { now },
    );
    const ids = rows.map(({ id }) => id).sort();
    return [...ids.filter((id) => id > after), ...ids.filter((id) => id <= after)];
  }

  async function claim(webhookId: string, now: number, limit: number): Promise<ClaimedDelivery[]> {
    // Behind IN and CAST, since SQLite plans a statement anew, for several times the cost of running
    // it, whenever a value comes that it may have planned for: in an ordered equality, or as a LIMIT.
    const rows = await queries.all<ClaimedRow>(
      `SELECT d.id AS id, d.webhook_id AS "webhookId", d.event_id AS "eventId", d.event_type AS "eventType",
         d.attempt_number AS "attemptNumber", d.test AS test, d.retry AS retry, e.body AS body, w.url AS url,
         w.secret AS secret, w.headers AS headers
       FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id
       WHERE ${queued} AND d.webhook_id IN (@webhookId) AND d.next_attempt_at <= @now
       ORDER BY d.next_attempt_at, d.id LIMIT CAST(@limit AS INTEGER)`,
      { webhookId, now, limit },
    );
    for (const { id } of rows) {
      await queries.run('UPDATE deliveries SET claimed = 1 WHERE id = @id', { id });
    }
    return rows.map((row) => ({
      ...row,
      test: row.test === 1,
      headers: JSON.parse(row.headers ?? '{}'),
    }));
  }

  return {
    async insert(newDeliveries) {
      for (const delivery of newDeliveries) {
        await queries.run(
          `INSERT INTO deliveries (id, webhook_id, instance_id, event_id, event_type, test, status, next_attempt_at,
             created_at)
           VALUES (@id, @webhookId, (SELECT instance_id FROM webhooks WHERE id = @webhookId), @eventId, @eventType,
             @test, 'pending', @createdAt, @createdAt)`,
          { ...delivery, test: delivery.test ? 1 : 0 },
        );
      }
      const counted = Map.groupBy(
        newDeliveries.filter(({ test }) => !test),
        ({ webhookId }) => webhookId,
      );
      for (const [webhookId, { length }] of counted) {
        await counters.countDeliveries(webhookId, length);
      }
    },

    async claimDue({ now, webhookLimit, total, busy, after = '' }) {
      const claimed: ClaimedDelivery[] = [];
      for (const webhookId of await webhooksDue(now, after)) {
        const room = total - claimed.length;
        if (room === 0) break;
        const free = webhookLimit - (busy.get(webhookId) ?? 0);
        if (free > 0) claimed.push(...(await claim(webhookId, now, Math.min(free, room))));
      }
      return claimed;
    },

    async nextDueAt(now) {
      const next = await queries.get<{ dueAt: number | null }>(
        `${queues} SELECT MIN(dueAt) AS "dueAt" FROM (
           SELECT ${headDueAt} AS dueAt FROM queues q JOIN webhooks w ON w.id = q.webhook_id WHERE w.active = 1
         ) heads WHERE dueAt > @now`,
        { now },
      );
      return next?.dueAt ?? undefined;
    },

    async recordAttempt(claimed, attempt, outcome) {
      const ended = outcome.status !== 'retrying';
      const attemptNumber = claimed.attemptNumber + 1;
      const { statusCode, durationMs, error } = attempt;
      const changed = await queries.run(
        `UPDATE deliveries SET status = @status, attempt_number = @attemptNumber, status_code = @statusCode,
           duration_ms = @durationMs, error = @error, next_attempt_at = @nextAttemptAt, claimed = 0,
           retry = NULL, completed_at = @completedAt
         WHERE id = @id AND attempt_number = @before`,
        {
          id: claimed.id,
          before: claimed.attemptNumber,
          attemptNumber,
          statusCode,
          durationMs,
          error,
          status: outcome.status,
          nextAttemptAt: ended ? null : outcome.nextAttemptAt,
          completedAt: ended ? outcome.completedAt : null,
        },
      );
      if (changed === 0) return;
      await queries.run(
        `INSERT INTO delivery_attempts (delivery_id, attempt_number, started_at, status_code, duration_ms, error,
           response_body, manual)
         VALUES (@id, @attemptNumber, @startedAt, @statusCode, @durationMs, @error, @responseBody, @manual)`,
        { id: claimed.id, attemptNumber, ...attempt, manual: claimed.retry === null ? 0 : 1 },
      );
      if (claimed.test) return;
      const { startedAt } = attempt;
      const gaveUp = outcome.status === 'failed';
      await counters.countAttempt(claimed.webhookId, { startedAt, error, gaveUp });
    },

    async waitingSince(now) {
      const earliest = await queries.get<{ since: number | null }>(
        `${queues} SELECT MIN(${headDueAt}) AS since FROM queues q JOIN webhooks w ON w.id = q.webhook_id
         WHERE w.active = 1
           AND NOT EXISTS (SELECT 1 FROM deliveries c WHERE c.webhook_id = w.id AND c.claimed = 1)`,
      );
      const since = earliest?.since ?? null;
      return since === null || since > now ? undefined : since;
    },

    async countOpen() {
      const counted = await queries.get<{ open: number }>(
        'SELECT COALESCE(SUM(pending_deliveries + retrying_deliveries), 0) AS open FROM instances',
      );
      return counted?.open ?? 0;
    },

    releaseClaims: () => queries.run('UPDATE deliveries SET claimed = 0 WHERE claimed = 1'),
  };
}
