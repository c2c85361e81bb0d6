import cors from '@koa/cors';
import type { Step } from '../state.ts';

/** Cross-origin access for browsers, with the headers that clients read. */
export function allowOrigins(origins: readonly string[]): Step {
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin');
      return origins.includes('*') ? '*' : origins.includes(origin) ? origin : '';
    },
    exposeHeaders: [
      'Date',
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-RateLimit-Tier',
      'X-Rate-Limit-Limit',
      'X-Rate-Limit-Remaining',
      'X-Rate-Limit-Reset',
      'Retry-After',
      'Idempotency-Replayed',
    ],
    maxAge: 600,
  }) as Step;
}
