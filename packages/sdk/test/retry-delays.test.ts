import { ServerError } from '@document-vault/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestedWait } from '../src/http/responses.ts';
import { backoff } from '../src/http/retry.ts';
import { keyClient, rejection } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { type Reaction, scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';

const ok: Reaction = () => json(vaultBody);

describe('guarantee 3: the delay between attempts', () => {
  test.each([
    [0, 0, 250],
    [0, 0.5, 375],
    [1, 0, 250],
    [1, 1, 1_000],
    [3, 1, 4_000],
    [4, 1, 8_000],
    [9, 1, 8_000],
    [9, 0, 250],
  ])('waits between half the base and the ceiling: retry %i, random %d', (retry, random, ms) => {
    expect(backoff(retry, random)).toBe(ms);
  });

  test('the delay uses the random source and the clock of the options', async () => {
    const clock = new JumpingClock();
    const { fetch } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
    await rejection(keyClient({ fetch, clock, random: () => 0.5 }).vaults.get('1'));
    expect(clock.slept).toEqual([375, 625]);
  });

  test('the delay is between half the base and the ceiling for every random number', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat({ max: 100 }), random, (retry, share) => {
        const ms = backoff(retry, share);
        expect(ms).toBeGreaterThanOrEqual(250);
        expect(ms).toBeLessThanOrEqual(Math.min(8_000, 500 * 2 ** retry));
      }),
    );
  });

  test('the client waits for the computed delay before each retry', async () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.array(random, { maxLength: 12 }), async (shares) => {
        const clock = new JumpingClock();
        const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
        const left = [...shares, 0];
        const client = keyClient({ fetch, clock, random: () => left.shift() ?? 0 });
        await rejection(client.vaults.get('1', { maxRetries: shares.length }));
        expect(clock.slept).toEqual(shares.map((share, retry) => backoff(retry, share)));
        expect(sent).toHaveLength(shares.length + 1);
      }),
    );
  });

  test('no retry starts whose delay exceeds the rest of totalTimeout', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
    const client = keyClient({ fetch, clock, random: () => 0.5, totalTimeout: 900 });
    const error = await rejection(client.vaults.get('1'));
    expect(error).toBeInstanceOf(ServerError);
    expect(sent).toHaveLength(2);
    expect(clock.slept).toEqual([375]);
  });
});

describe('guarantee 4: the wait that a response asks for', () => {
  const now = Date.UTC(2026, 2, 2, 9, 0, 0);
  const at = (seconds: number) => new Date(now + seconds * 1_000);
  const waitOf = (status: number, headers: Headers, retryAfter: unknown) => {
    // The body of a response is not validated: it may hold a value of any type.
    const error = { retryAfter: retryAfter as number };
    return requestedWait({ response: { headers } as Response, status, error, receivedAt: now });
  };
  test.each<[string, number, Record<string, string>, unknown, number | undefined]>([
    ['seconds', 429, { 'retry-after': '120' }, undefined, 120_000],
    ['a date', 429, { 'retry-after': at(90).toUTCString() }, undefined, 90_000],
    [
      "a date by the server's clock",
      429,
      { 'retry-after': at(3_690).toUTCString(), date: at(3_600).toUTCString() },
      undefined,
      90_000,
    ],
    ["the body's seconds", 429, {}, 42, 42_000],
    ['the longer of header and body', 429, { 'retry-after': '5' }, 42, 42_000],
    [
      'the reset in seconds',
      429,
      { 'x-ratelimit-reset': `${at(30).getTime() / 1_000}` },
      undefined,
      30_000,
    ],
    [
      'the reset in ISO 8601',
      429,
      { 'x-rate-limit-reset': at(31).toISOString() },
      undefined,
      31_000,
    ],
    [
      'the reset only without more',
      429,
      { 'retry-after': '5', 'x-ratelimit-reset': `${at(3_000).getTime() / 1_000}` },
      undefined,
      5_000,
    ],
    [
      'no reset but for 429',
      503,
      { 'x-ratelimit-reset': `${at(30).getTime() / 1_000}` },
      undefined,
      undefined,
    ],
    ['Retry-After of a 503', 503, { 'retry-after': '3' }, undefined, 3_000],
    ['no nonsense', 429, { 'retry-after': 'soon' }, 'later', undefined],
    ['no negative number', 429, { 'retry-after': '-5' }, -5, undefined],
    ['no number for a year', 429, { 'retry-after': '2050' }, undefined, 2_050_000],
    ['a number with white space', 429, { 'retry-after': ' 7 ' }, undefined, 7_000],
    ['a part of a second', 429, { 'retry-after': '0.25' }, undefined, 250],
    ['more than any wait', 429, { 'retry-after': '86400000' }, undefined, 86_400_000_000],
    ['no other notation', 429, { 'retry-after': '0x10' }, '1e3', undefined],
    ['no two values at once', 429, { 'retry-after': '5, 10' }, undefined, undefined],
    ['no infinity', 429, { 'retry-after': 'Infinity' }, Number.POSITIVE_INFINITY, undefined],
    ['no value of another type', 429, {}, [5], undefined],
    [
      'the reset by the clock of the server',
      429,
      {
        'x-ratelimit-reset': `${at(3_630).getTime() / 1_000}`,
        date: at(3_600).toUTCString(),
      },
      undefined,
      30_000,
    ],
    ['a reset gone by as none', 429, { 'x-ratelimit-reset': '1' }, undefined, 0],
    ['no reset that is no moment', 429, { 'x-rate-limit-reset': 'later' }, undefined, undefined],
    ['a moment gone by as none', 429, { 'retry-after': at(-90).toUTCString() }, undefined, 0],
  ])('reads from an answer %s', (_, status, headers, retryAfter, expected) => {
    expect(waitOf(status, new Headers(headers), retryAfter)).toBe(expected);
  });

  test('the wait is at least the largest valid value of header and body, and parsing never throws', () => {
    const seconds = fc.nat({ max: 100_000 });
    const text = fc.oneof(seconds.map(String), fc.string({ unit: 'grapheme-ascii' }));
    fc.assert(
      fc.property(
        text,
        fc.oneof(seconds, fc.anything()),
        fc.nat({ max: 1_000 }),
        (header, body, at) => {
          const headers = new Headers({
            'retry-after': header,
            'x-ratelimit-reset': `${Math.ceil(now / 1_000) + at}`,
          });
          const asked = waitOf(429, headers, body) ?? 0;
          expect(asked).toBeGreaterThanOrEqual(0);
          if (typeof body === 'number' && Number.isInteger(body) && body >= 0) {
            expect(asked).toBeGreaterThanOrEqual(body < 1e21 ? body * 1_000 : 0);
          }
          if (/^\d+$/.test(header.trim())) {
            expect(asked).toBeGreaterThanOrEqual(Number(header) * 1_000);
          }
        },
      ),
    );
  });

  test('a 503 response is retried after its Retry-After', async () => {
    const clock = new JumpingClock();
    const busy = () => failure(503 as 500, 'INTERNAL_ERROR', { headers: { 'retry-after': '9' } });
    const { fetch } = scriptedFetch(busy, ok);
    await keyClient({ fetch, clock }).vaults.get('1');
    expect(clock.slept).toEqual([9_000]);
  });

  test('a 503 response with a Retry-After above maxRetryAfter rejects without waiting', async () => {
    const busy = () => failure(503, 'INTERNAL_ERROR', { headers: { 'retry-after': '61' } });
    const { fetch, sent } = scriptedFetch(busy, ok);
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toMatchObject({ name: 'ServerError', retryAfterMs: 61_000 });
    expect(sent).toHaveLength(1);
  });

  test('a 429 above maxRetryAfter rejects the next calls at once with the remaining wait', async () => {
    const forAges = { headers: { 'retry-after': '86400000' } };
    const { fetch, sent } = scriptedFetch(() => failure(429, 'RATE_LIMIT_EXCEEDED', forAges));
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toMatchObject({
      name: 'RateLimitError',
      retryAfterMs: 86_400_000_000,
      attempts: 1,
    });
    expect(sent).toHaveLength(1);
  });
});
