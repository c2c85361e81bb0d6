import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { DeliveryLimits } from '../store/repositories/delivery-counters.ts';
import type { Repositories, Store } from '../store/store.ts';
import { outcomeRetention } from './idempotency.ts';

/** One kind of thing whose time comes to an end. */
export interface SweepStep {
  /** For the log. */
  readonly name: string;
  /**
   * Deals with at most `limit` of those whose time is over, in one transaction, and answers how many
   * they were: fewer than `limit` means that none are left.
   */
  sweep(limit: number): Promise<number>;
}

export interface SweeperOptions {
  readonly steps: readonly SweepStep[];
  readonly log: { error(facts: object, message: string): void };
  /** What one transaction deals with at most; default 100, a few milliseconds. */
  readonly limit?: number;
}

/** Deals with everything whose time is over; ends early when it is told to. */
export type Sweep = (signal: AbortSignal) => Promise<void>;

/**
 * Small transactions, with the requests that wait served after each. The steps take turns, so that a
 * long backlog of one delays no other; one that fails is left for the next sweep.
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

const day = 24 * 60 * 60 * 1000;

/** How long what has ended is kept: finished deliveries, expired shares, revoked keys. */
const retention = 30 * day;

/** How long a network that an account has signed in from is remembered. */
const placeRetention = 90 * day;

/** How long an event that a delivery still needed is kept before it is looked at again. */
const nextLook = day;

type Removal = (tx: Repositories, now: number, limit: number) => Promise<number>;

/** Returns whether there may be more. */
type Erasure = (tx: Repositories, due: { now: number; limit: number }) => Promise<boolean>;

/**
 * Refresh tokens and sessions are removed when they expire; an ended session is kept until it would
 * have expired. Expired API keys stay, for their owner to see and to revoke.
 */
const removals: Readonly<Record<string, Removal>> = {
  'remove expired refresh tokens': (tx, now, limit) =>
    tx.refreshTokens.removeExpired({ expiredBy: now, limit }),
  'remove expired sessions': (tx, now, limit) =>
    tx.sessions.removeExpired({ expiredBy: now, limit }),
  'remove revoked API keys': (tx, now, limit) =>
    tx.apiKeys.removeRevoked({ revokedBy: now - retention, limit }),
  'remove login places': (tx, now, limit) =>
    tx.loginPlaces.remove({ lastLoginBy: now - placeRetention, limit }),
  'remove ended shares': (tx, now, limit) =>
    tx.shares.removeEnded({ expiredBy: now - retention, limit }),
  'remove idempotency outcomes': (tx, now, limit) =>
    tx.idempotencyOutcomes.remove({ storedBy: now - outcomeRetention, limit }),
  'remove finished deliveries': (tx, now, limit) =>
    tx.deliveryLog.removeFinished({ endedBy: now - retention, limit }),
  // After the deliveries, since an event stays as long as there is one of it.
  'remove events': (tx, now, limit) =>
    tx.events.removeEnded({ now, keepUntil: now + nextLook, limit }),
};

/** What deleted vaults, accounts and documents leave behind, out of reach of every request. */
const erasures: Readonly<Record<string, Erasure>> = {
  'erase documents of deleted vaults': ({ erasures }, { limit }) => erasures.eraseDocuments(limit),
  'erase contents of deleted documents': ({ erasures }, due) => erasures.eraseContents(due),
};

/**
 * Removes what has been kept long enough, and the oldest deliveries of webhooks that keep too many.
 * Erases what was deleted.
 */
export function retentionSteps(store: Store, clock: Clock, limits: DeliveryLimits): SweepStep[] {
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
      store.transaction(async (tx) => ((await erase(tx, { now: clock.now(), limit })) ? limit : 0)),
  }));
  return [excess, ...steps, ...erasing];
}
