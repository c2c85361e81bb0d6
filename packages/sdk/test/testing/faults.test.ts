import {
  type ApiError,
  ConnectionError,
  DocumentVault,
  type DocumentVaultOptions,
  isVaultError,
  RateLimitError,
  type RetryEvent,
  SessionExpiredError,
  TimeoutError,
} from '@document-vault/sdk';
import { describe, expect, test, vi } from 'vitest';
import { rejection } from '../support/client.ts';
import { StoppedClock } from '../support/clock.ts';
import { checkedFetch } from '../support/testing/checked-fetch.ts';
import { useTestVault } from '../support/testing/kit.ts';
import { until } from '../support/until.ts';

const { service, clock } = useTestVault();

function keyClient(options: Partial<DocumentVaultOptions> = {}) {
  const retries: RetryEvent[] = [];
  const client = new DocumentVault({
    baseUrl: service.baseUrl,
    apiKey: service.account.apiKey,
    fetch: checkedFetch(),
    clock,
    onRetry: (event) => retries.push(event),
    ...options,
  });
  return { client, retries };
}

async function signedIn(options: Partial<DocumentVaultOptions> = {}) {
  const onExpired = vi.fn();
  const client = new DocumentVault({
    baseUrl: service.baseUrl,
    fetch: checkedFetch(),
    clock,
    session: { onExpired },
    ...options,
  });
  const { email, password } = service.account;
  await client.auth.login({ email, password });
  return { client, onExpired };
}

const sent = (operation: string) =>
  service.requests.filter((request) => request.operation === operation);

describe('the rate limit', () => {
  test('is waited for as long as it asks', async () => {
    const { client, retries } = keyClient();
    const limit = service.fault('rateLimit', { retryAfter: 30, times: 2 });
    clock.slept.length = 0;
    expect((await client.vaults.list()).data).toEqual([]);
    expect(retries.map(({ status, delayMs }) => [status, delayMs])).toEqual([
      [429, 30_000],
      [429, 30_000],
    ]);
    expect(clock.slept).toEqual([30_000, 30_000]);
    expect([limit.calls, sent('listVaults').length]).toEqual([2, 3]);
  });

  test('stays until it is lifted, for its operations alone', async () => {
    const { client } = keyClient({ maxRetryAfter: 1_000 });
    const limit = service.fault('rateLimit', {
      retryAfter: 61,
      operations: ['listVaults', 'createVault'],
    });
    await client.users.me();
    for (const call of [client.vaults.list(), client.vaults.create({ name: 'A' })]) {
      const error = (await rejection(call)) as RateLimitError;
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 61_000 });
    }
    limit.restore();
    clock.advance(61_000);
    await client.vaults.create({ name: 'A' });
  });

  test('a rate-limit fault sends both spellings of the headers', async () => {
    service.fault('rateLimit', { retryAfter: 7 });
    const { headers } = await fetch(`${service.baseUrl}/api/v1/vaults`);
    const opens = clock.now() + 7_000;
    expect(Object.fromEntries(headers)).toMatchObject({
      'retry-after': '7',
      'x-ratelimit-minute-remaining': '0',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(opens / 1_000),
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': new Date(opens).toISOString(),
    });
  });
});

describe('expired tokens', () => {
  test('are renewed by one refresh, however many calls need it', async () => {
    const { client, onExpired } = await signedIn();
    const expired = service.fault('expireTokens');
    await Promise.all(Array.from({ length: 5 }, () => client.users.me()));
    await client.users.me();
    expect(sent('refresh')).toHaveLength(1);
    expect(expired.calls).toBe(5);
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('end the session when the refresh fails, until that is lifted', async () => {
    const { client, onExpired } = await signedIn();
    const expired = service.fault('expireTokens', {
      refresh: 'fails',
      operations: 'listVaults',
      times: 1,
    });
    await client.users.me();
    expect(await rejection(client.vaults.list())).toBeInstanceOf(SessionExpiredError);
    expect([expired.calls, onExpired.mock.calls.length, sent('refresh').length]).toEqual([1, 1, 1]);
    // The tokens of a new login have not expired.
    const { email, password } = service.account;
    await client.auth.login({ email, password });
    await client.vaults.list();
  });

  test('are good again when it is lifted', async () => {
    const { client } = await signedIn();
    service.fault('expireTokens', { refresh: 'fails' }).restore();
    await client.users.me();
    expect(sent('refresh')).toHaveLength(0);
  });

  test('leave API keys alone, and expire by the clock too', async () => {
    service.fault('expireTokens');
    await keyClient().client.users.me();
    service.reset();
    const { client } = await signedIn();
    clock.advance(3_600_000);
    await client.users.me();
    expect(sent('refresh')).toHaveLength(1);
  });
});

describe('a stall', () => {
  test('ends in a TimeoutError', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const held = service.fault('stall');
      const { client } = keyClient({ maxRetries: 0 });
      const call = rejection(client.vaults.list());
      await until(() => held.calls === 1);
      vi.advanceTimersByTime(60_000);
      expect(await call).toBeInstanceOf(TimeoutError);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends in an AbortError', async () => {
    const held = service.fault('stall');
    const { client } = keyClient({ clock: new StoppedClock() });
    const controller = new AbortController();
    const call = rejection(client.users.me({ signal: controller.signal }));
    await until(() => held.calls === 1);
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortError' });
  });

  test('a stall holds requests until it is restored and then responds', async () => {
    const held = service.fault('stall', { operations: 'createVault', times: 1 });
    const create = () =>
      fetch(`${service.baseUrl}/api/v1/vaults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': service.account.apiKey },
        body: JSON.stringify({ name: 'A' }),
      });
    const first = create();
    await until(() => held.calls === 1);
    expect((await create()).status).toBe(201);
    held.restore();
    expect((await first).status).toBe(201);
    expect((await keyClient().client.vaults.list()).pagination.totalCount).toBe(2);
  });

  test('ends with a reset', async () => {
    service.fault('stall');
    const held = fetch(`${service.baseUrl}/.well-known/jwks.json`);
    await until(() => service.requests.length === 1);
    service.reset();
    expect((await held).status).toBe(200);
  });
});

describe('errors', () => {
  test.each([
    ['MISSING_AUTH', 'AuthenticationError'],
    ['ACCOUNT_SUSPENDED', 'PermissionError'],
    ['IP_BLOCKED', 'PermissionError'],
    ['NOT_FOUND', 'NotFoundError'],
    ['VALIDATION_ERROR', 'ValidationError'],
    ['INTERNAL_ERROR', 'ServerError'],
  ] as const)('%s is a %s', async (code, name) => {
    const { client } = keyClient({ maxRetries: 0 });
    service.fault('error', { code, details: { field: 'name' } });
    const error = (await rejection(client.vaults.update('a', { name: 'A' }))) as ApiError;
    expect(error).toMatchObject({ name, code, details: { field: 'name' } });
  });

  test('pass, when there are few', async () => {
    const { client, retries } = keyClient();
    service.fault('error', { times: 1 });
    service.fault('networkError', { times: 1 });
    await client.vaults.create({ name: 'A' });
    expect(retries.map(({ reason }) => reason)).toEqual(['status', 'network']);
    expect(sent('createVault').map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(3).fill(expect.stringMatching(/^\d+(-\d+){3}$/)),
    );
  });

  test('of the network are ConnectionErrors', async () => {
    const { client } = keyClient({ maxRetries: 1 });
    const broken = service.fault('networkError', { operations: 'getCurrentUser' });
    const error = await rejection(client.users.me());
    expect(error).toBeInstanceOf(ConnectionError);
    expect([isVaultError(error), broken.calls]).toEqual([true, 2]);
  });
});

test('meets a request with the oldest switch that fits it', async () => {
  const { client } = keyClient({ maxRetries: 0 });
  service.fault('error', { code: 'IP_BLOCKED', times: 1 });
  service.fault('error', { code: 'NOT_FOUND', operations: ['getVault'] });
  expect(await rejection(client.vaults.get('a'))).toMatchObject({ code: 'IP_BLOCKED' });
  expect(await rejection(client.vaults.get('a'))).toMatchObject({ code: 'NOT_FOUND' });
  service.reset();
  await client.users.me();
});

test.each([
  [{ times: 0 }, 'times: 0 is not a whole number from 1'],
  [{ times: 1.5 }, 'times: 1.5 is not a whole number from 1'],
  [{ operations: 'listVault' as never }, 'operations: the contract has no listVault'],
])('refuses the switch %j, which nothing would ever meet', (options, message) => {
  expect(() => service.fault('stall', options)).toThrow(message);
});
