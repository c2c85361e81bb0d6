import type { Clock } from '../options.ts';

/** A call that wants through the gate. */
export interface Visit {
  /** Throws when the call will not wait `ms` milliseconds. */
  accept(ms: number): void;
  /** Waits for `work` within the limits of the call. */
  wait<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

const noop = () => {};

/**
 * Holds back the calls of a client while the service's rate limit is closed. When it opens again,
 * the calls that waited go through one after the other, so that a window that is still closed costs
 * one more refusal and not one for each of them.
 */
export class RateGate {
  readonly #clock: Clock;
  #opensAt = 0;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Closes the gate for `ms` milliseconds from now; never shortens an earlier closing. */
  close(ms: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#clock.now() + ms);
  }

  /** Whether a call may be sent at once. Otherwise it has to {@link enter}. */
  isOpen(): boolean {
    return this.#waiting === 0 && this.#left() === 0;
  }

  /**
   * Waits until the call may be sent.
   *
   * @returns what to call once the call was answered
   */
  async enter(visit: Visit): Promise<() => void> {
    visit.accept(this.#left());
    const before = this.#last;
    let leave: () => void = noop;
    this.#last = new Promise((resolve) => {
      leave = () => {
        this.#waiting--;
        leave = noop;
        resolve();
      };
    });
    this.#waiting++;
    try {
      await visit.wait(() => before);
      for (let left = this.#left(); left > 0; left = this.#left()) {
        visit.accept(left);
        await visit.wait((signal) => this.#clock.sleep(left, signal));
      }
    } catch (error) {
      // Whoever stands behind must not overtake whoever stands in front.
      before.then(() => leave());
      throw error;
    }
    return () => leave();
  }

  #left(): number {
    if (this.#opensAt === 0) return 0;
    const left = this.#opensAt - this.#clock.now();
    if (left > 0) return left;
    this.#opensAt = 0;
    return 0;
  }
}
