import type { RateLimitState, RateLimits } from '../../domain/rate-limits.ts';
import { type Tier, timestamp } from '../../domain/shapes.ts';
import { ServiceError } from '../../errors.ts';
import type { RequestState, Step } from '../state.ts';

export interface RateLimitOptions {
  readonly rateLimits: RateLimits;
  /** The tier of an address that has shown no valid credentials. */
  readonly addressTier: Tier;
}

/** Counts the request against its account or, without valid credentials, against its address. */
function countRequest(state: RequestState, options: RateLimitOptions): RateLimitState {
  const { actor, visitor } = state;
  return actor
    ? options.rateLimits.count(`user:${actor.userId}`, actor.tier)
    : options.rateLimits.count(`address:${visitor.ipAddress}`, options.addressTier);
}

/** Puts the rate-limit headers, in both spellings, on every answer, however far the request came. */
export function setRateLimitHeaders(options: RateLimitOptions): Step {
  return async (ctx, next) => {
    await next();
    ctx.state.rateLimit ??= countRequest(ctx.state, options);
    const { limit, remaining, resetAt, tier } = ctx.state.rateLimit;
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

/** The step that refuses: RATE_LIMIT_EXCEEDED when the hour or the minute is used up. */
export function limitRate(options: RateLimitOptions): Step {
  return async (ctx, next) => {
    ctx.state.rateLimit = countRequest(ctx.state, options);
    const { retryAfter } = ctx.state.rateLimit;
    if (retryAfter !== undefined) throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfter });
    await next();
  };
}
