import type { WindowState } from '../../generated/rules/limits.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Tier } from '../shapes.ts';
import { hourLength, minuteLength, type Usage, type Windows } from './windows.ts';

/** The windows in which a request counts. A large document is read by many requests at once. */
export type CountedWindows = 'hourAndMinute' | 'hour';

/** The limit of a key in the current hour, and in the current minute. */
export interface RateLimitState extends WindowState {
  readonly tier: Tier;
  readonly minute: WindowState;
  /** Whole seconds to wait when the request exceeds a limit; otherwise undefined. */
  readonly retryAfter: number | undefined;
}

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Maximum requests per hour and per minute. */
export interface RequestLimits {
  readonly requestsPerHour: Readonly<Record<Tier, number>>;
  readonly requestsPerMinute: Readonly<Record<Tier, number>>;
}

/** Fixed windows aligned to the clock, an hour and a minute for each key. */
export function createRateLimits(clock: Clock, limits: RequestLimits, windows: Windows) {
  /** @param counted the windows in which a request counts now, if there is room; undefined: in none */
  function stateOf(
    tier: Tier,
    now: number,
    used: Usage,
    counted: CountedWindows | undefined,
  ): RateLimitState {
    const requestsPerHour = limits.requestsPerHour[tier];
    const requestsPerMinute = limits.requestsPerMinute[tier];
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
    /** Returns the state of a key without counting. */
    async inspect(key: string, tier: Tier): Promise<RateLimitState> {
      const now = clock.now();
      return stateOf(tier, now, await windows.read(key, now), undefined);
    },

    /** Returns the state of a key by what this process knows, for when the counters cannot be read. */
    known(key: string, tier: Tier): RateLimitState {
      const now = clock.now();
      return stateOf(tier, now, windows.known(key, now), undefined);
    },

    /** Counts one request unless one of its windows is used up. */
    async count(
      key: string,
      tier: Tier,
      counted: CountedWindows = 'hourAndMinute',
    ): Promise<RateLimitState> {
      const now = clock.now();
      const usage = await windows.take(key, now, {
        requestsPerHour: limits.requestsPerHour[tier],
        requestsPerMinute: counted === 'hour' ? null : limits.requestsPerMinute[tier],
      });
      return stateOf(tier, now, usage, counted);
    },
  };
}

function nextMultiple(moment: number, length: number): number {
  return (Math.floor(moment / length) + 1) * length;
}
