import { describe, expect, test } from 'vitest';
import { type FaultKinds, type FaultOperation, TestFeatureError } from '../src/index.ts';
import { expectEveryHeader } from './support/front-door.ts';
import { newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const vaults = '/api/v1/vaults';
const body = { name: 'Taxes' };

describe('fault injection', () => {
  test('rateLimit returns 429 with Retry-After, and the operation does not run', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const fault = server.fault('rateLimit', { operations: 'createVault', retryAfter: 7 });
    const refused = await developer('POST', vaults, { body });
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 7 } },
    });
    expect(refused.headers.get('retry-after')).toBe('7');
    expectEveryHeader(refused);
    expect((await developer('GET', vaults)).body.data).toEqual([]);
    expect(await developer('POST', vaults, { body })).toMatchObject({ status: 201 });
    expect(fault.calls).toBe(1);
    expect((await server.events()).map(({ type }) => type)).toEqual([
      'user.created',
      'vault.created',
    ]);
  });

  test('error returns 500 INTERNAL_ERROR for the given number of requests', async () => {
    const { developer, fault } = await startTestServer();
    const error = fault('error', { operations: 'listVaults', times: 2 });
    for (const calls of [1, 2]) {
      const failed = await developer('GET', vaults);
      expect(failed).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
      expectEveryHeader(failed);
      expect(error.calls).toBe(calls);
    }
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
    expect(error.calls).toBe(2);
  });

  test.each([
    ['IP_BLOCKED', 403],
    ['MISSING_AUTH', 401],
    ['RATE_LIMIT_EXCEEDED', 429],
  ] as const)('error with the code %s returns %i with its details', async (code, status) => {
    const { developer, fault } = await startTestServer();
    fault('error', { code, details: { reason: 'a test' } });
    const failed = await developer('GET', vaults);
    expect(failed).toMatchObject({
      status,
      body: { error: { code, details: { reason: 'a test' } } },
    });
    expect(failed.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
  });

  test('networkError closes the connection before the operation runs', async () => {
    const { developer, fault } = await startTestServer();
    fault('networkError', { operations: 'createVault' });
    await expect(developer('POST', vaults, { body })).rejects.toThrow('fetch failed');
    expect((await developer('GET', vaults)).body.data).toEqual([]);
  });

  test('networkError with when: after closes the connection after the operation, and a repeat is replayed', async () => {
    const { developer, fault } = await startTestServer();
    fault('networkError', { operations: 'createVault', when: 'after' });
    const options = { body, headers: { 'idempotency-key': 'once' } };
    await expect(developer('POST', vaults, options)).rejects.toThrow('fetch failed');
    const repeated = await developer('POST', vaults, options);
    expect(repeated).toMatchObject({ status: 201, body });
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect((await developer('GET', vaults)).body.data).toHaveLength(1);
  });

  test('truncate sends part of the body with the full content-length', async () => {
    const { url, apiKey, fault, developer } = await startTestServer();
    fault('truncate', { operations: 'listVaults' });
    const headers = { 'x-api-key': apiKey };
    const response = await fetch(url + vaults, { headers });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
  });

  test('truncate does not change a response without a body', async () => {
    const { developer, fault } = await startTestServer();
    const { id } = await newVault(developer);
    fault('truncate', { operations: 'deleteVault' });
    expect(await developer('DELETE', `${vaults}/${id}`)).toMatchObject({ status: 204 });
  });
});

describe('delay and stall', () => {
  test('delay starts the operation after the given time of the test clock', async () => {
    const { developer, fault, clock } = await startTestServer();
    const delay = fault('delay', { operations: 'createVault', milliseconds: 60_000 });
    const reply = developer('POST', vaults, { body });
    await expect.poll(() => delay.calls).toBe(1);
    clock.advance(59_999);
    expect((await developer('GET', vaults)).body.data).toEqual([]);
    clock.advance(1);
    expect(await reply).toMatchObject({ status: 201 });
  });

  test.each(['delay', 'stall'] as const)('restore() ends a running %s', async (kind) => {
    const { developer, fault } = await startTestServer();
    const injected = fault(kind, { operations: 'createVault' });
    const reply = developer('POST', vaults, { body });
    await expect.poll(() => injected.calls).toBe(1);
    expect((await developer('GET', vaults)).body.data).toEqual([]);
    injected.restore();
    expect(await reply).toMatchObject({ status: 201 });
    expect((await developer('GET', vaults)).body.data).toHaveLength(1);
  });

  test.each(['reset', 'close'] as const)('%s() ends a stall and a delay', async (end) => {
    const server = await startTestServer({ shutdownTimeout: 600_000 });
    const faults = [server.fault('delay'), server.fault('stall')];
    const keys = `${server.url}/.well-known/jwks.json`;
    const replies = [fetch(keys), fetch(keys)];
    await expect.poll(() => faults.map(({ calls }) => calls)).toEqual(faults.map(() => 1));
    await server[end]();
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test.each(['delay', 'stall'] as const)(
    'an operation does not run when its client gave up during a %s',
    async (kind) => {
      const { url, apiKey, developer, fault, clock } = await startTestServer();
      const injected = fault(kind, { operations: 'createVault' });
      const controller = new AbortController();
      const request = fetch(url + vaults, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: controller.signal,
      });
      await expect.poll(() => injected.calls).toBe(1);
      controller.abort();
      await expect(request).rejects.toThrow('aborted');
      // The server notices the lost connection before it reads the next request.
      await developer('GET', vaults);
      clock.advance(1_000);
      injected.restore();
      expect((await developer('GET', vaults)).body.data).toEqual([]);
    },
  );
});

describe('expireTokens', () => {
  async function signedIn() {
    const server = await startTestServer();
    const credentials = server.account ?? expect.fail();
    const { email, password } = credentials;
    const login = async () =>
      (await server.anonymous('POST', '/auth/login', { body: { email, password } })).body;
    const refresh = (refreshToken: string) =>
      server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });
    const statusWith = async (accessToken: string) =>
      (await server.withToken(accessToken)('GET', vaults)).status;
    return { ...server, login, refresh, statusWith };
  }

  test('rejects earlier access tokens with EXPIRED_TOKEN until restore()', async () => {
    const { fault, login, clock, withToken, statusWith, developer } = await signedIn();
    const { accessToken } = await login();
    const expired = fault('expireTokens');
    for (const calls of [1, 2]) {
      expect(await withToken(accessToken)('GET', vaults)).toMatchObject({
        status: 401,
        body: { error: { code: 'EXPIRED_TOKEN' } },
      });
      expect(expired.calls).toBe(calls);
    }
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
    // Tokens of one session and one second are equal.
    clock.advance(1_000);
    expect(await statusWith((await login()).accessToken)).toBe(200);
    expired.restore();
    expect(await statusWith(accessToken)).toBe(200);
    expect(expired.calls).toBe(2);
  });

  test('accepts the tokens of a refresh', async () => {
    const { fault, login, clock, refresh, statusWith } = await signedIn();
    const { refreshToken } = await login();
    const expired = fault('expireTokens');
    clock.advance(1_000);
    const renewed = await refresh(refreshToken);
    expect(renewed.status).toBe(200);
    expect(await statusWith(renewed.body.accessToken)).toBe(200);
    expect(await refresh(renewed.body.refreshToken)).toMatchObject({ status: 200 });
    expect(expired.calls).toBe(0);
  });

  test('with refresh: fails, rejects earlier refresh tokens until restore()', async () => {
    const { fault, login, refresh } = await signedIn();
    const { refreshToken } = await login();
    const expired = fault('expireTokens', { refresh: 'fails' });
    expect(await refresh(refreshToken)).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_TOKEN' } },
    });
    const next = await login();
    expect(await refresh(next.refreshToken)).toMatchObject({ status: 200 });
    expired.restore();
    expect(await refresh(refreshToken)).toMatchObject({ status: 200 });
  });

  test('ends with reset()', async () => {
    const { fault, login, reset, statusWith } = await signedIn();
    fault('expireTokens');
    await reset();
    expect(await statusWith((await login()).accessToken)).toBe(200);
  });
});

describe('matching of faults', () => {
  test.each<FaultOperation | FaultOperation[]>([
    'createVault',
    'graphql',
    [],
    ['createVault', 'listDocuments'],
  ])('a fault for the operations %o does not affect listVaults', async (operations) => {
    const { developer, fault } = await startTestServer();
    const error = fault('error', { operations });
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
    expect(error.calls).toBe(0);
  });

  test.each<FaultOperation | FaultOperation[] | undefined>([
    'getVault',
    ['createVault', 'getVault'],
    undefined,
  ])('a fault for the operations %o affects getVault once', async (operations) => {
    const { developer, fault } = await startTestServer();
    fault('error', { operations });
    expect(await developer('GET', `${vaults}/mine`)).toMatchObject({ status: 500 });
    expect(await developer('GET', `${vaults}/mine`)).toMatchObject({ status: 404 });
  });

  test('a fault affects an operation at its alias', async () => {
    const { developer, fault } = await startTestServer();
    fault('error', { operations: 'listWebhooks' });
    expect(await developer('GET', '/webhooks')).toMatchObject({ status: 500 });
  });

  test('the oldest matching fault is used first', async () => {
    const { developer, fault } = await startTestServer();
    fault('error', { operations: 'listVaults' });
    fault('rateLimit', { times: 2 });
    const statuses = [];
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await developer('GET', vaults)).status);
    }
    expect(statuses).toEqual([500, 429, 429, 200]);
  });

  test('times: Infinity affects every request until restore()', async () => {
    const { developer, fault } = await startTestServer();
    const error = fault('error', { times: Number.POSITIVE_INFINITY });
    for (let count = 0; count < 5; count += 1) {
      expect(await developer('GET', vaults)).toMatchObject({ status: 500 });
    }
    error.restore();
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
    expect(error.calls).toBe(5);
  });

  test('a request without credentials and one to an unknown path use no fault', async () => {
    const { anonymous, developer, fault } = await startTestServer();
    const error = fault('error');
    expect(await anonymous('GET', vaults)).toMatchObject({ status: 401 });
    expect(await developer('GET', '/api/v1/nothing')).toMatchObject({ status: 404 });
    expect(error.calls).toBe(0);
  });

  test.each([
    ['error', { operations: 'paintVault' }, 'operations: the contract has no operation paintVault'],
    ['error', { times: 0 }, 'times must be a whole number from 1, or Infinity, not 0'],
    ['stall', { times: 1.5 }, 'times must be a whole number from 1, or Infinity, not 1.5'],
    ['rateLimit', { retryAfter: 0.5 }, 'retryAfter must be a whole number from 1, not 0.5'],
    ['delay', { milliseconds: -1 }, 'milliseconds must be a number from 0, not -1'],
    [
      'rate-limit',
      {},
      'the kind of a fault must be one of rateLimit, error, delay, stall, networkError, truncate, expireTokens, not rate-limit',
    ],
  ])('fault(%j, %j) throws a TestFeatureError', async (kind, options, message) => {
    const { developer, fault } = await startTestServer();
    const inject = () => fault(kind as keyof FaultKinds, options as object);
    expect(inject).toThrow(TestFeatureError);
    expect(inject).toThrow(message);
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
  });
});

test('test features throw a TestFeatureError in production mode', async () => {
  const server = await startTestServer({ mode: 'production', host: '127.0.0.1' });
  for (const use of [
    () => server.fault('error'),
    () => server.events(),
    () => server.deliveries(),
    () => server.reset(),
  ]) {
    expect(use).toThrow(TestFeatureError);
    expect(use).toThrow('This server runs in production mode');
  }
  expect(await server.anonymous('GET', '/openapi/v1.json')).toMatchObject({ status: 200 });
});
