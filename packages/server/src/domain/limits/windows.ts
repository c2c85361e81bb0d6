import type { FailureCharge, SharedCounters, SpentPoints } from '../../store/counters.ts';

/** The windows of one request. */
export interface CountedLimits {
  readonly requestsPerHour: number;
  /** Null: the request does not count in the minute. */
  readonly requestsPerMinute: number | null;
}

/** The requests of a key in the current hour and minute. */
export interface Usage {
  readonly inHour: number;
  readonly inMinute: number;
}

/** Counts requests, query points and wrong passwords per key, in this process or in all with one database. */
export interface Windows
  extends Pick<SharedCounters, 'spend' | 'charge' | 'refund' | 'restore' | 'clear'> {
  /** Returns the requests of a key in the current hour and minute. */
  read(key: string, now: number): Promise<Usage>;
  /** Returns the requests that this process knows of. */
  known(key: string, now: number): Usage;
  /** Counts one request atomically if no limited window is used up. Returns the usage before it. */
  take(key: string, now: number, limits: CountedLimits): Promise<Usage>;
}

interface Window {
  minute: number;
  inMinute: number;
  inHour: number;
}

/** The start of the keys of addresses: of clients without valid credentials. */
export const addressPrefix = 'address:';

export const minuteLength = 60_000;
export const hourLength = 60 * minuteLength;

export const unused: Usage = { inHour: 0, inMinute: 0 };

export interface MemoryWindowsOptions {
  /**
   * Maximum number of keys, for addresses and for accounts and apps each. Default 100,000, about 20 MB each. Beyond it,
   * the oldest key of the hour is dropped: an attacker with so many addresses is not limited per address, and accounts
   * stay limited. Failures are kept for twice as many keys. Each costs an argon2 hash, so more do not occur within the
   * ten minutes that a budget needs to recover.
   */
  readonly maxKeys?: number;
}

/** Counts in the memory of one process. */
export function createMemoryWindows({ maxKeys = 100_000 }: MemoryWindowsOptions = {}): Windows {
  const addresses = new Map<string, Window>();
  const others = new Map<string, Window>();
  const spent = new Map<string, SpentPoints>();
  /** When each budget of failures is complete again, ordered by the last charge. */
  const completions = new Map<string, number>();
  let currentHour = 0;

  const mapOf = (key: string) => (key.startsWith(addressPrefix) ? addresses : others);

  /** All windows end at the same moment, so none outlives its hour. */
  function beginHour(hour: number): void {
    if (hour === currentHour) return;
    for (const counts of [addresses, others, spent]) counts.clear();
    currentHour = hour;
  }

  function find(key: string, now: number): Window | undefined {
    beginHour(Math.floor(now / hourLength));
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
    const [oldest] = windows.keys();
    if (windows.size >= maxKeys && oldest !== undefined) windows.delete(oldest);
    windows.set(key, { minute: Math.floor(now / minuteLength), inMinute, inHour: 1 });
  }

  function known(key: string, now: number): Usage {
    const window = find(key, now);
    return window ? { inHour: window.inHour, inMinute: window.inMinute } : unused;
  }

  /** A budget is complete in time for all its failures at the latest, also when the clock was set back. */
  function completionOf({ key, failures, recoveryMs }: FailureCharge, now: number): number {
    return Math.min(Math.max(completions.get(key) ?? now, now), now + failures * recoveryMs);
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

    async spend({ key, hour, points, maxPoints, maxQueries }) {
      beginHour(hour);
      const before = spent.get(key) ?? { points: 0, queries: 0 };
      const after = { points: before.points + points, queries: before.queries + 1 };
      const fits =
        after.points <= maxPoints && (maxQueries === null || after.queries <= maxQueries);
      if (fits) spent.set(key, after);
      return { ...(fits ? after : before), fits };
    },

    async charge(charges, now) {
      const [longest] = charges
        .map((charge) => {
          const { key, failures, recoveryMs } = charge;
          return { key, waitMs: completionOf(charge, now) - now - (failures - 1) * recoveryMs };
        })
        .sort((a, b) => b.waitMs - a.waitMs);
      if (longest && longest.waitMs > 0) return longest;
      for (const charge of charges) {
        const completion = completionOf(charge, now) + charge.recoveryMs;
        completions.delete(charge.key);
        completions.set(charge.key, completion);
      }
      for (const [oldest, completion] of completions) {
        if (completions.size <= 2 * maxKeys && completion > now) break;
        completions.delete(oldest);
      }
      return undefined;
    },

    async refund(charges) {
      for (const { key, recoveryMs } of charges) {
        const completion = completions.get(key);
        if (completion !== undefined) completions.set(key, completion - recoveryMs);
      }
    },

    async restore(keys) {
      for (const key of keys) completions.delete(key);
    },

    async clear() {
      for (const counts of [addresses, others, spent, completions]) counts.clear();
    },
  };
}
