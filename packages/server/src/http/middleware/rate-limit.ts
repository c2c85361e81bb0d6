import { networkOf } from '../../domain/accounts/login-throttle.ts';
import type { RateLimitState, RateLimits } from '../../domain/limits/rate-limits.ts';
import { type Tier, timestamp } from '../../domain/shapes.ts';
import { ServiceError } from '../../errors.ts';
import type { Context, Gate, RequestState, Step } from '../state.ts';

export interface RateLimitOptions {
  readonly rateLimits: RateLimits;
  /** The tier of an address that has shown no valid credentials. */
  readonly addressTier: Tier;
}

/** Whose limit it is: the account's or, without valid credentials, the address's. */
function holderOf({ actor, visitor }: RequestState, addressTier: Tier): [key: string, tier: Tier] {
  return actor
    ? [`user:${actor.userId}`, actor.tier]
    : [`address:${networkOf(visitor.ipAddress)}`, addressTier];
}

/** Puts the rate-limit headers, in both spellings, on every answer, however far the request came. */
export function setRateLimitHeaders(options: RateLimitOptions): Step {
  return async (ctx, next) => {
    await next();
    const { limit, remaining, resetAt, tier } =
      ctx.state.rateLimit ?? (await unjudged(ctx, options));
    const { res } = ctx;
    res.setHeader('X-RateLimit-Limit', String(limit));
    res.setHeader('X-RateLimit-Remaining', String(remaining));
    res.setHeader('X-RateLimit-Reset', String(resetAt / 1000));
    res.setHeader('X-RateLimit-Tier', tier);
    res.setHeader('X-Rate-Limit-Limit', String(limit));
    res.setHeader('X-Rate-Limit-Remaining', String(remaining));
    res.setHeader('X-Rate-Limit-Reset', timestamp(resetAt));
  };
}

/** Requests rejected before rate limiting are counted too, except CORS preflights. */
function unjudged(ctx: Context, { rateLimits, addressTier }: RateLimitOptions) {
  const holder = holderOf(ctx.state, addressTier);
  return ctx.method === 'OPTIONS' ? rateLimits.inspect(...holder) : rateLimits.count(...holder);
}

/** The step that refuses: RATE_LIMIT_EXCEEDED when the hour or the minute is used up. */
export function limitRate({ rateLimits, addressTier }: RateLimitOptions): Gate {
  return ({ state }) => {
    const counted = rateLimits.count(...holderOf(state, addressTier));
    // Counters in memory answer at once: no request pays for a promise that it does not need.
    if (counted instanceof Promise) return counted.then((counts) => admit(state, counts));
    admit(state, counted);
  };
}

function admit(state: RequestState, rateLimit: RateLimitState): void {
  state.rateLimit = rateLimit;
  const { retryAfter } = rateLimit;
  if (retryAfter !== undefined) throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfter });
}
