import type { Clock } from '../options.ts';

/** A call that wants through the gate. */
export interface Visit {
  /** Throws when the call will not wait `ms` milliseconds. */
  accept(ms: number): void;
  /** Waits for `work` within the limits of the call. */
  wait<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/**
 * Holds back the calls of a client while the service's rate limit is closed. When it opens again,
 * one call goes first, so that a window that is still closed costs one more refusal and not one for
 * each of those who wait. Each call that comes back without a refusal makes room for two.
 */
export class RateGate {
  readonly #clock: Clock;
  #opensAt = 0;
  /** How many may be on their way at once. */
  #width = Infinity;
  #onTheirWay = 0;
  #waiting = 0;
  #closings = 0;
  /** Resolves when the last in the queue has gone. */
  #last: Promise<void> = Promise.resolve();
  /** Tells the first in the queue that there may be room. */
  #wake = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Closes the gate for `ms` milliseconds from now; never shortens an earlier closing. */
  close(ms: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#clock.now() + ms);
    this.#width = 1;
    this.#closings++;
  }

  /** Whether a call may be sent at once. Otherwise it has to {@link enter}. */
  isOpen(): boolean {
    return this.#width === Infinity;
  }

  /**
   * Waits until the call may be sent.
   *
   * @returns what to call, once, when the call is over; `returned` is false when its caller gave it up
   */
  async enter(visit: Visit): Promise<(returned: boolean) => void> {
    visit.accept(this.#left());
    const before = this.#last;
    let go = () => {};
    this.#last = new Promise((resolve) => {
      go = resolve;
    });
    this.#waiting++;
    try {
      await visit.wait(() => before);
      const closings = await this.#takeRoom(visit);
      return (returned) => this.#leave(closings, returned);
    } finally {
      this.#waiting--;
      // Also after a failure: whoever stands behind must not overtake whoever stands in front.
      before.then(go);
    }
  }

  /** Waits as the first in the queue; answers how often the gate had been closed by then. */
  async #takeRoom(visit: Visit): Promise<number> {
    for (;;) {
      const left = this.#left();
      if (left > 0) {
        visit.accept(left);
        await visit.wait((signal) => this.#clock.sleep(left, signal));
      } else if (this.#onTheirWay >= this.#width) {
        await visit.wait(() => this.#departure());
      } else {
        this.#onTheirWay++;
        return this.#closings;
      }
    }
  }

  #departure(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** A call that was given up says nothing about the window. */
  #leave(closings: number, returned: boolean): void {
    this.#onTheirWay--;
    if (returned && closings === this.#closings) {
      this.#width = this.#waiting === 0 ? Infinity : this.#width + 1;
    }
    this.#wake();
  }

  #left(): number {
    return Math.max(0, this.#opensAt - this.#clock.now());
  }
}
