import { RateLimitError } from '@document-vault/sdk';
import { describe, expect, test, vi } from 'vitest';
import { keyClient, rejection } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, requestId, vaultBody } from './support/responses.ts';

const refused = (retryAfter: number) => () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter });
const ok = () => json(vaultBody);

describe('guarantee 4, rate limit: a longer wait is reported', () => {
  const logger = () => ({ debug: vi.fn(), warn: vi.fn() });
  const waits = ({ warn }: ReturnType<typeof logger>) =>
    warn.mock.calls.filter(([, message]) => message.startsWith('Waiting'));

  test('each wait above 2 seconds of a client is reported, with its option', async () => {
    const lines = logger();
    const { fetch } = scriptedFetch(refused(47), ok, refused(3), ok);
    const client = keyClient({ fetch, logger: lines });
    await client.vaults.get('1');
    await client.vaults.get('2');
    expect(waits(lines)).toEqual([
      [
        { method: 'GET', path: '/api/v1/vaults/{id}', attempts: 1, delayMs: 47_000 },
        'Waiting 47000 ms for the rate limit: see maxRetryAfter',
      ],
      [
        { method: 'GET', path: '/api/v1/vaults/{id}', attempts: 1, delayMs: 3_000 },
        'Waiting 3000 ms for the rate limit: see maxRetryAfter',
      ],
    ]);
  });

  test('calls that wait for the same moment are one report', async () => {
    const lines = logger();
    const { fetch } = scriptedFetch(refused(47), ok, ok, ok);
    const client = keyClient({ fetch, logger: lines });
    await rejection(client.vaults.get('1', { maxRetryAfter: 0 }));
    await Promise.all(['2', '3', '4'].map((id) => client.vaults.get(id)));
    expect(waits(lines)).toHaveLength(1);
  });

  test('a call that waits because an earlier call was refused is reported', async () => {
    const lines = logger();
    const { fetch, sent } = scriptedFetch(refused(47), ok);
    const client = keyClient({ fetch, logger: lines });
    await rejection(client.vaults.get('1', { maxRetryAfter: 0 }));
    expect(waits(lines)).toEqual([]);
    await client.vaults.get('2');
    expect(waits(lines)).toEqual([
      [
        { method: 'GET', path: '/api/v1/vaults/{id}', attempts: 0, delayMs: 47_000 },
        'Waiting 47000 ms for the rate limit: see maxRetryAfter',
      ],
    ]);
    expect(sent).toHaveLength(2);
  });

  test('a wait of 2 seconds and the delay before a retry are not reported', async () => {
    const lines = logger();
    const failed = () => failure(500, 'INTERNAL_ERROR');
    const { fetch } = scriptedFetch(refused(2), ok, failed, failed, failed, failed, ok);
    const client = keyClient({ fetch, logger: lines, maxRetries: 4, random: () => 0.99 });
    await client.vaults.get('1');
    await client.vaults.get('2');
    expect(waits(lines)).toEqual([]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('a logger that %s does not fail the call that waits', async (_, warn) => {
    const { fetch, sent } = scriptedFetch(refused(47), ok);
    const client = keyClient({ fetch, logger: { debug: () => {}, warn } });
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
    expect(sent).toHaveLength(2);
  });

  test('without a logger, console.warn reports it', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { fetch } = scriptedFetch(refused(47), ok);
    await keyClient({ fetch }).vaults.get('1');
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[1]).toMatch(/^Waiting 47000 ms/);
    warn.mockRestore();
  });
});

describe('guarantee 4, rate limit: in a browser', () => {
  test('maxRetryAfter is 5 seconds by default and can be raised', async () => {
    vi.stubGlobal('document', {});
    const { fetch } = scriptedFetch(refused(6), refused(6), ok);
    const options = { fetch, dangerouslyAllowBrowser: true };
    const error = await rejection(keyClient(options).vaults.get('1'));
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 6_000, attempts: 1 });
    const patient = keyClient({ ...options, maxRetryAfter: 60_000 });
    await expect(patient.vaults.get('1')).resolves.toEqual(vaultBody);
    vi.unstubAllGlobals();
  });
});

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
