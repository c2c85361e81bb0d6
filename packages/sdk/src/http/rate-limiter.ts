import { RateLimitError } from '../errors.ts';
import { acceptsWait, type CallDeadline, withinCall } from './deadline.ts';

/**
 * Holds back the calls of a client while the service's rate limit is exceeded. When the window opens,
 * one call goes first, so that a window that is still closed causes one more 429 instead of one for
 * each waiting call. Each completed call without a 429 lets two more go.
 */
export class RateLimiter {
  #opensAt = 0;
  /** How many calls may be in flight at once. */
  #width = Infinity;
  #inFlight = 0;
  #waiting = 0;
  /** How often the limiter was closed: a call that began before a closing must not reopen it. */
  #closings = 0;
  /** Resolves when the last call in the queue has gone. */
  #last: Promise<void> = Promise.resolve();
  /** Wakes the first call in the queue. */
  #wake = () => {};

  /** Closes the limiter until a time of the client's clock. Never shortens an earlier closing. */
  close(opensAt: number): void {
    this.#opensAt = Math.max(this.#opensAt, opensAt);
    this.#width = 1;
    this.#closings++;
  }

  /** Whether a call may be sent without {@link acquire}. */
  isOpen(): boolean {
    return this.#width === Infinity;
  }

  /**
   * Waits until the call may be sent.
   *
   * @returns a function to call once when the call has ended; `completed` is false when the caller
   * gave up, which says nothing about the rate limit
   * @throws RateLimitError when the limiter stays closed for longer than the call waits
   */
  async acquire(call: CallDeadline): Promise<(completed: boolean) => void> {
    this.#closedMs(call);
    const before = this.#last;
    let go = () => {};
    this.#last = new Promise((resolve) => {
      go = resolve;
    });
    this.#waiting++;
    try {
      await withinCall(call, () => before);
      const closings = await this.#takeSlot(call);
      return (completed) => this.#release(closings, completed);
    } finally {
      this.#waiting--;
      // Keeps the order of the queue, also when this call has failed.
      before.then(go);
    }
  }

  /** Waits as the first in the queue. Returns how often the limiter had been closed by then. */
  async #takeSlot(call: CallDeadline): Promise<number> {
    for (;;) {
      const closedMs = this.#closedMs(call);
      if (closedMs > 0) {
        await withinCall(call, (signal) => call.clock.sleep(closedMs, signal));
      } else if (this.#inFlight >= this.#width) {
        await withinCall(call, () => this.#nextRelease());
      } else {
        this.#inFlight++;
        return this.#closings;
      }
    }
  }

  #nextRelease(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #release(closings: number, completed: boolean): void {
    this.#inFlight--;
    if (completed && closings === this.#closings) {
      this.#width = this.#waiting === 0 ? Infinity : this.#width + 1;
    }
    this.#wake();
  }

  /** How long the limiter stays closed, in milliseconds. Rejects calls that do not wait so long. */
  #closedMs(call: CallDeadline): number {
    const retryAfterMs = Math.max(0, this.#opensAt - call.clock.now());
    if (retryAfterMs === 0 || acceptsWait(call, retryAfterMs)) return retryAfterMs;
    const { method, path } = call.context;
    throw new RateLimitError(`${method} ${path}: rate limit exceeded, see retryAfterMs`, {
      ...call.context,
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      details: {},
      retryAfterMs,
    });
  }
}
