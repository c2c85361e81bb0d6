import type { Clock } from '../../clock.ts';

/** How often something may fail per key, in memory. */
export interface FailureBudget {
  /** Milliseconds until this key may try again; 0 when it may now. */
  wait(key: string): number;
  /** Whether tries that run already would use up what is left, should they fail. */
  isCommitted(key: string): boolean;
  begin(key: string): void;
  end(key: string, outcome: 'failed' | 'other'): void;
  /** Gives the key its whole budget back. */
  restore(key: string): void;
  /** Gives every key its whole budget back. */
  clear(): void;
  /** How many keys are remembered. */
  readonly size: number;
}

export interface FailureBudgetOptions {
  readonly clock: Clock;
  /** How many failures may follow each other at once. */
  readonly failures: number;
  /** Milliseconds after which one more may happen. */
  readonly recoveryMs: number;
  /** The most keys to remember; beyond it, the one that failed longest ago is forgotten. */
  readonly capacity: number;
}

interface Spent {
  /** Failures that are not made up for yet, at `at`. */
  readonly level: number;
  readonly at: number;
}

/** A bucket per key that fills by a drop at each failure and leaks at a constant rate. */
export function createFailureBudget(options: FailureBudgetOptions): FailureBudget {
  const { clock, failures, recoveryMs, capacity } = options;
  /** In the order of their last failure. */
  const spent = new Map<string, Spent>();
  const running = new Map<string, number>();

  function levelOf(entry: Spent | undefined): number {
    if (!entry) return 0;
    // A clock that is set back does not make anything worse.
    const elapsed = Math.max(0, clock.now() - entry.at);
    return Math.max(0, entry.level - elapsed / recoveryMs);
  }

  function note(key: string): void {
    const level = levelOf(spent.get(key)) + 1;
    spent.delete(key);
    spent.set(key, { level, at: clock.now() });
    for (const [oldest, entry] of spent) {
      if (spent.size <= capacity && levelOf(entry) > 0) break;
      spent.delete(oldest);
    }
  }

  return {
    wait: (key) => Math.max(0, Math.ceil((levelOf(spent.get(key)) + 1 - failures) * recoveryMs)),

    isCommitted: (key) => levelOf(spent.get(key)) + (running.get(key) ?? 0) + 1 > failures,

    begin(key) {
      running.set(key, (running.get(key) ?? 0) + 1);
    },

    end(key, outcome) {
      const left = (running.get(key) ?? 0) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
      if (outcome === 'failed') note(key);
    },

    restore(key) {
      spent.delete(key);
    },

    clear: () => spent.clear(),

    get size() {
      return spent.size;
    },
  };
}
