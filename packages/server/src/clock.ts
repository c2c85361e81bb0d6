/** Time, passed in wherever it is needed so that tests can move it. Moments are epoch milliseconds. */
export interface Clock {
  now(): number;
  /** Calls `wake` once at `time` or soon after it; a moment in the past is as soon as possible. Returns the cancellation. */
  at(time: number, wake: () => void): () => void;
}

/** A clock that tests move. */
export interface MovableClock extends Clock {
  /**
   * Moves the clock forward and wakes everything due on the way, in order of time.
   *
   * @param milliseconds 0 or more
   */
  advance(milliseconds: number): void;
}

/**
 * Milliseconds after which the time is looked at again: a timer knows nothing of a clock that is set, or
 * of a machine that was asleep.
 */
const longestSleep = 60_000;

/** The machine's own clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    let timer: NodeJS.Timeout;
    const sleep = () => {
      const remaining = time - Date.now();
      timer =
        remaining > longestSleep
          ? setTimeout(sleep, longestSleep)
          : setTimeout(wake, Math.max(0, remaining));
      timer.unref();
    };
    sleep();
    return () => clearTimeout(timer);
  },
};

interface Alarm {
  readonly time: number;
  readonly wake: () => void;
  /** Stops the machine's timer for it. */
  stop: () => void;
}

/** A clock that goes with the machine's, ahead of it by as much as it has been moved. */
export class AdjustableClock implements MovableClock {
  #ahead = 0;
  readonly #alarms = new Set<Alarm>();

  now(): number {
    return systemClock.now() + this.#ahead;
  }

  at(time: number, wake: () => void): () => void {
    const alarm: Alarm = { time, wake, stop: () => undefined };
    this.#alarms.add(alarm);
    this.#setTimer(alarm);
    return () => {
      this.#alarms.delete(alarm);
      alarm.stop();
    };
  }

  advance(milliseconds: number): void {
    const target = this.#ahead + milliseconds;
    for (;;) {
      const due = [...this.#alarms]
        .filter(({ time }) => time <= systemClock.now() + target)
        .sort((a, b) => a.time - b.time)[0];
      if (!due) break;
      this.#ahead = Math.max(this.#ahead, Math.min(target, due.time - systemClock.now()));
      this.#ring(due);
    }
    this.#ahead = target;
    for (const alarm of this.#alarms) {
      alarm.stop();
      this.#setTimer(alarm);
    }
  }

  #setTimer(alarm: Alarm): void {
    alarm.stop = systemClock.at(alarm.time - this.#ahead, () => this.#ring(alarm));
  }

  #ring(alarm: Alarm): void {
    alarm.stop();
    if (this.#alarms.delete(alarm)) alarm.wake();
  }
}

/** A clock that stands still until it is moved. */
export class TestClock implements MovableClock {
  #now: number;
  readonly #alarms = new Set<{ time: number; wake: () => void }>();

  /** @param start the moment it shows first; default 2026-01-01T00:00:00.000Z */
  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  at(time: number, wake: () => void): () => void {
    const alarm = { time, wake };
    if (time <= this.#now) {
      setImmediate(() => this.#ring(alarm));
    }
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  advance(milliseconds: number): void {
    const target = this.#now + milliseconds;
    for (;;) {
      const due = [...this.#alarms]
        .filter(({ time }) => time <= target)
        .sort((a, b) => a.time - b.time)[0];
      if (!due) break;
      this.#now = Math.max(this.#now, due.time);
      this.#ring(due);
    }
    this.#now = target;
  }

  #ring(alarm: { time: number; wake: () => void }): void {
    if (this.#alarms.delete(alarm)) alarm.wake();
  }
}

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
  let began: number;

  const start = () => {
    cancel();
    began = clock.now();
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
      for (;;) {
        while (underWay) await underWay;
        if (closing.signal.aborted || clock.now() - began < intervalMs) return;
        // The clock was moved during the run, which may not have seen what became due.
        start();
      }
    },
    close() {
      closing.abort();
      cancel();
      return underWay ?? Promise.resolve();
    },
  };
}

export interface RecentOptions<Value> {
  readonly clock: Clock;
  /** Milliseconds that an answer counts as recent, from its beginning on. */
  readonly forMs: number;
  readonly find: () => Promise<Value>;
}

/**
 * Finds something out at most once in a while, however many ask: those that ask meanwhile share one
 * answer, or one failure.
 */
export function recent<Value>({ clock, forMs, find }: RecentOptions<Value>): () => Promise<Value> {
  let latest: { readonly at: number; readonly value: Promise<Value> } | undefined;
  return () => {
    const now = clock.now();
    if (!latest || now - latest.at >= forMs) latest = { at: now, value: find() };
    return latest.value;
  };
}
