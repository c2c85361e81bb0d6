import { createHash, type Hash } from 'node:crypto';
import { type ErrorCode, ServiceError } from '../generated/rules/errors.ts';
import { reusedKey } from '../generated/rules/replays.ts';
import type { Clock } from '../lib/clock.ts';
import { decrypt, encrypt } from '../lib/encryption.ts';
import type { IdempotentCall, StoredOutcome } from '../store/rows/accounts/idempotency.ts';
import type { Repositories, Store } from '../store/store.ts';
import { requireLiveCredentials } from './access.ts';
import type { Actor, CommitHook } from './actor.ts';
import { RejectedAndRecorded } from './unit-of-work.ts';

/** Outcomes are replayed for 24 hours, in milliseconds. */
export const outcomeRetention = 24 * 60 * 60 * 1000;

export interface IdempotentRequest {
  /** The caller, with the role that the account had when the request was authenticated. */
  readonly actor: Actor;
  readonly method: string;
  readonly path: string;
  /** The caller's Idempotency-Key. */
  readonly key: string;
  /** SHA-256 of the request body; undefined for an operation without one. */
  readonly bodyDigest: Uint8Array | undefined;
  readonly successStatus: number;
}

export interface IdempotentResult {
  readonly result: unknown;
  readonly replayed: boolean;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

interface StoredFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Another process has stored an outcome of the call. The transaction must not commit. */
class CallTakenError extends Error {}

/** A failure that is replayed from an earlier call. */
export class ReplayedError extends ServiceError {}

export function createIdempotency(store: Store, clock: Clock) {
  /** Running calls, by everything that identifies them. */
  const running = new Map<string, Promise<unknown>>();

  /** @throws CallTakenError */
  async function save(
    tx: Repositories,
    call: IdempotentCall,
    outcome: StoredOutcome,
  ): Promise<void> {
    const notBefore = clock.now() - outcomeRetention;
    if (!(await tx.idempotencyOutcomes.save(call, outcome, notBefore))) throw new CallTakenError();
  }

  async function replay(call: IdempotentCall, request: IdempotentRequest) {
    const outcome = await store.idempotencyOutcomes.find(call, clock.now() - outcomeRetention);
    if (!outcome) return undefined;
    // The caller may have lost its access while it sent its body, or while it waited for the first call.
    await requireLiveCredentials(store, request.actor, clock.now());
    return reopen(outcome, outcomeKey(request));
  }

  async function runOnce(
    call: IdempotentCall,
    request: IdempotentRequest,
    execute: (beforeCommit: CommitHook) => Promise<unknown>,
  ): Promise<unknown> {
    const key = outcomeKey(request);
    const outcome = (status: number, body: unknown): StoredOutcome => ({
      status,
      body: encrypt(JSON.stringify(body ?? null), key),
      createdAt: clock.now(),
    });
    const failed = ({ status, code, message, details }: ServiceError): StoredOutcome =>
      outcome(status, { code, message, details } satisfies StoredFailure);
    let refused: ServiceError | undefined;
    try {
      return await execute((tx, result) => {
        refused = result instanceof RejectedAndRecorded ? result.error : undefined;
        const stored = refused ? failed(refused) : outcome(request.successStatus, result);
        return save(tx, call, stored);
      });
    } catch (error) {
      // A recorded rejection is already stored, in the transaction of its events. Credentials without the
      // right to the call are no outcome: the caller can repeat the call with others.
      const isOutcome =
        error instanceof ServiceError && error.status < 500 && ![401, 403].includes(error.status);
      if (isOutcome && error !== refused) {
        await store.transaction((tx) => save(tx, call, failed(error)));
      }
      throw error;
    }
  }

  return {
    /**
     * Runs a call at most once per account, method, path and key within 24 hours. The outcome is stored in
     * the transaction of the change and replayed for repeated calls. A repeated call waits while the first
     * one runs. Outcomes with status 500 or above are not stored. An outcome is replayed to live credentials alone, and
     * to the role that it was stored for.
     *
     * @throws ServiceError the stored failure, VALIDATION_ERROR for a key that was used with another body or role, and for
     * credentials that became invalid INVALID_TOKEN, INVALID_API_KEY, ACCOUNT_SUSPENDED or INSUFFICIENT_PERMISSIONS
     */
    async run(
      request: IdempotentRequest,
      execute: (beforeCommit: CommitHook) => Promise<unknown>,
    ): Promise<IdempotentResult> {
      const { method, path, key } = request;
      const { userId } = request.actor;
      const call = { userId, hash: digest('call', JSON.stringify([method, path, key])).digest() };
      const name = JSON.stringify([userId, method, path, key]);
      for (let first = running.get(name); first; first = running.get(name)) {
        await first.catch(() => undefined);
      }

      // Nothing is awaited between the check of `running` and this entry.
      const attempt = (async () => {
        const stored = await replay(call, request);
        if (stored) return { result: stored.result, replayed: true };
        try {
          return { result: await runOnce(call, request, execute), replayed: false };
        } catch (error) {
          if (!(error instanceof CallTakenError)) throw error;
          const taken = await replay(call, request);
          return { result: taken?.result, replayed: true };
        }
      })();
      running.set(name, attempt);
      try {
        return await attempt;
      } finally {
        running.delete(name);
      }
    },
  };
}

function reopen({ status, body }: StoredOutcome, key: Buffer): { result: unknown } {
  const text = unseal(body, key);
  if (text === undefined) throw reusedKey();
  const stored: unknown = JSON.parse(text);
  if (status < 400) return { result: stored ?? undefined };
  const { code, message, details } = stored as StoredFailure;
  throw new ReplayedError(code, { message, details });
}

function digest(purpose: string, value: string): Hash {
  return createHash('sha256').update(`${purpose}\0`).update(value);
}

// An outcome can contain a secret that is stored as a hash elsewhere: a share token or an API key. It is
// encrypted under a key derived from the caller's Idempotency-Key and request body. Neither is stored, so
// the database alone does not reveal the secret. A digest of the body is not stored either, because it
// would allow guesses of a webhook's secret.

const noBytes = new Uint8Array();

/**
 * Derives the key of an outcome. Another body or role gives another key, and the failed decryption shows the
 * reuse.
 */
function outcomeKey({ key, actor, bodyDigest = noBytes }: IdempotentRequest): Buffer {
  // An Idempotency-Key is printable ASCII, so the zero byte ends it.
  return digest('seal', `${key}\0${actor.role}\0`).update(bodyDigest).digest();
}

/** Returns undefined when `sealed` was encrypted under another key. */
function unseal(sealed: Uint8Array, key: Buffer): string | undefined {
  try {
    return decrypt(sealed, key).toString('utf8');
  } catch {
    return undefined;
  }
}
