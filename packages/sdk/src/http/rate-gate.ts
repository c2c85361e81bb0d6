import { RateLimitError } from '../errors.ts';
import { accepts, type Budget, within } from './limits.ts';

/**
 * Holds back the calls of a client while the service's rate limit is closed. When it opens again,
 * one call goes first, so that a window that is still closed costs one more refusal and not one for
 * each of those who wait. Each call that comes back without a refusal makes room for two.
 */
export class RateGate {
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

  /** Closes the gate until a moment of the client's clock; never shortens an earlier closing. */
  close(opensAt: number): void {
    this.#opensAt = Math.max(this.#opensAt, opensAt);
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
   * @throws RateLimitError when the gate is closed for longer than the call waits
   */
  async enter(call: Budget): Promise<(returned: boolean) => void> {
    this.#timeClosed(call);
    const before = this.#last;
    let go = () => {};
    this.#last = new Promise((resolve) => {
      go = resolve;
    });
    this.#waiting++;
    try {
      await within(call, () => before);
      const closings = await this.#takeRoom(call);
      return (returned) => this.#leave(closings, returned);
    } finally {
      this.#waiting--;
      // Also after a failure: whoever stands behind must not overtake whoever stands in front.
      before.then(go);
    }
  }

  /** Waits as the first in the queue; answers how often the gate had been closed by then. */
  async #takeRoom(call: Budget): Promise<number> {
    for (;;) {
      const closedMs = this.#timeClosed(call);
      if (closedMs > 0) {
        await within(call, (ended) => call.clock.sleep(closedMs, ended));
      } else if (this.#onTheirWay >= this.#width) {
        await within(call, () => this.#departure());
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

  /** How long the gate stays closed, in ms; whoever will not wait is refused as by the service. */
  #timeClosed(call: Budget): number {
    const retryAfterMs = Math.max(0, this.#opensAt - call.clock.now());
    if (retryAfterMs === 0 || accepts(call, retryAfterMs)) return retryAfterMs;
    const { method, path } = call.facts;
    throw new RateLimitError(`${method} ${path}: the rate limit is closed`, {
      ...call.facts,
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      details: {},
      retryAfterMs,
    });
  }
}
