import type { Queries, SqlValue } from '../../driver.ts';
import type { Sealer } from '../../sealing.ts';

/** The call of an outcome. */
export interface IdempotentCall {
  readonly userId: string;
  /** Of method, path and the caller's key. */
  readonly hash: Uint8Array;
}

export interface StoredOutcome {
  readonly status: number;
  /** The response body, encrypted under the caller's key. */
  readonly body: Uint8Array;
  readonly createdAt: number;
}

export function idempotencyRepository(queries: Queries, sealer: Sealer) {
  return {
    /** Returns the outcome of a call that is not older than `notBefore`. */
    async find(call: IdempotentCall, notBefore: number) {
      const outcome = await queries.get<StoredOutcome>(
        `SELECT status, body, created_at AS "createdAt"
         FROM idempotency_outcomes
         WHERE user_id = @userId AND call_hash = @hash AND created_at > @notBefore`,
        { ...call, notBefore },
      );
      return (
        outcome && {
          ...outcome,
          body: sealer.open(outcome.body, 'idempotency_outcomes.body', rowOf(call)),
        }
      );
    },

    /**
     * Stores an outcome. Waits for another transaction that stores an outcome of the same call.
     *
     * @param notBefore an older outcome is replaced
     * @returns false when the call has an outcome already
     */
    async save(call: IdempotentCall, outcome: StoredOutcome, notBefore: number) {
      const saved = await queries.run(
        `INSERT INTO idempotency_outcomes (user_id, call_hash, status, body, created_at)
         VALUES (@userId, @hash, @status, @body, @createdAt)
         ON CONFLICT (user_id, call_hash) DO UPDATE SET status = excluded.status,
           body = excluded.body, created_at = excluded.created_at
         WHERE idempotency_outcomes.created_at <= @notBefore`,
        {
          notBefore,
          ...call,
          ...outcome,
          body: sealer.seal(outcome.body, 'idempotency_outcomes.body', rowOf(call)),
        },
      );
      return saved > 0;
    },
  };
}

function rowOf({ userId, hash }: IdempotentCall): readonly SqlValue[] {
  return [userId, hash];
}
