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
  /** How this key stands, with nothing counted. */
  inspect(key: string, tier: Tier): RateLimitState;
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

  function windowOf(key: string, now: number): Window {
    const hour = Math.floor(now / hourLength);
    if (hour !== currentHour) {
      // Every window ends at the same moment, so that none outlives its hour.
      windows.clear();
      currentHour = hour;
    }
    const minute = Math.floor(now / minuteLength);
    const window = windows.get(key) ?? { minute, inMinute: 0, inHour: 0 };
    if (window.minute !== minute) {
      window.minute = minute;
      window.inMinute = 0;
    }
    return window;
  }

  function look(key: string, tier: Tier): { window: Window; state: RateLimitState } {
    const now = clock.now();
    const window = windowOf(key, now);
    const { requestsPerHour, requestsPerMinute } = limits[tier];
    const resetAt = nextMultiple(now, hourLength);
    let openAt = now;
    if (window.inMinute >= requestsPerMinute) openAt = nextMultiple(now, minuteLength);
    if (window.inHour >= requestsPerHour) openAt = resetAt;
    const state = {
      tier,
      limit: requestsPerHour,
      remaining: Math.max(0, requestsPerHour - window.inHour),
      resetAt,
      retryAfter: openAt === now ? undefined : Math.ceil((openAt - now) / 1000),
    };
    return { window, state };
  }

  return {
    inspect: (key, tier) => look(key, tier).state,

    count(key, tier) {
      const { window, state } = look(key, tier);
      if (state.retryAfter !== undefined) return state;
      window.inHour += 1;
      window.inMinute += 1;
      windows.set(key, window);
      return { ...state, remaining: state.remaining - 1 };
    },
  };
}

function nextMultiple(moment: number, length: number): number {
  return (Math.floor(moment / length) + 1) * length;
}
