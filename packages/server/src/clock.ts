/** Time, passed in wherever it is needed so that tests can move it. Moments are epoch milliseconds. */
export interface Clock {
  now(): number;
  /** Calls `wake` once at `time` or soon after it; a moment in the past is as soon as possible. Returns the cancellation. */
  at(time: number, wake: () => void): () => void;
}

/** The longest delay a platform timer takes; a longer wait is slept in pieces. */
const longestTimer = 2_147_483_647;

/** The machine's own clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    let timer: NodeJS.Timeout;
    const sleep = () => {
      const remaining = time - Date.now();
      timer =
        remaining > longestTimer
          ? setTimeout(sleep, longestTimer)
          : setTimeout(wake, Math.max(0, remaining));
      timer.unref();
    };
    sleep();
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until it is moved. */
export class TestClock implements Clock {
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

  /** Moves the clock forward and wakes everything due on the way, in order of time. */
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
