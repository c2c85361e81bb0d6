import { RateLimitError } from '../errors.ts';
import { acceptsWait, type CallDeadline, withinCall } from './deadline.ts';

/**
 * Holds back the calls of a client while the service's rate limit is exceeded. When the window opens,
 * one call goes first, so that a window that is still closed causes one more 429 instead of one for
 * each waiting call. Each completed call without a 429 lets two more go.
 */
export interface RateLimiter {
  /** Closes the limiter until a time of the client's clock. Never shortens an earlier closing. */
  close(opensAt: number): void;
  /**
   * Returns how long the limiter stays closed, in milliseconds.
   *
   * @throws RateLimitError when the call does not wait so long
   */
  closedMs(call: CallDeadline): number;
  /**
   * Waits until the call may be sent. Undefined when it may be sent at once.
   *
   * @returns a function to call once when the call has ended; `completed` is false when the caller
   * gave up, which says nothing about the rate limit
   * @throws RateLimitError when the limiter stays closed for longer than the call waits
   */
  acquire(call: CallDeadline): Promise<(completed: boolean) => void> | undefined;
}

/** Creates a limiter that is open. */
export function createRateLimiter(): RateLimiter {
  let opensAt = 0;
  /** How many calls may be in flight at once. */
  let width = Infinity;
  let inFlight = 0;
  let waiting = 0;
  /** How often the limiter was closed: a call that began before a closing must not reopen it. */
  let closings = 0;
  /** Resolves when the last call in the queue has gone. */
  let last = Promise.resolve();
  /** Wakes the first call in the queue. */
  let wake = () => {};

  const closedMs = (call: CallDeadline): number => {
    const retryAfterMs = Math.max(0, opensAt - call.clock.now());
    if (!retryAfterMs || acceptsWait(call, retryAfterMs)) return retryAfterMs;
    const { method, path } = call.context;
    throw new RateLimitError(`${method} ${path}: rate limit exceeded, see retryAfterMs`, {
      ...call.context,
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      details: {},
      retryAfterMs,
    });
  };

  /** Waits as the first in the queue. */
  const waitForSlot = async (call: CallDeadline): Promise<void> => {
    for (;;) {
      const ms = closedMs(call);
      if (ms > 0) {
        await withinCall(call, (signal) => call.clock.sleep(ms, signal));
      } else if (inFlight >= width) {
        const released = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await withinCall(call, () => released);
      } else return;
    }
  };

  const queue = async (call: CallDeadline): Promise<(completed: boolean) => void> => {
    const before = last;
    let go = () => {};
    last = new Promise((resolve) => {
      go = resolve;
    });
    waiting++;
    try {
      await withinCall(call, () => before);
      await waitForSlot(call);
    } finally {
      waiting--;
      // Keeps the order of the queue, also when this call has failed.
      before.then(go);
    }
    inFlight++;
    const begun = closings;
    return (completed) => {
      inFlight--;
      if (completed && begun === closings) width = waiting === 0 ? Infinity : width + 1;
      wake();
    };
  };

  return {
    closedMs,
    close(until) {
      opensAt = Math.max(opensAt, until);
      width = 1;
      closings++;
    },
    acquire: (call) => (width === Infinity ? undefined : queue(call)),
  };
}
