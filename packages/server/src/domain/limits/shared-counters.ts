import type { SharedCounters } from '../../store/counters.ts';
import { type CountedLimits, type RateLimitCounters, type Usage, unused } from './rate-limits.ts';

const minuteLength = 60_000;
const hourLength = 60 * minuteLength;

/**
 * A batch is at most a fiftieth of its limit: of 10 requests a minute each is reserved alone, of 1,000 a process
 * reserves 20. What a process reserved and did not use is lost to the others until the window ends.
 */
const batchShare = 1 / 50;
const maxBatch = 100;

/** Keys in memory, about 20 MB. What was reserved for a dropped key is lost until its window ends. */
const maxKeys = 100_000;

/** What is used by all processes, with what this one has reserved and not used. */
interface Window {
  /** The number of the hour or minute since the epoch. */
  number: number;
  taken: number;
  unused: number;
}

interface Windows {
  readonly hour: Window;
  readonly minute: Window;
  /** The reservation under way. */
  reserving: Promise<void> | undefined;
}

/**
 * Request counters of several processes with one database. All processes together never accept more requests than a
 * limit. A process counts in memory what it has reserved, so that most requests wait for nothing.
 */
export function createSharedRequestCounters(
  store: Pick<SharedCounters, 'windows' | 'reserve' | 'clear'>,
): RateLimitCounters {
  const known = new Map<string, Windows>();
  let currentHour = 0;

  function find(key: string, now: number): Windows | undefined {
    const hour = Math.floor(now / hourLength);
    if (hour > currentHour) {
      known.clear();
      currentHour = hour;
    }
    const windows = known.get(key);
    if (windows) roll(windows.minute, Math.floor(now / minuteLength));
    return windows;
  }

  function begin(key: string, now: number): Windows {
    const found = find(key, now);
    if (found) return found;
    const [oldest] = known.keys();
    if (known.size >= maxKeys && oldest !== undefined) known.delete(oldest);
    const windows = {
      hour: emptyWindow(currentHour),
      minute: emptyWindow(Math.floor(now / minuteLength)),
      reserving: undefined,
    };
    known.set(key, windows);
    return windows;
  }

  async function reserve(key: string, windows: Windows, limits: CountedLimits): Promise<void> {
    const { hour, minute } = windows;
    const { requestsPerHour, requestsPerMinute } = limits;
    const numbers = { hour: hour.number, minute: minute.number };
    const reserved = await store.reserve({
      key,
      ...numbers,
      maxInHour: requestsPerHour,
      maxInMinute: requestsPerMinute ?? 0,
      wantedInHour: hour.unused > 0 ? 0 : batchOf(requestsPerHour),
      wantedInMinute:
        requestsPerMinute === null || minute.unused > 0 ? 0 : batchOf(requestsPerMinute),
    });
    hour.taken = reserved.inHour;
    hour.unused += reserved.grantedInHour;
    // The minute may have ended meanwhile.
    if (minute.number !== numbers.minute) return;
    minute.taken = reserved.inMinute;
    minute.unused += reserved.grantedInMinute;
  }

  async function takeReserved(key: string, now: number, limits: CountedLimits): Promise<Usage> {
    for (;;) {
      const windows = begin(key, now);
      windows.reserving ??= reserve(key, windows, limits).finally(() => {
        windows.reserving = undefined;
      });
      await windows.reserving;
      const usage = takeKnown(windows, limits);
      if (usage) return usage;
    }
  }

  return {
    async read(key, now) {
      const windows = find(key, now);
      if (windows) return usageOf(windows);
      const minute = Math.floor(now / minuteLength);
      return (await store.windows(key, currentHour, minute)) ?? unused;
    },

    known(key, now) {
      const windows = find(key, now);
      return windows ? usageOf(windows) : unused;
    },

    async take(key, now, limits) {
      const windows = find(key, now);
      return (windows && takeKnown(windows, limits)) ?? takeReserved(key, now, limits);
    },

    async clear() {
      known.clear();
      currentHour = 0;
      await store.clear();
    },
  };
}

function emptyWindow(number: number): Window {
  return { number, taken: 0, unused: 0 };
}

function roll(window: Window, number: number): void {
  // A request can be counted after its minute has ended.
  if (window.number >= number) return;
  window.number = number;
  window.taken = 0;
  window.unused = 0;
}

function batchOf(limit: number): number {
  return Math.min(maxBatch, Math.max(1, Math.floor(limit * batchShare)));
}

function usageOf({ hour, minute }: Windows): Usage {
  return { inHour: hour.taken - hour.unused, inMinute: minute.taken - minute.unused };
}

/** Counts a request with what is known. Undefined: something must be reserved first. */
function takeKnown(windows: Windows, limits: CountedLimits): Usage | undefined {
  const { hour, minute } = windows;
  const { requestsPerHour, requestsPerMinute } = limits;
  const before = usageOf(windows);
  const hourIsFull = before.inHour >= requestsPerHour;
  const minuteIsFull = requestsPerMinute !== null && before.inMinute >= requestsPerMinute;
  if (hourIsFull || minuteIsFull) return before;
  if (hour.unused === 0) return undefined;
  if (requestsPerMinute === null) {
    hour.unused -= 1;
    return before;
  }
  if (minute.unused === 0) return undefined;
  hour.unused -= 1;
  minute.unused -= 1;
  return before;
}
