/** The source of time. It is passed in, so that tests can move it. Timestamps are epoch milliseconds. */
export interface Clock {
  now(): number;
  /** Calls `wake` once, at `time` or soon after it; for a past `time` as soon as possible. Returns a function that cancels it. */
  at(time: number, wake: () => void): () => void;
}

/** A clock that tests move. */
export interface MovableClock extends Clock {
  /**
   * Moves the clock forward and calls every `wake` that becomes due, in order of time.
   *
   * @param milliseconds 0 or more, rounded up to whole ones: the store keeps times as integers
   */
  advance(milliseconds: number): void;
}

/** Longest timer in milliseconds. A timer notices neither a change of the system time nor a suspended machine. */
const maxTimer = 60_000;

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    let timer: NodeJS.Timeout;
    const sleep = () => {
      const remaining = time - Date.now();
      timer =
        remaining > maxTimer
          ? setTimeout(sleep, maxTimer)
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
  /** Stops its system timer. */
  stop: () => void;
}

/** A clock that runs with the system clock, ahead of it by the sum of its moves. */
export class AdjustableClock implements MovableClock {
  readonly #base: Clock;
  #ahead = 0;
  readonly #alarms = new Set<Alarm>();

  /** @param base the clock that it runs with. Default: the system clock */
  constructor(base: Clock = systemClock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.#ahead;
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
    const target = this.#ahead + Math.ceil(milliseconds);
    for (;;) {
      const due = [...this.#alarms]
        .filter(({ time }) => time <= this.#base.now() + target)
        .sort((a, b) => a.time - b.time)[0];
      if (!due) break;
      this.#ahead = Math.max(this.#ahead, Math.min(target, due.time - this.#base.now()));
      this.#ring(due);
    }
    this.#ahead = target;
    for (const alarm of this.#alarms) {
      alarm.stop();
      this.#setTimer(alarm);
    }
  }

  #setTimer(alarm: Alarm): void {
    alarm.stop = this.#base.at(alarm.time - this.#ahead, () => this.#ring(alarm));
  }

  #ring(alarm: Alarm): void {
    alarm.stop();
    if (this.#alarms.delete(alarm)) alarm.wake();
  }
}

/** A clock that changes only when it is moved. */
export class TestClock extends AdjustableClock {
  /** @param start epoch milliseconds; default 2026-01-01T00:00:00.000Z */
  constructor(start = Date.UTC(2026, 0, 1)) {
    super({
      now: () => start,
      at(time, wake) {
        if (time > start) return () => undefined;
        const timer = setImmediate(wake);
        return () => clearImmediate(timer);
      },
    });
  }
}

/** A periodic task. Its runs never overlap: the next one is due an interval after the end of the previous one. */
export interface Periodic {
  /** Resolves when no run is due or in progress. */
  settled(): Promise<void>;
  /** Starts no further run, and resolves when the current run has ended. */
  close(): Promise<void>;
}

export interface PeriodicOptions {
  readonly clock: Clock;
  /** Milliseconds between the end of a run and the next. */
  readonly intervalMs: number;
  /** `close` aborts the signal and waits for the run, so that a long run should end early. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Receives the error of a failed run. Later runs follow as usual. */
  readonly onError: (error: unknown) => void;
}

/** Starts the first run immediately. */
export function startPeriodic({ clock, intervalMs, run, onError }: PeriodicOptions): Periodic {
  let running: Promise<void> | undefined;
  const closing = new AbortController();
  let cancel: () => void = () => undefined;
  let began: number;

  const start = () => {
    cancel();
    began = clock.now();
    running = run(closing.signal)
      .catch(onError)
      .then(() => {
        running = undefined;
        if (!closing.signal.aborted) cancel = clock.at(clock.now() + intervalMs, start);
      });
  };
  start();

  return {
    async settled() {
      for (;;) {
        while (running) await running;
        if (closing.signal.aborted || clock.now() - began < intervalMs) return;
        // The clock moved during the run, which may have missed tasks that became due.
        start();
      }
    },
    close() {
      closing.abort();
      cancel();
      return running ?? Promise.resolve();
    },
  };
}

export interface CacheOptions<Value> {
  readonly clock: Clock;
  /** Milliseconds from the start of `load` until the value is stale. */
  readonly maxAgeMs: number;
  readonly load: () => Promise<Value>;
}

/**
 * Limits how often a value is loaded. Calls within `maxAgeMs` share one promise, rejected ones included.
 */
export function cachedFor<Value>(options: CacheOptions<Value>): () => Promise<Value> {
  const { clock, maxAgeMs, load } = options;
  let latest: { readonly at: number; readonly value: Promise<Value> } | undefined;
  return () => {
    const now = clock.now();
    if (!latest || now - latest.at >= maxAgeMs) latest = { at: now, value: load() };
    return latest.value;
  };
}

/** Loads a value at the first call and keeps it. After a rejection, the next call loads again. */
export function loadedOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
