import type { RateLimitState, RateLimits } from '../../domain/rate-limits.ts';
import { type Tier, timestamp } from '../../domain/shapes.ts';
import { ServiceError } from '../../errors.ts';
import type { Context, RequestState, Step } from '../state.ts';

export interface RateLimitOptions {
  readonly rateLimits: RateLimits;
  /** The tier of an address that has shown no valid credentials. */
  readonly addressTier: Tier;
}

/** Whose limit it is: the account's or, without valid credentials, the address's. */
function holderOf({ actor, visitor }: RequestState, addressTier: Tier): [key: string, tier: Tier] {
  return actor
    ? [`user:${actor.userId}`, actor.tier]
    : [`address:${visitor.ipAddress}`, addressTier];
}

/** Puts the rate-limit headers, in both spellings, on every answer, however far the request came. */
export function setRateLimitHeaders(options: RateLimitOptions): Step {
  return async (ctx, next) => {
    await next();
    const { limit, remaining, resetAt, tier } = ctx.state.rateLimit ?? unjudged(ctx, options);
    ctx.set({
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(resetAt / 1000),
      'X-RateLimit-Tier': tier,
      'X-Rate-Limit-Limit': String(limit),
      'X-Rate-Limit-Remaining': String(remaining),
      'X-Rate-Limit-Reset': timestamp(resetAt),
    });
  };
}

/** A request that did not come as far as its limit counts all the same, but for a browser's preflight. */
function unjudged(ctx: Context, { rateLimits, addressTier }: RateLimitOptions): RateLimitState {
  const holder = holderOf(ctx.state, addressTier);
  return ctx.method === 'OPTIONS' ? rateLimits.inspect(...holder) : rateLimits.count(...holder);
}

/** The step that refuses: RATE_LIMIT_EXCEEDED when the hour or the minute is used up. */
export function limitRate({ rateLimits, addressTier }: RateLimitOptions): Step {
  return async (ctx, next) => {
    ctx.state.rateLimit = rateLimits.count(...holderOf(ctx.state, addressTier));
    const { retryAfter } = ctx.state.rateLimit;
    if (retryAfter !== undefined) throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfter });
    await next();
  };
}
