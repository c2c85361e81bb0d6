import type { Clock } from '../clock.ts';
import type { Tier } from './shapes.ts';

export interface TierLimits {
  readonly requestsPerHour: number;
  readonly requestsPerMinute: number;
}

/** How a key stands in its hour. */
export interface RateLimitState {
  readonly tier: Tier;
  /** Requests per hour. */
  readonly limit: number;
  /** Requests left in this hour. */
  readonly remaining: number;
  /** The end of the hour, epoch milliseconds. */
  readonly resetAt: number;
  /** Whole seconds to wait, when this request is one too many; otherwise undefined. */
  readonly retryAfter: number | undefined;
}

export interface RateLimits {
  /** Counts one request of this key, unless its hour or its minute is used up. */
  count(key: string, tier: Tier): RateLimitState;
}

interface Window {
  minute: number;
  inMinute: number;
  inHour: number;
}

const minuteLength = 60_000;
const hourLength = 60 * minuteLength;

/** Fixed windows aligned to the clock, the hour and the minute in one record per key, in memory. */
export function createRateLimits(
  clock: Clock,
  limits: Readonly<Record<Tier, TierLimits>>,
): RateLimits {
  const windows = new Map<string, Window>();
  let currentHour = 0;

  function windowOf(key: string, minute: number): Window {
    const window = windows.get(key) ?? { minute, inMinute: 0, inHour: 0 };
    if (window.minute !== minute) {
      window.minute = minute;
      window.inMinute = 0;
    }
    windows.set(key, window);
    return window;
  }

  return {
    count(key, tier) {
      const now = clock.now();
      const hour = Math.floor(now / hourLength);
      if (hour !== currentHour) {
        // Every window ends at the same moment, so that none outlives its hour.
        windows.clear();
        currentHour = hour;
      }
      const minute = Math.floor(now / minuteLength);
      const window = windowOf(key, minute);
      const { requestsPerHour, requestsPerMinute } = limits[tier];
      const resetAt = (hour + 1) * hourLength;
      const openAt =
        window.inHour >= requestsPerHour
          ? resetAt
          : window.inMinute >= requestsPerMinute
            ? (minute + 1) * minuteLength
            : now;
      if (openAt === now) {
        window.inHour += 1;
        window.inMinute += 1;
      }
      return {
        tier,
        limit: requestsPerHour,
        remaining: requestsPerHour - window.inHour,
        resetAt,
        retryAfter: openAt === now ? undefined : Math.ceil((openAt - now) / 1000),
      };
    },
  };
}
