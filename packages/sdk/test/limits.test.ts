import { getEventListeners } from 'node:events';
import { AbortError, TimeoutError } from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withDeadline } from '../src/http/deadline.ts';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { JumpingClock, StoppedClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';
import { startServer } from './support/server.ts';
import { until } from './support/until.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const close of closers.splice(0)) await close();
});

const never = () => new Promise<never>(() => {});

/** How many listeners an aborted signal would call. */
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

/** Counts timers that were set and neither fired nor were cleared. */
function countedTimers() {
  const open = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
    const timer = set(() => {
      open.delete(timer);
      run();
    }, ms);
    open.add(timer);
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer: NodeJS.Timeout) => {
    open.delete(timer);
    clear(timer);
  });
  return open;
}

describe('guarantee 5, time limits', () => {
  test('an attempt that exceeds timeout is retried', async () => {
    const { fetch, sent } = scriptedFetch(never);
    const error = await rejection(keyClient({ fetch, timeout: 5 }).vaults.get('1'));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ method: 'GET', path: '/api/v1/vaults/{id}', attempts: 3 });
    expect(sent).toHaveLength(3);
    expect(sent.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('timeout includes reading the body', async () => {
    const endless = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('{"id":')) });
    const { fetch, sent } = scriptedFetch(() => new Response(endless));
    const client = keyClient({ fetch, timeout: 5, maxRetries: 0 });
    await expect(client.vaults.get('1')).rejects.toBeInstanceOf(TimeoutError);
    expect(sent).toHaveLength(1);
  });

  test('timeout of the call takes precedence over that of the client', async () => {
    const { fetch } = scriptedFetch(never);
    const client = keyClient({ fetch, maxRetries: 0 });
    await expect(client.vaults.get('1', { timeout: 5 })).rejects.toThrow('5 ms');
  });

  test('the last attempt ends when totalTimeout has passed', async () => {
    const { fetch, sent } = scriptedFetch(never);
    const client = keyClient({ fetch, totalTimeout: 8, maxRetries: 0 });
    await expect(client.vaults.get('1')).rejects.toBeInstanceOf(TimeoutError);
    expect(sent).toHaveLength(1);
  });

  test('no request is sent after totalTimeout has passed', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const onRequest = () => clock.advance(1_000);
    const client = keyClient({ fetch, clock, onRequest, totalTimeout: 1_000 });
    await expect(client.vaults.get('1')).rejects.toBeInstanceOf(TimeoutError);
    expect(sent).toHaveLength(0);
  });

  test.each([
    ['timeout', 0],
    ['timeout', Number.NaN],
    ['totalTimeout', -1],
    ['timeout', 2 ** 31],
    ['maxRetries', -1],
    ['maxRetryAfter', Number.POSITIVE_INFINITY],
  ])('an invalid %s of %d throws a UsageError and sends no request', async (option, value) => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const limits = { [option]: value };
    await expect(keyClient({ fetch }).vaults.get('1', limits)).rejects.toThrow(option);
    expect(() => keyClient({ fetch, ...limits })).toThrow(option);
    expect(sent).toHaveLength(0);
  });
});

describe('guarantee 5, abort: every phase', () => {
  test('an aborted signal rejects the call before a request is sent', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const reason = new Error('left the page');
    const onRequest = vi.fn();
    const error = await rejection(
      keyClient({ fetch, onRequest }).vaults.get('1', { signal: AbortSignal.abort(reason) }),
    );
    expect(error).toMatchObject({ attempts: 0 });
    expect(onRequest).not.toHaveBeenCalled();
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ name: 'AbortError', cause: reason, path: '/api/v1/vaults/{id}' });
    expect(sent).toHaveLength(0);
  });

  test('abort in flight rejects the call when fetch ignores the signal', async () => {
    const { fetch, sent } = scriptedFetch(never);
    const controller = new AbortController();
    const call = keyClient({ fetch }).vaults.get('1', { signal: controller.signal });
    await until(() => sent.length === 1);
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(AbortError);
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(listeners(controller.signal)).toBe(0);
  });

  test('abort while reading a body over a real connection rejects the call', async () => {
    const controller = new AbortController();
    let closed = false;
    const server = await startServer((_, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":', () => setImmediate(() => controller.abort()));
    });
    closers.push(server.close);
    const call = keyClient({ baseUrl: server.url }).vaults.get('1', { signal: controller.signal });
    await expect(call).rejects.toBeInstanceOf(AbortError);
    await until(() => closed);
    expect(server.arrivals).toHaveLength(1);
  });

  test.each([
    ['a retry', () => new Response('', { status: 503 })],
    ['the rate limit', () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 10 })],
  ])('abort while waiting for %s rejects the call', async (_, reaction) => {
    const clock = new StoppedClock();
    const { fetch, sent } = scriptedFetch(reaction);
    const controller = new AbortController();
    const call = keyClient({ fetch, clock }).vaults.get('1', { signal: controller.signal });
    await until(() => clock.sleepers === 1);
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(AbortError);
    expect(clock.sleepers).toBe(0);
    expect(sent).toHaveLength(1);
  });

  test('abort while waiting for the token store rejects the call', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const store = { get: never, set: () => {}, clear: () => {} };
    const controller = new AbortController();
    const call = sessionClient({ fetch, session: { store } }).vaults.get('1', {
      signal: controller.signal,
    });
    await new Promise(setImmediate);
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(AbortError);
    expect(sent).toHaveLength(0);
  });
});

describe('guarantee 5, abort: nothing is left', () => {
  test('1,000 calls of every outcome leave no listener and no timer', async () => {
    const open = countedTimers();
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    let calls = 0;
    const reactions = [
      () => json(vaultBody),
      () => new Response('', { status: 404 }),
      () => new Response('', { status: 503 }),
      () => {
        throw new TypeError('fetch failed');
      },
      () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 1 }),
    ];
    const fetch = async () => reactions[calls++ % reactions.length]?.() ?? json(vaultBody);
    const client = keyClient({ fetch, clock: new JumpingClock() });
    for (let n = 0; n < 500; n++) {
      await client.vaults.get('1', { signal, totalTimeout: 10_000 }).catch(() => {});
      await createHttpClient(client)
        .GET('/api/v1/vaults/{id}', { params: { path: { id: '1' } }, signal })
        .catch(() => {});
    }
    expect(calls).toBeGreaterThanOrEqual(1_000);
    expect(add.mock.calls.length).toBeGreaterThanOrEqual(1_000);
    expect(listeners(signal)).toBe(0);
    expect(open.size).toBe(0);
  });

  test('1,000 calls aborted in flight or before a retry leave no listener and no timer', async () => {
    const open = countedTimers();
    const controller = new AbortController();
    const { signal } = controller;
    const clock = new StoppedClock();
    const inFlight = keyClient({ fetch: never, clock });
    const { fetch } = scriptedFetch(() => new Response('', { status: 503 }));
    const retrying = keyClient({ fetch, clock });
    const calls = Array.from({ length: 1_000 }, (_, n) => {
      const { vaults } = n % 2 ? inFlight : retrying;
      return rejection(vaults.get('1', { signal, totalTimeout: 60_000 }));
    });
    await until(() => clock.sleepers === 500);
    expect(open.size).toBe(1_000);
    expect(listeners(signal)).toBe(1_000);
    controller.abort();
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(AbortError);
    expect(listeners(signal)).toBe(0);
    expect(open.size).toBe(0);
    expect(clock.sleepers).toBe(0);
  });

  test('work that throws synchronously leaves no listener and no timer', async () => {
    const open = countedTimers();
    const { signal } = new AbortController();
    const fault = new Error('at once');
    const work = withDeadline({ signal, timeoutMs: 60_000 }, () => {
      throw fault;
    });
    expect(await rejection(work)).toBe(fault);
    expect(listeners(signal)).toBe(0);
    expect(open.size).toBe(0);
  });

  test('an abort during a wait of the real clock leaves no listener and no timer', async () => {
    const open = countedTimers();
    const controller = new AbortController();
    const { signal } = controller;
    const { fetch } = scriptedFetch(() => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 50 }));
    const client = keyClient({ fetch, clock: undefined });
    const call = client.vaults.get('1', { signal, totalTimeout: 60_000 });
    await until(() => open.size > 0 && listeners(signal) > 0);
    await new Promise(setImmediate);
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(AbortError);
    expect(listeners(signal)).toBe(0);
    expect(open.size).toBe(0);
  });
});
