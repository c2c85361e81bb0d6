import { check, rejects, same } from '../check.ts';
import { JumpingClock, keyClient, requestCounter } from '../clients.ts';
import { control } from '../control.ts';
import type { Case } from '../suite.ts';

const limited = { kind: 'rateLimit', operations: 'listVaults' };

export const rateLimitCases: readonly Case[] = [
  {
    name: 'a request with a 429 response is retried after its Retry-After',
    async run(environment) {
      const clock = new JumpingClock();
      await control(environment, 'fault', { ...limited, retryAfter: 4 });
      await keyClient(environment, { clock }).vaults.list();
      const waited = clock.slept.reduce((sum, ms) => sum + ms, 0);
      // The clock runs while the response is read, which can take long on a busy machine.
      check(waited > 1_000 && waited < 5_500, `waited ${waited} ms`);
    },
  },
  {
    name: 'a Retry-After above maxRetryAfter rejects with a RateLimitError without waiting',
    async run(environment) {
      const clock = new JumpingClock();
      await control(environment, 'fault', { ...limited, retryAfter: 120 });
      await rejects(keyClient(environment, { clock }).vaults.list(), {
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
    name: '20 calls after a 429 wait for its Retry-After and send one request each',
    async run(environment) {
      const { of, onRequest } = requestCounter();
      const client = keyClient(environment, { onRequest });
      await control(environment, 'fault', { ...limited, retryAfter: 2 });
      await rejects(client.vaults.list({}, { maxRetries: 0 }), { name: 'RateLimitError' });
      await Promise.all(Array.from({ length: 20 }, () => client.vaults.list()));
      same(of('/api/v1/vaults'), 21, 'requests');
    },
  },
];
