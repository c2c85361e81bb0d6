/** Runs the handler of each event once: the port of the stores, the default store, and the claims. */
import { toError, WebhookReceiverError, wholeNumber } from './errors.ts';

/**
 * The result of a claim.
 *
 * - `claimed`: the caller handles the event, and owns it for the lease of the store.
 * - `running`: another caller owns the event and has neither completed nor released it.
 * - `done`: the event was handled.
 */
export type Claim = 'claimed' | 'running' | 'done';

type Awaitable<Value> = Value | Promise<Value>;

/**
 * Stores which events were handled and which are being handled, so that a repeated event runs its
 * handler once. It receives ids of verified events only. Methods may return promises or plain
 * values.
 *
 * Several processes need a store that they share. A store defines two times:
 *
 * - The **lease**: a claim that was neither completed nor released becomes void after it, for example
 *   because its process crashed. It must be longer than the receiver's `timeout` and than the slowest
 *   handler runs. 5 minutes are usual.
 * - The **retention** of handled events: at least the verifier's `maxAge`. A captured request could
 *   otherwise be handled again.
 */
export interface EventStore {
  /**
   * Claims an event in one atomic step: of any number of concurrent calls, one returns `claimed`.
   *
   * @param id the event's `id`
   * @param claim a random text that identifies this claim, to be stored with it
   */
  claim(id: string, claim: string): Awaitable<Claim>;

  /** Marks an event as handled, also when another caller has claimed it since. */
  complete(id: string, claim: string): Awaitable<unknown>;

  /**
   * Ends a claim after its handler failed, so that the next attempt claims the event again. Does
   * nothing when the event was handled, or when the stored claim differs: the lease ended and another
   * caller has claimed the event.
   */
  release(id: string, claim: string): Awaitable<unknown>;
}

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * The largest number of handled events in memory. Above it, the least recently repeated one is
   * removed. An id takes about 110 bytes. @default 100_000
   */
  readonly max?: number | undefined;
  /**
   * How long a handled event stays in memory after its last repetition, in milliseconds. At least
   * `maxAge`, so that a captured request does not run its handler again.
   * @default 2_678_400_000 (31 days)
   */
  readonly ttl?: number | undefined;
}

/** Milliseconds after which an event whose handler has not finished can be claimed again. */
const lease = 300_000;

interface RunningClaim {
  readonly claim: string;
  readonly expiresAt: number;
}

/**
 * Creates an {@link EventStore} in the memory of this process: an LRU cache with a time to live. It
 * is empty after a restart, and other processes do not share it.
 *
 * @throws RangeError for an option that is not a whole number of at least 1
 * @example
 * ```ts
 * nodeReceiver(webhooks, handlers, { store: memoryStore({ max: 10_000 }) });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
  const max = wholeNumber('max', options.max ?? 100_000, { unit: 'events' });
  const ttl = wholeNumber('ttl', options.ttl ?? 2_678_400_000, { unit: 'milliseconds' });
  // A Map keeps the order of insertion, which is the order of expiry.
  const running = new Map<string, RunningClaim>();
  const done = new Map<string, number>();

  const remember = (id: string, now: number) => {
    done.delete(id);
    done.set(id, now + ttl);
  };
  const forgetExpired = (now: number) => {
    for (const [id, { expiresAt }] of running) {
      if (expiresAt > now) break;
      running.delete(id);
    }
    for (const [id, expiresAt] of done) {
      if (expiresAt > now && done.size <= max) break;
      done.delete(id);
    }
  };

  return {
    claim(id, claim) {
      const now = performance.now();
      forgetExpired(now);
      if (done.has(id)) {
        remember(id, now);
        return 'done';
      }
      if (running.has(id)) return 'running';
      running.set(id, { claim, expiresAt: now + lease });
      return 'claimed';
    },
    complete(id) {
      const now = performance.now();
      running.delete(id);
      remember(id, now);
      forgetExpired(now);
    },
    release(id, claim) {
      if (running.get(id)?.claim === claim) running.delete(id);
    },
  };
}

interface Execution {
  /** The id of the event. */
  readonly id: string;
  /** Handles the event. A rejection releases the claim. */
  run(): Promise<void>;
  /** Reports an error that the store threw after the handler. It does not change the outcome. */
  onStoreError(error: Error): void;
}

/** Resolves when the event was handled, now or earlier. Rejects when the sender must retry. */
export type RunOnce = (execution: Execution) => Promise<void>;

/**
 * Runs the handler of each event once, as far as the store remembers. A repeated event that arrives
 * meanwhile shares the outcome of the first one, because the first one may still fail.
 */
export function runOnce(store: EventStore): RunOnce {
  /** The outcomes of the events that this process is handling. */
  const atWork = new Map<string, Promise<void>>();

  return async (execution) => {
    const { id } = execution;
    const claim = crypto.randomUUID();
    const result = await claimOf(store, id, claim);
    if (result === 'done') return;
    if (result === 'running') {
      const outcome = atWork.get(id);
      if (outcome === undefined) throw inProgress();
      return outcome;
    }
    const outcome = underClaim(store, claim, execution);
    // Replaces the outcome of a handler whose lease has ended.
    atWork.set(id, outcome);
    try {
      await outcome;
    } finally {
      if (atWork.get(id) === outcome) atWork.delete(id);
    }
  };
}

async function claimOf(store: EventStore, id: string, claim: string): Promise<Claim> {
  try {
    const result: unknown = await store.claim(id, claim);
    if (result === 'claimed' || result === 'running' || result === 'done') return result;
    throw new TypeError(`claim() returned ${String(result)}, not claimed, running or done.`);
  } catch (cause) {
    throw storeFailed('The event could not be claimed.', cause);
  }
}

async function underClaim(store: EventStore, claim: string, execution: Execution): Promise<void> {
  const { id, run, onStoreError } = execution;
  try {
    await run();
  } catch (error) {
    await attempt(() => store.release(id, claim), 'The claim could not be released.', onStoreError);
    throw error;
  }
  await attempt(
    () => store.complete(id, claim),
    'The event could not be marked as done.',
    onStoreError,
  );
}

async function attempt(
  step: () => unknown,
  failure: string,
  onStoreError: (error: Error) => void,
): Promise<void> {
  try {
    await step();
  } catch (cause) {
    onStoreError(storeFailed(failure, cause));
  }
}

function storeFailed(message: string, cause: unknown): WebhookReceiverError {
  return new WebhookReceiverError('store_failed', message, { cause: toError(cause) });
}

function inProgress(): WebhookReceiverError {
  return new WebhookReceiverError('event_in_progress', 'The event is still being handled.');
}
