import type { Clock } from '../../clock.ts';
import type { Tier } from '../shapes.ts';
import {
  createMemoryCounters,
  type RateLimitCounters,
  type Soon,
  type Usage,
  type WindowLimits,
} from './rate-limit-counters.ts';

export type TierLimits = WindowLimits;

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
  inspect(key: string, tier: Tier): Soon<RateLimitState>;
  /** Counts one request of this key, unless its hour or its minute is used up. */
  count(key: string, tier: Tier): Soon<RateLimitState>;
  /** Forgets everything that was counted. */
  clear(): Soon<void>;
}

const minuteLength = 60_000;
const hourLength = 60 * minuteLength;

/** Fixed windows aligned to the clock, an hour and a minute for each key. */
export function createRateLimits(
  clock: Clock,
  limits: Readonly<Record<Tier, TierLimits>>,
  counters: RateLimitCounters = createMemoryCounters(),
): RateLimits {
  /** @param counted how many requests are counted now, if there is room */
  function judge(tier: Tier, now: number, used: Usage, counted: 0 | 1): RateLimitState {
    const { requestsPerHour, requestsPerMinute } = limits[tier];
    const resetAt = nextMultiple(now, hourLength);
    let openAt = now;
    if (used.inMinute >= requestsPerMinute) openAt = nextMultiple(now, minuteLength);
    if (used.inHour >= requestsPerHour) openAt = resetAt;
    const isOpen = openAt === now;
    return {
      tier,
      limit: requestsPerHour,
      remaining: Math.max(0, requestsPerHour - used.inHour - (isOpen ? counted : 0)),
      resetAt,
      retryAfter: isOpen ? undefined : Math.ceil((openAt - now) / 1000),
    };
  }

  return {
    inspect(key, tier) {
      const now = clock.now();
      return onceKnown(counters.read(key, now), (used) => judge(tier, now, used, 0));
    },

    count(key, tier) {
      const now = clock.now();
      const used = counters.take(key, now, limits[tier]);
      return onceKnown(used, (known) => judge(tier, now, known, 1));
    },

    clear: () => counters.clear(),
  };
}

function onceKnown<T, Result>(value: Soon<T>, then: (value: T) => Result): Soon<Result> {
  return value instanceof Promise ? value.then(then) : then(value);
}

function nextMultiple(moment: number, length: number): number {
  return (Math.floor(moment / length) + 1) * length;
}
