import { RateLimitError } from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, requestId, vaultBody } from './support/responses.ts';

const refused = (retryAfter: number) => () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter });
const ok = () => json(vaultBody);

describe('guarantee 4, rate limit: one call', () => {
  test('a call with a 429 response is retried after its Retry-After', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(refused(42), ok);
    await expect(keyClient({ fetch, clock }).vaults.get('1')).resolves.toEqual(vaultBody);
    expect(clock.slept).toEqual([42_000]);
    expect(sent).toHaveLength(2);
  });

  test('a retry is not sent before Retry-After has passed when the timer fires early', async () => {
    const clock = new JumpingClock();
    const slept: number[] = [];
    const early = {
      now: () => clock.now(),
      sleep: async (ms: number) => {
        slept.push(ms);
        clock.advance(Math.max(1, ms - 3));
      },
    };
    const sentAt: number[] = [];
    const { fetch } = scriptedFetch(refused(10), ok);
    const begin = clock.now();
    await keyClient({
      fetch,
      clock: early,
      onRequest: () => sentAt.push(clock.now() - begin),
    }).vaults.get('1');
    expect(sentAt[1]).toBeGreaterThanOrEqual(10_000);
    expect(slept.length).toBeGreaterThan(1);
  });

  test('a Retry-After above maxRetryAfter throws a RateLimitError without waiting', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(refused(61));
    const error = await rejection(keyClient({ fetch, clock }).vaults.get('1'));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      status: 429,
      retryAfterMs: 61_000,
      requestId,
      attempts: 1,
    });
    expect(sent).toHaveLength(1);
    expect(clock.slept).toEqual([]);
  });

  test('a Retry-After beyond totalTimeout throws a RateLimitError without waiting', async () => {
    const clock = new JumpingClock();
    const { fetch } = scriptedFetch(refused(42));
    const error = await rejection(
      keyClient({ fetch, clock, totalTimeout: 41_000 }).vaults.get('1'),
    );
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 42_000 });
    expect(clock.slept).toEqual([]);
  });

  test('a call waits longer when maxRetryAfter of the client or of the call is higher', async () => {
    const clock = new JumpingClock();
    const { fetch } = scriptedFetch(refused(3_600), ok, refused(3_600), ok);
    const client = keyClient({ fetch, clock, maxRetryAfter: 3_600_000 });
    await client.vaults.get('1');
    const error = await rejection(client.vaults.get('1', { maxRetryAfter: 1_000 }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(clock.slept).toEqual([3_600_000]);
  });

  test('a call throws a RateLimitError after maxRetries 429 responses', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(refused(1));
    const error = await rejection(keyClient({ fetch, clock }).vaults.get('1'));
    expect(error).toMatchObject({ name: 'RateLimitError', attempts: 3 });
    expect(sent).toHaveLength(3);
  });
});
