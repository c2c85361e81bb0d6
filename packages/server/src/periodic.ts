import type { Clock } from './clock.ts';

/** Work that comes back. Runs never overlap: the next one is due an interval after the last one's end. */
export interface Periodic {
  /** Resolves when no run is due or under way. */
  settled(): Promise<void>;
  /** Starts no further run, and waits for the one that is under way. */
  close(): Promise<void>;
}

export interface PeriodicOptions {
  readonly clock: Clock;
  /** Milliseconds between the end of a run and the next. */
  readonly intervalMs: number;
  /** The signal says that a long run may end early: `close` waits for it. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Hears why a run failed; the next one comes all the same. */
  readonly onError: (error: unknown) => void;
}

/** Starts with a run at once. */
export function startPeriodic({ clock, intervalMs, run, onError }: PeriodicOptions): Periodic {
  let underWay: Promise<void> | undefined;
  const closing = new AbortController();
  let cancel: () => void = () => undefined;

  const start = () => {
    underWay = run(closing.signal)
      .catch(onError)
      .then(() => {
        underWay = undefined;
        if (!closing.signal.aborted) cancel = clock.at(clock.now() + intervalMs, start);
      });
  };
  start();

  return {
    async settled() {
      await underWay;
    },
    close() {
      closing.abort();
      cancel();
      return underWay ?? Promise.resolve();
    },
  };
}
