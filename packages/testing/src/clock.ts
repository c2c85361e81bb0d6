import type { Clock } from '@document-vault/sdk';

/** The clock of a test service. Pass it to clients as `clock`, so that their waits take no time. */
export interface TestClock extends Clock {
  /** Moves the clock forward by milliseconds. */
  advance(ms: number): void;
}

interface Alarm {
  readonly time: number;
  readonly wake: () => void;
}

/** How often an alarm reads the clock, in milliseconds: the other clock can move without notice. */
const maxTimer = 20;

/** A clock that runs ahead of another one by the sum of its moves. */
export class MovableClock implements TestClock {
  readonly #base: Pick<Clock, 'now'>;
  readonly #alarms = new Set<Alarm>();
  #ahead = 0;

  constructor(base: Pick<Clock, 'now'>) {
    this.#base = base;
  }

  readonly now = (): number => this.#base.now() + this.#ahead;

  readonly advance = (ms: number): void => {
    this.#ahead += ms;
    for (const alarm of this.#alarms) if (alarm.time <= this.now()) this.#ring(alarm);
  };

  readonly sleep = async (ms: number): Promise<void> => this.advance(ms);

  /** Calls `wake` once at a time. Returns a function that cancels it. */
  at(time: number, wake: () => void): () => void {
    const alarm = { time, wake };
    this.#alarms.add(alarm);
    let timer: ReturnType<typeof setTimeout>;
    const check = () => {
      const left = time - this.now();
      if (left > 0) timer = setTimeout(check, Math.min(left, maxTimer));
      else this.#ring(alarm);
    };
    timer = setTimeout(check);
    return () => {
      clearTimeout(timer);
      this.#alarms.delete(alarm);
    };
  }

  /** Takes back every move. */
  reset(): void {
    this.#ahead = 0;
  }

  #ring(alarm: Alarm): void {
    if (this.#alarms.delete(alarm)) alarm.wake();
  }
}
