import { setImmediate } from 'node:timers/promises';
import { historyRetention } from '../generated/rules/periods.ts';
import type { Clock } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';
import type { DeliveryLimits } from '../store/rows/webhooks/delivery-counters.ts';
import type { Repositories, Store } from '../store/store.ts';
import { eventRetention } from './events.ts';
import { outcomeRetention } from './idempotency.ts';

/** One kind of expiry or removal. */
export interface SweepStep {
  /** For the log. */
  readonly name: string;
  /**
   * Processes at most `limit` items in one transaction.
   *
   * @returns the number of processed items; less than `limit` when none are left
   */
  sweep(limit: number): Promise<number>;
}

export interface SweeperOptions {
  readonly steps: readonly SweepStep[];
  readonly log: { error(facts: object, message: string): void };
  /** Maximum items per transaction. Default 100, a few milliseconds. */
  readonly limit?: number;
}

/** Runs all steps until nothing is left. Ends early when the signal aborts. */
export type Sweep = (signal: AbortSignal) => Promise<void>;

/**
 * Runs small transactions and yields to waiting requests after each. The steps take turns, so that a long
 * backlog delays no other step. A failing step is skipped until the next sweep.
 */
export function createSweeper({ steps, log, limit = 100 }: SweeperOptions): Sweep {
  return async (signal) => {
    const failed = new Set<SweepStep>();

    async function hasMore(step: SweepStep): Promise<boolean> {
      try {
        return (await step.sweep(limit)) >= limit;
      } catch (error) {
        failed.add(step);
        log.error({ err: error, step: step.name }, 'sweeping failed');
        return false;
      }
    }

    for (let more = true; more; ) {
      more = false;
      for (const step of steps) {
        if (signal.aborted) return;
        if (!failed.has(step) && (await hasMore(step))) more = true;
        await setImmediate();
      }
    }
  };
}

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** Retention of finished deliveries, expired shares and revoked keys. */
const retention = 30 * day;

/** Retention of the networks that an account has signed in from. */
const placeRetention = 90 * day;

/** Retention of the accesses to shares. A share that ended is removed before. */
const accessRetention = 90 * day;

/** An expired device code is kept for this time: the device learns that it expired. */
const artifactRetention = hour;

/** A revoked grant is kept for this time: requests that began before may still store tokens under it. */
const grantRetention = hour;

/** An event that a delivery still needs is checked again after this time. */
const nextLook = day;

type Removal = (tx: Repositories, now: number, limit: number) => Promise<number>;

/** Returns whether there may be more. */
type Erasure = (
  tx: Repositories,
  due: { now: number; limit: number; grace: number },
) => Promise<boolean>;

/**
 * Refresh tokens and sessions are removed when they expire; an ended session is kept until then. Expired
 * API keys stay, so that their owner can see and revoke them.
 */
const removals: Readonly<Record<string, Removal>> = {
  'remove expired refresh tokens': (tx, now, limit) =>
    tx.retention.remove('refresh_tokens', now, limit),
  'remove expired sessions': (tx, now, limit) => tx.retention.remove('sessions', now, limit),
  'remove expired OAuth artifacts': (tx, now, limit) =>
    tx.retention.remove('oauth_artifacts', now - artifactRetention, limit),
  'remove ended OAuth grants': (tx, now, limit) =>
    tx.oauthGrants.removeEnded({ now, revokedBy: now - grantRetention, limit }),
  'remove revoked API keys': (tx, now, limit) =>
    tx.retention.remove('api_keys', now - retention, limit),
  'forget replaced client secrets': (tx, now, limit) =>
    tx.oauthClients.forgetPrevious({ endedBy: now, limit }),
  'remove login places': (tx, now, limit) =>
    tx.retention.remove('login_places', now - placeRetention, limit),
  'remove accesses to shares': (tx, now, limit) =>
    tx.shareAccesses.removeOld({ accessedBy: now - accessRetention, limit }),
  'remove ended shares': (tx, now, limit) =>
    tx.shares.removeEnded({ expiredBy: now - retention, limit }),
  'remove idempotency outcomes': (tx, now, limit) =>
    tx.retention.remove('idempotency_outcomes', now - outcomeRetention, limit),
  'remove the history of instances': (tx, now, limit) =>
    tx.retention.remove('instance_history', now - historyRetention - hour, limit),
  'remove finished deliveries': (tx, now, limit) =>
    tx.retention.remove('deliveries', now - retention, limit),
};

/**
 * Removes events after their retention, but not those that a delivery still needs. Remembers how far it
 * has read, so that a sweep does not read them again.
 */
function eventRemoval({ store, clock }: RetentionOptions): SweepStep['sweep'] {
  let after = '';
  let startedAt = Number.NEGATIVE_INFINITY;
  return async (limit) => {
    const now = clock.now();
    if (now - startedAt >= nextLook) {
      after = '';
      startedAt = now;
    }
    const before = leastIdAt('evt', now - eventRetention);
    const read = await store.transaction((tx) =>
      tx.events.removeUnneeded({ after, before, limit }),
    );
    // After the commit: the transaction may run again, or fail.
    after = read.at(-1) ?? after;
    return read.length;
  };
}

/** An attempt to store a part ends earlier: `request-timeout` is at most a day. */
const unfinishedRetention = 25 * hour;

/** Erases rows that no request can reach. */
const erasures: Readonly<Record<string, Erasure>> = {
  'erase documents of deleted vaults': ({ erasures }, { limit }) => erasures.eraseDocuments(limit),
  'erase contents of deleted documents': ({ contents }, due) => contents.erase(due),
  'erase unfinished parts': ({ contents }, { now }) =>
    contents.eraseUnfinished(now - unfinishedRetention),
};

export interface RetentionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: DeliveryLimits;
  /** Milliseconds that the object of a deleted document is kept. */
  readonly grace: number;
}

/**
 * Removes rows after their retention, and the oldest deliveries of webhooks above their limit. Erases the
 * rows of deleted vaults, accounts and documents.
 */
export function retentionSteps(options: RetentionOptions): SweepStep[] {
  const { store, clock, limits, grace } = options;
  const steps = Object.entries(removals).map(([name, remove]) => ({
    name,
    sweep: (limit: number) => store.transaction((tx) => remove(tx, clock.now(), limit)),
  }));
  const excess = {
    name: 'remove excess deliveries',
    sweep: (limit: number) =>
      store.transaction((tx) => tx.deliveryLog.removeExcess({ limits, limit })),
  };
  const erasing = Object.entries(erasures).map(([name, erase]) => ({
    name,
    sweep: (limit: number) =>
      store.transaction(async (tx) =>
        (await erase(tx, { now: clock.now(), limit, grace })) ? limit : 0,
      ),
  }));
  // Events after their deliveries, because an event is kept while a delivery needs it.
  const events = { name: 'remove events', sweep: eventRemoval(options) };
  return [excess, ...steps, events, ...erasing];
}
