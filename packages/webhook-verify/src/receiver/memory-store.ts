import type { EventStore } from './event-store.ts';
import { wholeNumber } from './whole-number.ts';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * How many handled events are remembered; above it, the one that was not heard of for longest is
   * forgotten. An id takes about 110 bytes. @default 100_000
   */
  readonly max?: number | undefined;
  /**
   * How long a handled event is remembered after it was last heard of, in milliseconds. At least
   * `maxAge`: a captured request then runs its handler once. @default 2_678_400_000 (31 days)
   */
  readonly ttl?: number | undefined;
  /**
   * After how long, in milliseconds, an event whose handler has not come to an end may be handled
   * anew: longer than the slowest handler. @default 300_000 (5 minutes)
   */
  readonly lease?: number | undefined;
  /** A time in milliseconds that never goes back. @default performance.now */
  readonly clock?: (() => number) | undefined;
}

interface RunningClaim {
  readonly token: string;
  readonly expiresAt: number;
}

/**
 * An {@link EventStore} in the memory of this process: an LRU cache with a time to live. It forgets
 * everything with the process, and other processes do not see it.
 *
 * @throws RangeError for an option that is not a whole number of at least 1
 */
export function memoryStore(options: MemoryStoreOptions = {}): EventStore {
  const max = wholeNumber('max', options.max ?? 100_000, { unit: 'events' });
  const ttl = wholeNumber('ttl', options.ttl ?? 2_678_400_000, { unit: 'milliseconds' });
  const lease = wholeNumber('lease', options.lease ?? 300_000, { unit: 'milliseconds' });
  const { clock = () => performance.now() } = options;
  // A Map keeps the order of insertion, which is the order in which the entries expire.
  const running = new Map<string, RunningClaim>();
  const done = new Map<string, number>();

  const remember = (id: string, now: number) => {
    done.delete(id);
    done.set(id, now + ttl);
  };
  const forgetExpired = (now: number) => {
    for (const [id, { expiresAt }] of running) {
      if (expiresAt > now) break;
      running.delete(id);
    }
    for (const [id, expiresAt] of done) {
      if (expiresAt > now && done.size <= max) break;
      done.delete(id);
    }
  };

  return {
    claim(id, token) {
      const now = clock();
      forgetExpired(now);
      if (done.has(id)) {
        remember(id, now);
        return 'done';
      }
      if (running.has(id)) return 'running';
      running.set(id, { token, expiresAt: now + lease });
      return 'claimed';
    },
    complete(id) {
      const now = clock();
      running.delete(id);
      remember(id, now);
      forgetExpired(now);
    },
    release(id, token) {
      if (running.get(id)?.token === token) running.delete(id);
    },
  };
}
