import type { SharedCounters } from '../../store/counters.ts';
import {
  type CountedLimits,
  hourLength,
  minuteLength,
  type Usage,
  unused,
  type Windows,
} from './windows.ts';

/**
 * A batch is at most a fiftieth of its limit: of 10 requests a minute each is reserved alone, of 1,000 a process
 * reserves 20. What a process reserved and did not use is lost to the others until the window ends.
 */
const batchShare = 1 / 50;
const maxBatch = 100;

/** Keys in memory, about 20 MB. What was reserved for a dropped key is lost until its window ends. */
const maxKeys = 100_000;

/** What is used by all processes, with what this one has reserved and not used. */
interface SharedWindow {
  /** The number of the hour or minute since the epoch. */
  number: number;
  taken: number;
  reserved: number;
}

interface Reservations {
  readonly hour: SharedWindow;
  readonly minute: SharedWindow;
  /** The reservation under way. */
  reserving: Promise<void> | undefined;
}

/**
 * Counts of several processes with one database. All processes together never accept more requests than a limit. A
 * process counts in memory what it has reserved, so that most requests wait for nothing.
 */
export function createSharedWindows(store: SharedCounters): Windows {
  const known = new Map<string, Reservations>();
  let currentHour = 0;

  function find(key: string, now: number): Reservations | undefined {
    const hour = Math.floor(now / hourLength);
    if (hour > currentHour) {
      known.clear();
      currentHour = hour;
    }
    const windows = known.get(key);
    if (windows) roll(windows.minute, Math.floor(now / minuteLength));
    return windows;
  }

  function begin(key: string, now: number): Reservations {
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

  async function reserve(key: string, windows: Reservations, limits: CountedLimits): Promise<void> {
    const { hour, minute } = windows;
    const { requestsPerHour, requestsPerMinute } = limits;
    const numbers = { hour: hour.number, minute: minute.number };
    const granted = await store.reserve({
      key,
      ...numbers,
      maxInHour: requestsPerHour,
      maxInMinute: requestsPerMinute ?? 0,
      wantedInHour: hour.reserved > 0 ? 0 : batchOf(requestsPerHour),
      wantedInMinute:
        requestsPerMinute === null || minute.reserved > 0 ? 0 : batchOf(requestsPerMinute),
    });
    hour.taken = granted.inHour;
    hour.reserved += granted.grantedInHour;
    // The minute may have ended meanwhile.
    if (minute.number !== numbers.minute) return;
    minute.taken = granted.inMinute;
    minute.reserved += granted.grantedInMinute;
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

    spend: (query) => store.spend(query),
    charge: (charges, now) => store.charge(charges, now),
    refund: (charges) => store.refund(charges),
    restore: (keys) => store.restore(keys),

    async clear() {
      known.clear();
      currentHour = 0;
      await store.clear();
    },
  };
}

function emptyWindow(number: number): SharedWindow {
  return { number, taken: 0, reserved: 0 };
}

function roll(window: SharedWindow, number: number): void {
  // A request can be counted after its minute has ended.
  if (window.number >= number) return;
  window.number = number;
  window.taken = 0;
  window.reserved = 0;
}

function batchOf(limit: number): number {
  return Math.min(maxBatch, Math.max(1, Math.floor(limit * batchShare)));
}

function usageOf({ hour, minute }: Reservations): Usage {
  return { inHour: hour.taken - hour.reserved, inMinute: minute.taken - minute.reserved };
}

/** Counts a request with what is known. Undefined: something must be reserved first. */
function takeKnown(windows: Reservations, limits: CountedLimits): Usage | undefined {
  const { hour, minute } = windows;
  const { requestsPerHour, requestsPerMinute } = limits;
  const before = usageOf(windows);
  const hourIsFull = before.inHour >= requestsPerHour;
  const minuteIsFull = requestsPerMinute !== null && before.inMinute >= requestsPerMinute;
  if (hourIsFull || minuteIsFull) return before;
  if (hour.reserved === 0) return undefined;
  if (requestsPerMinute === null) {
    hour.reserved -= 1;
    return before;
  }
  if (minute.reserved === 0) return undefined;
  hour.reserved -= 1;
  minute.reserved -= 1;
  return before;
}
