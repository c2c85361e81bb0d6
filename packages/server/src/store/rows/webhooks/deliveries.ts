import type { Queries } from '../../driver.ts';
import { batches, valueLists } from '../../rows.ts';
import type { Sealer } from '../../sealing.ts';
import {
  type DeliveryLimits,
  type DeliveryStatus,
  webhookStatisticsRepository,
} from './delivery-counters.ts';
import { deliverable, mayReceive, refused } from './delivery-rights.ts';
import { openHeaders, openPreviousSecret, openSecret } from './webhooks.ts';

/**
 * How a caller asked for an attempt. `next`: in place of the next automatic attempt. `once`: one more
 * after the end. `bulk`: one more of every failed delivery.
 */
export type Retry = 'next' | 'once' | 'bulk';

export interface NewDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly test: boolean;
  readonly createdAt: number;
  /** Whether the event belongs to another account than the webhook, or to none. Default: false. */
  readonly ofOther?: boolean;
  /**
   * Whether a stranger or another account can cause it. Such deliveries use half of a queue, so that others
   * cannot keep the events of the account out. Default: false.
   */
  readonly byOthers?: boolean;
}

/** A delivery that was dropped because the queue of its webhook was full. */
export interface DroppedDelivery {
  readonly webhookId: string;
  /** Whether it is the first one since that queue was last empty. */
  readonly isFirst: boolean;
}

/** A queued delivery with everything that an attempt needs. */
export interface QueuedDelivery {
  readonly id: string;
  readonly webhookId: string;
  /** The instance of the webhook. */
  readonly instanceId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: 'pending' | 'retrying';
  /** The number of attempts so far. */
  readonly attemptNumber: number;
  readonly test: boolean;
  /** Null for an automatic attempt. */
  readonly retry: Retry | null;
  readonly url: string;
  readonly secret: string;
  /** Signs the attempt too until it expires. */
  readonly previousSecret: string | null;
  /** In epoch milliseconds. */
  readonly previousSecretExpiresAt: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The event, serialised when it was emitted. */
  readonly body: string;
  /** The trace of the request that caused the event: headers of the same names. */
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** The result of one POST. */
export interface AttemptRecord {
  readonly startedAt: number;
  /** Null without a response. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** A short sentence; null when the receiver acknowledged the delivery. */
  readonly error: string | null;
  /** The beginning of the response body; null without a response. */
  readonly responseBody: string | null;
}

/** The next state of a delivery after an attempt. */
export type AttemptOutcome =
  | { readonly status: 'succeeded' | 'failed'; readonly completedAt: number }
  | { readonly status: 'retrying'; readonly nextAttemptAt: number };

/** An ended attempt and the next state of its delivery. */
export interface AttemptResult {
  readonly delivery: QueuedDelivery;
  readonly attempt: AttemptRecord;
  readonly outcome: AttemptOutcome;
}

/**
 * The queue of a deliverable webhook: the webhook is active, its account is not suspended, and the app that made it
 * still has access.
 */
export interface Queue {
  readonly webhookId: string;
  /** When its first delivery is or was due, in epoch milliseconds. */
  readonly dueAt: number;
}

/** A position in a queue. */
export interface QueueEntry {
  readonly id: string;
  readonly dueAt: number;
  /** The URL of the webhook. */
  readonly url: string;
  /** The account of the webhook. */
  readonly userId: string;
  /** 1 when the webhook may not receive it any more: it is removed instead of sent. */
  readonly isRefused: 0 | 1;
}

export interface RetriedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly status: DeliveryStatus;
}

export interface FailedDeliveries {
  readonly webhookId: string;
  /** Whether deliveries of other accounts are left out. Default: false. */
  readonly onlyOwn?: boolean;
  /** Only deliveries with a larger id. */
  readonly after: string;
  readonly limit: number;
  readonly now: number;
}

/** Maximum number of stored attempts per delivery; the latest are kept. */
const maxAttempts = 10;

/** Skips over the index from one webhook to the next, so the length of a queue does not matter. */
const queues = `WITH RECURSIVE queues (webhook_id) AS (
    SELECT MIN(webhook_id) FROM deliveries WHERE next_attempt_at IS NOT NULL
    UNION ALL
    SELECT (SELECT MIN(webhook_id) FROM deliveries
            WHERE next_attempt_at IS NOT NULL AND webhook_id > q.webhook_id)
    FROM queues q WHERE q.webhook_id IS NOT NULL
  )
  SELECT w.id AS "webhookId",
    (SELECT MIN(next_attempt_at) FROM deliveries
     WHERE next_attempt_at IS NOT NULL AND webhook_id = w.id) AS "dueAt"
  FROM queues q JOIN webhooks w ON w.id = q.webhook_id WHERE ${deliverable}`;

/** An active webhook has a secret. */
type QueuedRow = Omit<QueuedDelivery, 'test' | 'secret' | 'previousSecret' | 'headers'> & {
  readonly test: number;
  readonly secret: Uint8Array;
  readonly previousSecret: Uint8Array | null;
  readonly headers: Uint8Array | null;
};

/** A new delivery is due when it is created. */
const toRow = (delivery: NewDelivery) => [
  delivery.id,
  delivery.webhookId,
  delivery.eventId,
  delivery.eventType,
  Number(delivery.test),
  Number(delivery.ofOther ?? false),
  'pending',
  delivery.createdAt,
  delivery.createdAt,
];

/** Whether the next attempt was requested during this one, at another server. It is not needed after a success. */
const isRequested = "retry IS DISTINCT FROM page.attempted AND page.next_status <> 'succeeded'";

const changeStates = (values: string) =>
  `UPDATE deliveries SET status = page.next_status, attempt_number = page.attempt, status_code = page.code,
     duration_ms = page.duration, error = page.failure, completed_at = page.ended_at,
     next_attempt_at = CASE WHEN ${isRequested} AND page.next_at IS NOT NULL THEN next_attempt_at ELSE page.next_at END,
     retry = CASE WHEN ${isRequested} THEN retry END
   FROM (SELECT column1 AS delivery_id, column2 AS attempt, column3 AS next_status,
       CAST(column4 AS BIGINT) AS code, column5 AS duration, column6 AS failure,
       CAST(column7 AS BIGINT) AS next_at, CAST(column8 AS BIGINT) AS ended_at,
       CAST(column9 AS TEXT) AS attempted
     FROM (VALUES ${values}) v) page
   WHERE id = page.delivery_id AND attempt_number = page.attempt - 1
   RETURNING id, retry`;

/** The next state of a delivery: the columns of `changeStates`. */
function toState({ delivery, attempt, outcome }: AttemptResult) {
  const { statusCode, durationMs, error } = attempt;
  const { id, attemptNumber, retry } = delivery;
  const [nextAttemptAt, completedAt] =
    outcome.status === 'retrying' ? [outcome.nextAttemptAt, null] : [null, outcome.completedAt];
  const state = [outcome.status, statusCode, durationMs, error, nextAttemptAt, completedAt];
  return [id, attemptNumber + 1, ...state, retry];
}

function toAttempt({ delivery, attempt }: AttemptResult) {
  const { startedAt, statusCode, durationMs, error, responseBody } = attempt;
  const { id, attemptNumber, retry } = delivery;
  const facts = [startedAt, statusCode, durationMs, error, responseBody];
  return [id, attemptNumber + 1, ...facts, retry === null ? 0 : 1];
}

/** Whether the delivery had ended before its retry was asked for. */
function isReopened(retry: Retry | null): boolean {
  return retry === 'once' || retry === 'bulk';
}

/** A result that was stored. */
interface RecordedResult extends AttemptResult {
  /** Whether another attempt was requested during this one. */
  readonly isRetried: boolean;
}

export type DeliveryRepository = ReturnType<typeof deliveryRepository>;

/** The deliveries that have not ended: one queue per webhook. */
export function deliveryRepository(queries: Queries, sealer: Sealer) {
  const statistics = webhookStatisticsRepository(queries);

  /** Returns the results that were stored. The others are recorded already, or their delivery is gone. */
  async function record(results: readonly AttemptResult[]): Promise<RecordedResult[]> {
    const { values, parameters } = valueLists(results.map(toState));
    const rows = await queries.all<Pick<QueuedDelivery, 'id' | 'retry'>>(
      changeStates(values),
      parameters,
    );
    const stored = new Map(rows.map(({ id, retry }) => [id, retry !== null]));
    const recorded = results.flatMap((result) => {
      const isRetried = stored.get(result.delivery.id);
      return isRetried === undefined ? [] : [{ ...result, isRetried }];
    });
    if (recorded.length > 0) await log(recorded);
    return recorded;
  }

  /** Makes one attempt due now: the waiting one, or one more of a delivery that has ended. */
  async function retry({ id, webhookId, status }: RetriedDelivery, now: number): Promise<void> {
    await queries.run(
      `UPDATE deliveries SET
         retry = CASE WHEN completed_at IS NOT NULL THEN 'once' WHEN retry IS NULL THEN 'next' ELSE retry END,
         status = CASE WHEN completed_at IS NOT NULL THEN 'retrying' ELSE status END,
         next_attempt_at = CASE WHEN next_attempt_at < @now THEN next_attempt_at ELSE @now END,
         completed_at = NULL
       WHERE id = @id`,
      { id, now },
    );
    if (status === 'succeeded' || status === 'failed') {
      await statistics.countReopened(webhookId, status, 1);
    }
  }

  async function log(results: readonly AttemptResult[]): Promise<void> {
    const { values, parameters } = valueLists(results.map(toAttempt));
    await queries.run(
      `INSERT INTO delivery_attempts (delivery_id, attempt_number, started_at, status_code, duration_ms, error,
         response_body, manual)
       VALUES ${values}`,
      parameters,
    );
    // Retries by hand are unlimited, and each attempt can store 2 KiB of its response.
    for (const { delivery } of results) {
      const oldest = delivery.attemptNumber + 1 - maxAttempts;
      if (oldest <= 0) continue;
      await queries.run(
        'DELETE FROM delivery_attempts WHERE delivery_id = @id AND attempt_number <= @oldest',
        { id: delivery.id, oldest },
      );
    }
  }

  /** Decrypts on access: a value that cannot be decrypted fails its own attempts and no others. */
  function toQueued({ test, secret, previousSecret, headers, ...row }: QueuedRow): QueuedDelivery {
    return {
      ...row,
      test: test === 1,
      get secret() {
        return openSecret(sealer, row.webhookId, secret);
      },
      get previousSecret() {
        return openPreviousSecret(sealer, row.webhookId, previousSecret);
      },
      get headers() {
        return openHeaders(sealer, row.webhookId, headers) ?? {};
      },
    };
  }

  return {
    /**
     * Queues new deliveries, due now, while the queues of their webhooks have room.
     *
     * @returns the deliveries without room
     */
    async insert(newDeliveries: readonly NewDelivery[], limits: DeliveryLimits) {
      const dropped: DroppedDelivery[] = [];
      const queued: NewDelivery[] = [];
      for (const delivery of newDeliveries) {
        const { webhookId, createdAt } = delivery;
        if (!(await statistics.enqueue(delivery, limits))) {
          const isFirst = await statistics.countDropped(delivery, createdAt);
          dropped.push({ webhookId, isFirst });
        } else queued.push(delivery);
      }
      for (const batch of batches(queued, ({ id }) => id)) {
        const { values, parameters } = valueLists(batch.map(toRow));
        await queries.run(
          `INSERT INTO deliveries (id, webhook_id, event_id, event_type, test, of_other, status, next_attempt_at, created_at)
           VALUES ${values}`,
          parameters,
        );
      }
      return dropped;
    },

    /** Returns the queue heads of deliverable webhooks, ordered by webhook id. */
    async queues() {
      const rows = await queries.all<Queue>(queues);
      return rows.sort((a, b) => (a.webhookId < b.webhookId ? -1 : 1));
    },

    /** Returns the first entries of a queue, due or not; none when the webhook is not deliverable. */
    first: (webhookId: string, limit: number) =>
      queries.all<QueueEntry>(
        `SELECT d.id AS id, d.next_attempt_at AS "dueAt", w.url AS url, w.user_id AS "userId",
           CASE WHEN ${refused} THEN 1 ELSE 0 END AS "isRefused"
         FROM webhooks w CROSS JOIN deliveries d
         WHERE w.id = @webhookId AND d.next_attempt_at IS NOT NULL AND d.webhook_id = w.id AND ${deliverable}
         ORDER BY d.next_attempt_at, d.id LIMIT @limit`,
        { webhookId, limit },
      ),

    /** Removes those of the queued deliveries that their webhook may not receive any more. They would wait for ever. */
    async removeRefused(ids: readonly string[]) {
      await queries.run(
        `DELETE FROM deliveries WHERE id IN (
           SELECT d.id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
           WHERE ${queries.dialect.among('d.id', 'ids')} AND d.next_attempt_at IS NOT NULL AND ${refused}
         )`,
        { ids: JSON.stringify(ids) },
      );
    },

    /** Whether the webhook of a delivery may not receive it any more. */
    async isRefused(id: string) {
      const row = await queries.get(
        `SELECT d.id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = @id AND ${refused}`,
        { id },
      );
      return row !== undefined;
    },

    /** Returns deliveries by id, without those that are not queued or whose webhook may not receive them now. */
    async findQueued(ids: readonly string[]) {
      const rows = await queries.all<QueuedRow>(
        `SELECT d.id AS id, d.webhook_id AS "webhookId", w.instance_id AS "instanceId", d.event_id AS "eventId",
           d.event_type AS "eventType", d.status AS status, d.attempt_number AS "attemptNumber", d.test AS test,
           d.retry AS retry, e.body AS body, e.traceparent AS traceparent, e.tracestate AS tracestate, w.url AS url, w.secret AS secret,
           w.previous_secret AS "previousSecret", w.previous_secret_expires_at AS "previousSecretExpiresAt",
           w.headers AS headers
         FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id
         WHERE ${queries.dialect.among('d.id', 'ids')} AND d.next_attempt_at IS NOT NULL
           AND ${deliverable} AND ${mayReceive}`,
        { ids: JSON.stringify(ids) },
      );
      return new Map(rows.map((row) => [row.id, toQueued(row)]));
    },

    /**
     * Stores attempts and the next states of their deliveries. Skips a delivery that was deleted or whose
     * attempt is already recorded.
     */
    async recordAttempts(ended: readonly AttemptResult[]) {
      const recorded: RecordedResult[] = [];
      for (const batch of batches(ended, ({ delivery }) => delivery.id)) {
        recorded.push(...(await record(batch)));
      }
      const counted = Map.groupBy(recorded, ({ delivery }) => delivery.webhookId);
      for (const [webhookId, attempts] of counted) {
        await statistics.countAttempts(
          webhookId,
          attempts.map(
            ({ delivery: { test, retry, status }, attempt: { startedAt, error }, outcome }) => ({
              startedAt,
              error,
              test,
              from: status,
              to: outcome.status,
              leftQueue: outcome.status !== 'retrying' && !isReopened(retry),
            }),
          ),
        );
      }
      for (const { delivery, outcome, isRetried } of recorded) {
        if (!isRetried || outcome.status !== 'failed') continue;
        // A copy of the delivery would decrypt its secret.
        const { id, webhookId } = delivery;
        await retry({ id, webhookId, status: outcome.status }, outcome.completedAt);
      }
    },

    /** Counts the deliveries that have not ended, without test deliveries. */
    countOpen: () => statistics.countOpen(),

    retry,

    /**
     * Makes one more attempt of failed deliveries due, in the order of their ids, without test deliveries.
     *
     * @returns their ids
     */
    async reopenFailed({ webhookId, onlyOwn, after, limit, now }: FailedDeliveries) {
      const rows = await queries.all<{ id: string }>(
        `SELECT id FROM deliveries d
         WHERE webhook_id = @webhookId AND status = 'failed' AND test = 0 AND id > @after
           AND of_other <= @others
           AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = d.webhook_id AND ${refused})
         ORDER BY id LIMIT @limit ${queries.dialect.lock()}`,
        { webhookId, after, limit, others: onlyOwn ? 0 : 1 },
      );
      const ids = rows.map(({ id }) => id);
      await queries.run(
        `UPDATE deliveries SET status = 'retrying', retry = 'bulk', next_attempt_at = @now, completed_at = NULL
         WHERE ${queries.dialect.among('id', 'ids')}`,
        { ids: JSON.stringify(ids), now },
      );
      if (ids.length > 0) await statistics.countReopened(webhookId, 'failed', ids.length);
      return ids;
    },

    /** Whether an attempt that `reopenFailed` made due has not ended yet. */
    async isReopening(webhookId: string) {
      const open = await queries.get(
        `SELECT 1 FROM deliveries WHERE webhook_id = @webhookId AND retry = 'bulk' LIMIT 1`,
        { webhookId },
      );
      return open !== undefined;
    },
  };
}
