import { toError, WebhookReceiverError } from './errors.ts';
import type { Claim, EventStore } from './event-store.ts';

interface Execution {
  /** The id of the event. */
  readonly id: string;
  /** Does the work; rejects when it has to be done again. */
  run(): Promise<void>;
  /** Told what the store throws after the work; it changes nothing about the outcome. */
  onStoreError(error: Error): void;
}

/** Resolves when the event is done, now or before; rejects when the sender has to try again. */
export type RunOnce = (execution: Execution) => Promise<void>;

/**
 * Runs the work of each event once, as far as the store remembers. A repeated event that arrives
 * while the first is at work shares its outcome, because the first may still fail.
 */
export function runOnce(store: EventStore): RunOnce {
  /** What this process is at: the outcome of each event that it has claimed. */
  const atWork = new Map<string, Promise<void>>();

  return async (execution) => {
    const { id } = execution;
    const token = crypto.randomUUID();
    const claim = await claimOf(store, id, token);
    if (claim === 'done') return;
    if (claim === 'running') {
      const outcome = atWork.get(id);
      if (outcome === undefined) throw inProgress();
      return outcome;
    }
    const outcome = underClaim(store, token, execution);
    // Whatever is there already has outlived its lease.
    atWork.set(id, outcome);
    try {
      await outcome;
    } finally {
      if (atWork.get(id) === outcome) atWork.delete(id);
    }
  };
}

async function claimOf(store: EventStore, id: string, token: string): Promise<Claim> {
  try {
    const claim: unknown = await store.claim(id, token);
    if (claim === 'claimed' || claim === 'running' || claim === 'done') return claim;
    throw new TypeError(`claim() returned ${String(claim)}, not claimed, running or done.`);
  } catch (cause) {
    throw storeFailed('The event could not be claimed.', cause);
  }
}

async function underClaim(store: EventStore, token: string, execution: Execution): Promise<void> {
  const { id, run, onStoreError } = execution;
  try {
    await run();
  } catch (error) {
    await attempt(() => store.release(id, token), 'The claim could not be released.', onStoreError);
    throw error;
  }
  await attempt(() => store.complete(id), 'The event could not be marked as done.', onStoreError);
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
