import type { Tier } from '../generated/types.ts';
import type { Actor } from './actor.ts';
import { timestamp, type World } from './world.ts';

const hour = 3_600_000;

/** Requests an hour. */
const limits: Readonly<Record<Tier, number>> = { free: 1_000, paid: 10_000, enterprise: 100_000 };

/** Counts a request of its account, or of whoever has none, and answers the headers that tell of it. */
export function countRequest({ tables, now }: World, actor: Actor | undefined): Headers {
  const { id, tier } = actor?.user ?? { id: 'address', tier: 'enterprise' as const };
  const window = Math.floor(now() / hour);
  const key = `${id} ${window}`;
  const used = (tables.usage.get(key) ?? 0) + 1;
  tables.usage.set(key, used);
  const remaining = Math.max(0, limits[tier] - used);
  return rateLimitHeaders({ tier, remaining, resetAt: (window + 1) * hour });
}

/** The rate limit in both spellings. */
export function rateLimitHeaders(state: {
  readonly tier: Tier;
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly resetAt: number;
}): Headers {
  const limit = String(limits[state.tier]);
  const remaining = String(state.remaining);
  return new Headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': String(Math.ceil(state.resetAt / 1_000)),
    'x-ratelimit-tier': state.tier,
    'x-rate-limit-limit': limit,
    'x-rate-limit-remaining': remaining,
    'x-rate-limit-reset': timestamp(Math.ceil(state.resetAt / 1_000) * 1_000),
  });
}
