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
import { rejection } from '../../sdk/test/support/client.ts';
import { StoppedClock } from '../../sdk/test/support/clock.ts';
import { until } from '../../sdk/test/support/until.ts';
import { checkedFetch } from './support/checked-fetch.ts';
import { useTestVault } from './support/kit.ts';

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

const everyRequest = { times: Number.POSITIVE_INFINITY } as const;

describe('rateLimit', () => {
  test('clients wait for Retry-After as many times as requested', async () => {
    const { client, retries } = keyClient();
    const started = clock.now();
    const limit = service.fault('rateLimit', { retryAfter: 30, times: 2 });
    await client.vaults.list();
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([30_000, 30_000]);
    expect(clock.now() - started).toBe(60_000);
    expect([limit.calls, sent('listVaults').length]).toEqual([2, 3]);
  });

  test('affects its operations alone until restore()', async () => {
    const { client } = keyClient({ maxRetryAfter: 1_000 });
    const limit = service.fault('rateLimit', {
      retryAfter: 61,
      operations: ['listVaults', 'createVault'],
      ...everyRequest,
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

  test('sends every spelling of the headers', async () => {
    service.fault('rateLimit', { retryAfter: 7 });
    const { headers } = await fetch(`${service.baseUrl}/.well-known/jwks.json`);
    const opens = clock.now() + 7_000;
    expect(Object.fromEntries(headers)).toMatchObject({
      'retry-after': '7',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(opens / 1_000),
      'x-rate-limit-remaining': '0',
      ratelimit: '"hour";r=0;t=7, "minute";r=0;t=7',
      'x-rate-limit-reset': new Date(opens).toISOString(),
    });
  });
});

describe('expireTokens', () => {
  test('parallel calls with expired tokens cause one refresh', async () => {
    const { client, onExpired } = await signedIn();
    const expired = service.fault('expireTokens');
    await Promise.all(Array.from({ length: 5 }, () => client.users.me()));
    await client.users.me();
    expect(sent('refresh')).toHaveLength(1);
    expect(expired.calls).toBe(5);
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('with refresh: fails, the session ends and a new login works', async () => {
    const { client, onExpired } = await signedIn();
    const expired = service.fault('expireTokens', { refresh: 'fails' });
    expect(await rejection(client.vaults.list())).toBeInstanceOf(SessionExpiredError);
    expect([expired.calls, onExpired.mock.calls.length, sent('refresh').length]).toEqual([1, 1, 1]);
    const { email, password } = service.account;
    await client.auth.login({ email, password });
    await client.auth.refresh();
    await client.vaults.list();
    expect(expired.calls).toBe(1);
  });

  test('tokens are valid again after restore()', async () => {
    const { client } = await signedIn();
    service.fault('expireTokens', { refresh: 'fails' }).restore();
    await client.users.me();
    expect(sent('refresh')).toHaveLength(0);
  });

  test('API keys stay valid', async () => {
    const expired = service.fault('expireTokens');
    await keyClient().client.users.me();
    expect(expired.calls).toBe(0);
  });

  test('tokens also expire by the clock', async () => {
    const { client } = await signedIn();
    clock.advance(3_600_000);
    await client.users.me();
    expect(sent('refresh')).toHaveLength(1);
  });
});

describe('stall and delay', () => {
  const create = () =>
    fetch(`${service.baseUrl}/api/v1/vaults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': service.account.apiKey },
      body: JSON.stringify({ name: 'A' }),
    });
  const vaultCount = async () => (await keyClient().client.vaults.list()).pagination.totalCount;

  test('a stall ends in a TimeoutError of the client', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const stall = service.fault('stall');
      const { client } = keyClient({ maxRetries: 0 });
      const call = rejection(client.vaults.list());
      await until(() => stall.calls === 1);
      vi.advanceTimersByTime(60_000);
      expect(await call).toBeInstanceOf(TimeoutError);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each(['stall', 'delay'] as const)(
    'abort during a %s rejects the call, and the operation does not run',
    async (kind) => {
      const fault = service.fault(kind);
      const { client } = keyClient({ clock: new StoppedClock() });
      const controller = new AbortController();
      const call = rejection(client.vaults.create({ name: 'A' }, { signal: controller.signal }));
      await until(() => fault.calls === 1);
      controller.abort();
      expect(await call).toMatchObject({ name: 'AbortError' });
      clock.advance(1_000);
      fault.restore();
      expect(await vaultCount()).toBe(0);
    },
  );

  test.each(['stall', 'delay'] as const)('a %s responds after restore()', async (kind) => {
    const fault = service.fault(kind, { operations: 'createVault' });
    const first = create();
    await until(() => fault.calls === 1);
    expect((await create()).status).toBe(201);
    expect(await vaultCount()).toBe(1);
    fault.restore();
    expect((await first).status).toBe(201);
    expect(await vaultCount()).toBe(2);
  });

  test('a delay ends when service.clock has moved as far', async () => {
    const delay = service.fault('delay', { operations: 'createVault', milliseconds: 60_000 });
    const created = create();
    await until(() => delay.calls === 1);
    service.clock.advance(59_000);
    expect(await vaultCount()).toBe(0);
    service.clock.advance(1_000);
    expect((await created).status).toBe(201);
  });

  test('a delay ends when the clock behind service.clock has moved as far', async () => {
    const delay = service.fault('delay', { milliseconds: 40 });
    const created = create();
    await until(() => delay.calls === 1);
    // The clock that the vault was created with, which moves without notice.
    clock.advance(40);
    expect((await created).status).toBe(201);
  });

  test.each(['stall', 'delay'] as const)('reset() ends a %s', async (kind) => {
    const fault = service.fault(kind);
    const stalled = fetch(`${service.baseUrl}/.well-known/jwks.json`);
    await until(() => fault.calls === 1);
    service.reset();
    expect((await stalled).status).toBe(200);
  });
});

describe('error, networkError and truncate', () => {
  test.each([
    ['MISSING_AUTH', 'AuthenticationError'],
    ['ACCOUNT_SUSPENDED', 'PermissionError'],
    ['IP_BLOCKED', 'PermissionError'],
    ['NOT_FOUND', 'NotFoundError'],
    ['VALIDATION_ERROR', 'ValidationError'],
    ['INTERNAL_ERROR', 'ServerError'],
  ] as const)('error with the code %s rejects with %s', async (code, name) => {
    const { client } = keyClient({ maxRetries: 0 });
    service.fault('error', { code, details: { field: 'name' } });
    const error = (await rejection(client.vaults.update('a', { name: 'A' }))) as ApiError;
    expect(error).toMatchObject({ name, code, details: { field: 'name' } });
  });

  test('by default a fault affects one request, and clients with retries succeed', async () => {
    const { client, retries } = keyClient();
    service.fault('error');
    service.fault('networkError');
    await client.vaults.create({ name: 'A' });
    expect(retries.map(({ reason }) => reason)).toEqual(['status', 'network']);
    expect(sent('createVault').map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(3).fill(expect.stringMatching(/^\d+(-\d+){3}$/)),
    );
  });

  test('networkError rejects with a ConnectionError', async () => {
    const { client } = keyClient({ maxRetries: 1 });
    const broken = service.fault('networkError', { operations: 'getCurrentUser', ...everyRequest });
    const error = await rejection(client.users.me());
    expect(error).toBeInstanceOf(ConnectionError);
    expect([isVaultError(error), broken.calls]).toEqual([true, 2]);
  });

  test.each([
    ['networkError', { when: 'before' }, 0, null],
    ['networkError', { when: 'after' }, 1, 'true'],
    ['truncate', {}, 1, 'true'],
  ] as const)(
    '%s with %j loses the response of %i created vaults',
    async (kind, options, vaults, replayed) => {
      const { client } = keyClient({ maxRetries: 0 });
      const call = { idempotencyKey: 'once' };
      service.fault(kind, options);
      expect(await rejection(client.vaults.create({ name: 'A' }, call))).toBeInstanceOf(
        ConnectionError,
      );
      expect((await client.vaults.list()).pagination.totalCount).toBe(vaults);
      const { response } = await client.vaults.create({ name: 'A' }, call).withResponse();
      expect(response.headers.get('idempotency-replayed')).toBe(replayed);
      expect((await client.vaults.list()).pagination.totalCount).toBe(1);
    },
  );

  test('truncate sends half of the body', async () => {
    service.fault('truncate');
    const { status, body } = await fetch(`${service.baseUrl}/.well-known/jwks.json`);
    expect(status).toBe(200);
    const reader = body?.getReader() ?? expect.fail();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toMatch(/^\{"keys"/);
    await expect(reader.read()).rejects.toThrow();
  });

  test('truncate does not change a response without a body', async () => {
    const { client } = keyClient({ maxRetries: 0 });
    const { id } = await client.vaults.create({ name: 'A' });
    const fault = service.fault('truncate');
    await client.vaults.delete(id);
    expect(fault.calls).toBe(1);
  });
});

describe('matching of faults', () => {
  test('the oldest matching fault is used first', async () => {
    const { client } = keyClient({ maxRetries: 0 });
    service.fault('error', { code: 'IP_BLOCKED' });
    service.fault('error', { code: 'NOT_FOUND', operations: ['getVault'] });
    await rejection(client.vaults.get('a')).then((error) =>
      expect(error).toMatchObject({ code: 'IP_BLOCKED' }),
    );
    expect(await rejection(client.vaults.get('a'))).toMatchObject({ code: 'NOT_FOUND' });
    await client.users.me();
  });

  test('a request without credentials and one to an unknown path use no fault', async () => {
    const fault = service.fault('error');
    const status = async (path: string, headers = {}) =>
      (await fetch(service.baseUrl + path, { headers })).status;
    expect(await status('/api/v1/vaults')).toBe(401);
    expect(await status('/api/v1/nothing', { 'x-api-key': service.account.apiKey })).toBe(404);
    expect(fault.calls).toBe(0);
  });

  test('reset() ends faults', async () => {
    const fault = service.fault('error', everyRequest);
    service.reset();
    await keyClient({ maxRetries: 0 }).client.users.me();
    expect(fault.calls).toBe(0);
  });

  test.each([
    ['stall', { times: 0 }, 'times must be a whole number from 1, or Infinity, not 0'],
    ['stall', { times: 1.5 }, 'times must be a whole number from 1, or Infinity, not 1.5'],
    ['stall', { operations: 'listVault' }, 'operations: the contract has no operation listVault'],
    ['rateLimit', { retryAfter: 0.5 }, 'retryAfter must be a whole number from 1, not 0.5'],
    ['delay', { milliseconds: -1 }, 'milliseconds must be a number from 0, not -1'],
    [
      'rate-limit',
      {},
      'the kind of a fault must be one of rateLimit, error, delay, stall, networkError, truncate, expireTokens, not rate-limit',
    ],
  ])('fault(%j, %j) throws a UsageError', (kind, options, message) => {
    expect(() => service.fault(kind as 'stall', options as object)).toThrow(message);
  });
});
