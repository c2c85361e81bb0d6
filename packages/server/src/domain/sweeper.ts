import { setImmediate } from 'node:timers/promises';

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
