import { check, rejects, same } from '../check.ts';
import { JumpingClock, keyClient, requestCounter } from '../clients.ts';
import { control } from '../control.ts';
import type { Case } from '../suite.ts';

const limited = { fault: 'rateLimit', operation: 'listVaults' };

export const rateLimitCases: readonly Case[] = [
  {
    name: 'a 429 is waited for as long as it asks',
    async run(world) {
      const clock = new JumpingClock();
      await control(world, 'fault', { ...limited, retryAfter: 7 });
      await keyClient(world, { clock }).vaults.list();
      const waited = clock.slept.reduce((sum, ms) => sum + ms, 0);
      check(waited >= 6_990 && waited < 8_500, `waited ${waited} ms`);
    },
  },
  {
    name: 'a 429 beyond maxRetryAfter is a RateLimitError at once',
    async run(world) {
      const clock = new JumpingClock();
      await control(world, 'fault', { ...limited, retryAfter: 120 });
      await rejects(keyClient(world, { clock }).vaults.list(), {
        name: 'RateLimitError',
        code: 'RATE_LIMIT_EXCEEDED',
        status: 429,
        retryAfterMs: 120_000,
        attempts: 1,
      });
      same(clock.slept, [], 'waits');
    },
  },
  {
    name: 'calls wait together while the rate limit is closed',
    async run(world) {
      const { of, onRequest } = requestCounter();
      const client = keyClient(world, { onRequest });
      await control(world, 'fault', { ...limited, retryAfter: 2 });
      await rejects(client.vaults.list({}, { maxRetries: 0 }), { name: 'RateLimitError' });
      await Promise.all(Array.from({ length: 20 }, () => client.vaults.list()));
      same(of('/api/v1/vaults'), 21, 'requests');
    },
  },
];
