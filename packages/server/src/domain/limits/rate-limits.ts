import type { Clock } from '../../clock.ts';
import type { Tier } from '../shapes.ts';

/** The limit of a key in one window. */
export interface WindowState {
  /** Requests in the window. */
  readonly limit: number;
  /** Requests left in the window. */
  readonly remaining: number;
  /** The end of the window, epoch milliseconds. */
  readonly resetAt: number;
}

/** The windows in which a request counts. A large document is read by many requests at once. */
export type CountedWindows = 'hourAndMinute' | 'hour';

/** The limit of a key in the current hour, and in the current minute. */
export interface RateLimitState extends WindowState {
  readonly tier: Tier;
  readonly minute: WindowState;
  /** Whole seconds to wait when the request exceeds a limit; otherwise undefined. */
  readonly retryAfter: number | undefined;
}

export interface RateLimits {
  /** Returns the state of a key without counting. */
  inspect(key: string, tier: Tier): Promise<RateLimitState>;
  /** Returns the state of a key by what this process knows, for when the counters cannot be read. */
  known(key: string, tier: Tier): RateLimitState;
  /**
   * Counts one request unless one of its windows is used up.
   *
   * @param windows default: the hour and the minute
   */
  count(key: string, tier: Tier, windows?: CountedWindows): Promise<RateLimitState>;
  /** Clears all counts. */
  clear(): Promise<void>;
}

/** Fixed windows aligned to the clock, an hour and a minute for each key. */
export function createRateLimits(
  clock: Clock,
  limits: Readonly<Record<Tier, WindowLimits>>,
  counters: RateLimitCounters = createMemoryCounters(),
): RateLimits {
  /** @param counted the windows in which a request counts now, if there is room; undefined: in none */
  function stateOf(
    tier: Tier,
    now: number,
    used: Usage,
    counted: CountedWindows | undefined,
  ): RateLimitState {
    const { requestsPerHour, requestsPerMinute } = limits[tier];
    const resetAt = nextMultiple(now, hourLength);
    const minuteEnd = nextMultiple(now, minuteLength);
    let openAt = now;
    if (counted !== 'hour' && used.inMinute >= requestsPerMinute) openAt = minuteEnd;
    if (used.inHour >= requestsPerHour) openAt = resetAt;
    const isOpen = openAt === now;
    const inHour = isOpen && counted !== undefined ? 1 : 0;
    const inMinute = counted === 'hour' ? 0 : inHour;
    return {
      tier,
      limit: requestsPerHour,
      remaining: Math.max(0, requestsPerHour - used.inHour - inHour),
      resetAt,
      minute: {
        limit: requestsPerMinute,
        remaining: Math.max(0, requestsPerMinute - used.inMinute - inMinute),
        resetAt: minuteEnd,
      },
      retryAfter: isOpen ? undefined : Math.ceil((openAt - now) / 1000),
    };
  }

  return {
    async inspect(key, tier) {
      const now = clock.now();
      return stateOf(tier, now, await counters.read(key, now), undefined);
    },

    known(key, tier) {
      const now = clock.now();
      return stateOf(tier, now, counters.known(key, now), undefined);
    },

    async count(key, tier, windows = 'hourAndMinute') {
      const now = clock.now();
      const counted = windows === 'hour' ? hourOf(limits[tier]) : limits[tier];
      return stateOf(tier, now, await counters.take(key, now, counted), windows);
    },

    clear: () => counters.clear(),
  };
}

function hourOf({ requestsPerHour }: WindowLimits): CountedLimits {
  return { requestsPerHour, requestsPerMinute: null };
}

function nextMultiple(moment: number, length: number): number {
  return (Math.floor(moment / length) + 1) * length;
}

/** Maximum requests per hour and per minute. */
export interface WindowLimits {
  readonly requestsPerHour: number;
  readonly requestsPerMinute: number;
}

/** The windows of one request. */
export interface CountedLimits extends Pick<WindowLimits, 'requestsPerHour'> {
  /** Null: the request does not count in the minute. */
  readonly requestsPerMinute: number | null;
}

/** The requests of a key in the current hour and minute. */
export interface Usage {
  readonly inHour: number;
  readonly inMinute: number;
}

/**
 * Counts requests per key in the current clock hour and minute, both in one record. Memory counters return
 * at once, so that a request waits for nothing; counters that several processes share may return a
 * promise.
 */
export interface RateLimitCounters {
  read(key: string, now: number): Promise<Usage>;
  /** Returns what is in memory. */
  known(key: string, now: number): Usage;
  /** Counts one request atomically if no limited window is used up. Returns the usage before it. */
  take(key: string, now: number, limits: CountedLimits): Promise<Usage>;
  /** Clears all counts. */
  clear(): Promise<void>;
}

interface Window {
  minute: number;
  inMinute: number;
  inHour: number;
}

/** The start of the keys of addresses: of clients without valid credentials. */
export const addressPrefix = 'address:';

const minuteLength = 60_000;
const hourLength = 60 * minuteLength;

export const unused: Usage = { inHour: 0, inMinute: 0 };

export interface MemoryCountersOptions {
  /**
   * Maximum number of keys, for addresses and for accounts and apps each. Default 100,000, about 20 MB each. Beyond it, the oldest key of
   * the hour is dropped: an attacker with so many addresses is not limited per address, and accounts stay limited.
   */
  readonly maxKeys?: number;
}

/** Counters of one process. */
export function createMemoryCounters({
  maxKeys = 100_000,
}: MemoryCountersOptions = {}): RateLimitCounters {
  const addresses = new Map<string, Window>();
  const others = new Map<string, Window>();
  const mapOf = (key: string) => (key.startsWith(addressPrefix) ? addresses : others);
  let currentHour = 0;

  function clear(): void {
    addresses.clear();
    others.clear();
  }

  function find(key: string, now: number): Window | undefined {
    const hour = Math.floor(now / hourLength);
    if (hour !== currentHour) {
      // All windows end at the same moment, so none outlives its hour.
      clear();
      currentHour = hour;
    }
    const window = mapOf(key).get(key);
    const minute = Math.floor(now / minuteLength);
    if (window !== undefined && window.minute !== minute) {
      window.minute = minute;
      window.inMinute = 0;
    }
    return window;
  }

  function add(key: string, now: number, inMinute: number): void {
    const windows = mapOf(key);
    if (windows.size >= maxKeys) {
      for (const first of windows.keys()) {
        windows.delete(first);
        break;
      }
    }
    windows.set(key, { minute: Math.floor(now / minuteLength), inMinute, inHour: 1 });
  }

  function known(key: string, now: number): Usage {
    const window = find(key, now);
    return window ? { inHour: window.inHour, inMinute: window.inMinute } : unused;
  }

  return {
    read: async (key, now) => known(key, now),
    known,

    async take(key, now, { requestsPerHour, requestsPerMinute }) {
      const window = find(key, now);
      if (window === undefined) {
        // Every limit is at least 1.
        add(key, now, requestsPerMinute === null ? 0 : 1);
        return unused;
      }
      const before = { inHour: window.inHour, inMinute: window.inMinute };
      const isFull = requestsPerMinute !== null && before.inMinute >= requestsPerMinute;
      if (before.inHour < requestsPerHour && !isFull) {
        window.inHour += 1;
        if (requestsPerMinute !== null) window.inMinute += 1;
      }
      return before;
    },

    clear: async () => clear(),
  };
}
