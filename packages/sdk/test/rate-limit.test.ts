import { RateLimitError } from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, requestId, vaultBody } from './support/responses.ts';

const refused = (retryAfter: number) => () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter });
const ok = () => json(vaultBody);

describe('guarantee 4, rate limit: one call', () => {
  test('waits as long as asked and goes on', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(refused(42), ok);
    await expect(keyClient({ fetch, clock }).vaults.get('1')).resolves.toEqual(vaultBody);
    expect(clock.slept).toEqual([42_000]);
    expect(sent).toHaveLength(2);
  });

  test('never waits less, even when the timer fires early', async () => {
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

  test('throws at once when it would have to wait longer than allowed', async () => {
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

  test('throws at once when the total time would be over before', async () => {
    const clock = new JumpingClock();
    const { fetch } = scriptedFetch(refused(42));
    const error = await rejection(
      keyClient({ fetch, clock, totalTimeout: 41_000 }).vaults.get('1'),
    );
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 42_000 });
    expect(clock.slept).toEqual([]);
  });

  test('waits longer where the client or the call allows it', async () => {
    const clock = new JumpingClock();
    const { fetch } = scriptedFetch(refused(3_600), ok, refused(3_600), ok);
    const client = keyClient({ fetch, clock, maxRetryAfter: 3_600_000 });
    await client.vaults.get('1');
    const error = await rejection(client.vaults.get('1', { maxRetryAfter: 1_000 }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(clock.slept).toEqual([3_600_000]);
  });

  test('gives up after the retries it has', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(refused(1));
    const error = await rejection(keyClient({ fetch, clock }).vaults.get('1'));
    expect(error).toMatchObject({ name: 'RateLimitError', attempts: 3 });
    expect(sent).toHaveLength(3);
  });
});
