/** The most requests in the hour and in the minute. */
export interface WindowLimits {
  readonly requestsPerHour: number;
  readonly requestsPerMinute: number;
}

/** What a key has used of the hour and the minute that it is. */
export interface Usage {
  readonly inHour: number;
  readonly inMinute: number;
}

/** Here at once, or later where somebody else has to be asked. */
export type Soon<T> = T | Promise<T>;

/**
 * Where requests are counted, by key: in the hour and the minute as the clock has them, both in one
 * record. One process counts in its memory and answers at once, so that a request waits for nothing;
 * counters that several processes share may answer later.
 */
export interface RateLimitCounters {
  read(key: string, now: number): Soon<Usage>;
  /** Counts one request if neither window is used up, in one step; answers what was used before it. */
  take(key: string, now: number, limits: WindowLimits): Soon<Usage>;
  /** Forgets everything that was counted. */
  clear(): Soon<void>;
}

interface Window {
  minute: number;
  inMinute: number;
  inHour: number;
}

const minuteLength = 60_000;
const hourLength = 60 * minuteLength;

const unused: Usage = { inHour: 0, inMinute: 0 };

export interface MemoryCountersOptions {
  /**
   * Keys whose counts are kept, default 100,000 (some 20 MB). Beyond them the key that came first in
   * the hour begins anew: whoever has that many addresses is not held by a limit for each.
   */
  readonly maxKeys?: number;
}

/** Counters of one process. */
export function createMemoryCounters({
  maxKeys = 100_000,
}: MemoryCountersOptions = {}): RateLimitCounters {
  const windows = new Map<string, Window>();
  let currentHour = 0;

  function find(key: string, now: number): Window | undefined {
    const hour = Math.floor(now / hourLength);
    if (hour !== currentHour) {
      // Every window ends at the same moment, so that none outlives its hour.
      windows.clear();
      currentHour = hour;
    }
    const window = windows.get(key);
    const minute = Math.floor(now / minuteLength);
    if (window !== undefined && window.minute !== minute) {
      window.minute = minute;
      window.inMinute = 0;
    }
    return window;
  }

  function add(key: string, now: number): void {
    if (windows.size >= maxKeys) {
      for (const first of windows.keys()) {
        windows.delete(first);
        break;
      }
    }
    windows.set(key, { minute: Math.floor(now / minuteLength), inMinute: 1, inHour: 1 });
  }

  return {
    read(key, now) {
      const window = find(key, now);
      return window ? { inHour: window.inHour, inMinute: window.inMinute } : unused;
    },

    take(key, now, { requestsPerHour, requestsPerMinute }) {
      const window = find(key, now);
      if (window === undefined) {
        // Every limit is one at least.
        add(key, now);
        return unused;
      }
      const before = { inHour: window.inHour, inMinute: window.inMinute };
      if (before.inHour < requestsPerHour && before.inMinute < requestsPerMinute) {
        window.inHour += 1;
        window.inMinute += 1;
      }
      return before;
    },

    clear: () => windows.clear(),
  };
}
