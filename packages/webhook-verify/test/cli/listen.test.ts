import { describe, expect, test } from 'vitest';
import { secret } from '../support/builds.ts';
import { command, run } from '../support/cli/command-line.ts';
import { listen } from '../support/cli/listen.ts';
import { startServer } from '../support/cli/servers.ts';

test('webhook-verify secret prints another secret of 240 bits each time', async () => {
  const [first, second] = [await run(['secret']), await command(['secret'])];
  for (const { code, out, err } of [first, second]) {
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringMatching(/^whsec_[\w+/]{40}\n$/),
      err: '',
    });
  }
  expect(first.out).not.toBe(second.out);
});

interface StubResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ids?: readonly string[];
  readonly hasNextPage?: boolean;
}

const now = 'Mon, 02 Mar 2026 09:00:00 GMT';
const seconds = Date.parse(now) / 1000;

/** A service that returns these pages in turn, and the last one from then on. */
async function startStub(responses: readonly StubResponse[]) {
  const left = [...responses];
  const { url, requests } = await startServer((_, response) => {
    const [next = {}] = left.length > 1 ? left.splice(0, 1) : left;
    const { status = 200, headers = {}, ids = [], hasNextPage = false } = next;
    response.writeHead(status, { date: now, ...headers });
    const data = ids.map((id) => ({ id, type: 'vault.created', timestamp: '' }));
    response.end(JSON.stringify({ data, pagination: { hasNextPage } }));
  });
  const sent = (name: string) =>
    requests.map(({ path = '' }) => new URL(path, url).searchParams.get(name));
  return { from: new URL(url).origin, queries: () => sent('since'), pages: () => sent('page') };
}

describe('webhook-verify listen, polling', () => {
  const step = () => undefined;

  test('reads 60 seconds again and drops the ids that it has seen', async () => {
    const { url: to, requests } = await startServer();
    const later = { date: 'Mon, 02 Mar 2026 09:02:00 GMT' };
    const { from, queries } = await startStub([
      { ids: ['evt_0'] },
      { ids: ['evt_2', 'evt_0'], headers: later },
      { ids: ['evt_3', 'evt_2', 'evt_1'], headers: later },
      { ids: [] },
    ]);
    await listen({ from, to, apiKey: 'key', steps: [step, step, step] });
    expect(queries()).toEqual([
      null,
      '2026-03-02T09:00:00.000Z',
      '2026-03-02T09:01:00.000Z',
      '2026-03-02T09:01:00.000Z',
    ]);
    const ids = requests.map(({ body }) => JSON.parse(body.toString()).id);
    expect(ids).toEqual(['evt_2', 'evt_1', 'evt_3']);
  });

  test.each([
    ['no limit', {}, 10_000],
    ['many requests left', { 'x-ratelimit-remaining': '990', 'x-ratelimit-reset': '3600' }, 10_000],
    [
      'few requests left in the hour',
      { 'x-ratelimit-remaining': '36', 'x-ratelimit-reset': '3600' },
      200_000,
    ],
    [
      'few requests left in the minute',
      { 'x-ratelimit-minute-remaining': '4', 'x-ratelimit-minute-reset': '50' },
      25_000,
    ],
    ['no request left', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '120' }, 120_000],
    [
      'a server with a moved clock',
      { 'x-ratelimit-minute-remaining': '1', 'x-ratelimit-minute-reset': '999999' },
      60_000,
    ],
  ])('waits for half of the remaining requests: %s', async (_, limits, wait) => {
    const headers = Object.entries<string>(limits).map(([name, value]) => [
      name,
      name.endsWith('reset') ? `${seconds + Number(value)}` : value,
    ]);
    const { from } = await startStub([{ headers: Object.fromEntries(headers) }]);
    const { waits } = await listen({ from, to: from, apiKey: 'key' });
    expect(waits).toEqual([wait]);
  });

  test('waits as long as a 429 asks for', async () => {
    const { from } = await startStub([{ status: 429, headers: { 'retry-after': '47' } }, {}]);
    const { waits } = await listen({ from, to: from, apiKey: 'key', steps: [step] });
    expect(waits).toEqual([47_000, 10_000]);
  });

  test.each([
    ['a 429', { status: 429, headers: { 'retry-after': '47' } }],
    ['a 503', { status: 503 }],
  ])('goes on with the next page after %s, and forwards every event once', async (_, failure) => {
    const { url: to, requests } = await startServer();
    const { from, pages, queries } = await startStub([
      { ids: ['evt_0'] },
      { ids: ['evt_4', 'evt_3'], hasNextPage: true },
      failure,
      { ids: ['evt_3', 'evt_2'], hasNextPage: true },
      failure,
      { ids: ['evt_1'] },
      { ids: ['evt_5', 'evt_4'] },
    ]);
    await listen({ from, to, apiKey: 'key', steps: [step, step, step, step] });
    expect(pages()).toEqual(['1', '1', '2', '2', '3', '3', '1']);
    expect(new Set(queries())).toEqual(new Set([null, '2026-03-02T09:00:00.000Z']));
    const ids = requests.map(({ body }) => JSON.parse(body.toString()).id);
    expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5']);
  });

  test.each([
    ['no number', 'soon', 60_000],
    ['more than an hour', '99999999999', 3_600_000],
  ])('waits at most an hour when the Retry-After of a 429 is %s', async (_, retryAfter, wait) => {
    const { from } = await startStub([{ status: 429, headers: { 'retry-after': retryAfter } }, {}]);
    const { waits } = await listen({ from, to: from, apiKey: 'key', steps: [step] });
    expect(waits).toEqual([wait, 10_000]);
  });

  test('ends a poll at an empty page, also when the service announces more pages', async () => {
    const { from, pages } = await startStub([{}, { hasNextPage: true }]);
    await listen({ from, to: from, apiKey: 'key', steps: [step, step] });
    expect(pages()).toEqual(['1', '1', '1']);
  });

  test('goes on after errors of the service, and ends when it cannot be reached at the start', async () => {
    const { from } = await startStub([{}, { status: 503 }, { status: 500 }, {}]);
    const { err, waits } = await listen({
      from,
      to: from,
      apiKey: 'key',
      steps: [step, step, step],
    });
    expect(waits).toEqual([10_000, 10_000, 20_000, 10_000]);
    expect(err).toBe(
      'The service responded with 503. Next try in 10 s.\n' +
        'The service responded with 500. Next try in 20 s.\nstopped\n',
    );
    const nowhere = 'http://127.0.0.1:9';
    expect(await listen({ from: nowhere, to: from, apiKey: 'key' })).toMatchObject({
      code: 1,
      err: `The service at ${nowhere} cannot be reached.\n`,
    });
  });

  test('never prints the API key or the secret', async () => {
    const { from } = await startStub([{ ids: [] }, { ids: ['evt_1'] }, { status: 401 }]);
    const apiKey = 'service_sk_secret';
    const { out, err } = await listen({ from, to: from, apiKey, steps: [step, step] });
    expect(out + err).not.toContain(apiKey);
    expect(out + err).not.toContain(secret);
  });
});
