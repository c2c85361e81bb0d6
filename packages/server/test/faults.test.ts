import { describe, expect, test } from 'vitest';
import { type FaultOrder, TestFeatureError } from '../src/index.ts';
import { expectEveryHeader } from './support/front-door.ts';
import { newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const vaults = '/api/v1/vaults';
const body = { name: 'Taxes' };

describe('fault injection', () => {
  test('rateLimit returns 429 with Retry-After, and the operation does not run', async () => {
    const { developer, faults, clock: _, ...server } = await startTestServer();
    faults.order({ operation: 'createVault', fault: 'rateLimit', retryAfter: 7 });
    const refused = await developer('POST', vaults, { body });
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 7 } },
    });
    expect(refused.headers.get('retry-after')).toBe('7');
    expectEveryHeader(refused);
    expect((await developer('GET', vaults)).body.data).toEqual([]);
    expect(await developer('POST', vaults, { body })).toMatchObject({ status: 201 });
    expect((await server.events()).map(({ type }) => type)).toEqual([
      'user.created',
      'vault.created',
    ]);
  });

  test('error returns 500 INTERNAL_ERROR as many times as ordered', async () => {
    const { developer, faults } = await startTestServer();
    faults.order({ operation: 'listVaults', fault: 'error', times: 2 });
    expect(faults.pending).toBe(2);
    for (let count = 0; count < 2; count += 1) {
      const failed = await developer('GET', vaults);
      expect(failed).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
      expectEveryHeader(failed);
    }
    expect(faults.pending).toBe(0);
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
  });

  test('drop closes the connection before the operation runs', async () => {
    const { developer, faults } = await startTestServer();
    faults.order({ operation: 'createVault', fault: 'drop' });
    await expect(developer('POST', vaults, { body })).rejects.toThrow('fetch failed');
    expect((await developer('GET', vaults)).body.data).toEqual([]);
  });

  test('drop with when: after closes the connection after the operation, and a repeat is replayed', async () => {
    const { developer, faults } = await startTestServer();
    faults.order({ operation: 'createVault', fault: 'drop', when: 'after' });
    const options = { body, headers: { 'idempotency-key': 'once' } };
    await expect(developer('POST', vaults, options)).rejects.toThrow('fetch failed');
    const repeated = await developer('POST', vaults, options);
    expect(repeated).toMatchObject({ status: 201, body });
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect((await developer('GET', vaults)).body.data).toHaveLength(1);
  });

  test('truncate sends part of the body with the full content-length', async () => {
    const { url, apiKey, faults, developer } = await startTestServer();
    faults.order({ operation: 'listVaults', fault: 'truncate' });
    const headers = { 'x-api-key': apiKey };
    const response = await fetch(url + vaults, { headers });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
  });

  test('truncate does not change a response without a body', async () => {
    const { developer, faults } = await startTestServer();
    const { id } = await newVault(developer);
    faults.order({ operation: 'deleteVault', fault: 'truncate' });
    expect(await developer('DELETE', `${vaults}/${id}`)).toMatchObject({ status: 204 });
  });

  test('delay starts the operation after the given time of the test clock', async () => {
    const { developer, faults, clock } = await startTestServer();
    faults.order({ operation: 'createVault', fault: 'delay', milliseconds: 60_000 });
    const reply = developer('POST', vaults, { body });
    // Waiting is not visible from outside. The order is removed when the delay begins.
    while (faults.pending > 0) await developer('GET', vaults);
    clock.advance(59_999);
    expect((await developer('GET', vaults)).body.data).toEqual([]);
    clock.advance(1);
    expect(await reply).toMatchObject({ status: 201 });
  });

  test('clear() ends a running delay and removes all orders', async () => {
    const { developer, faults } = await startTestServer();
    faults.order({ fault: 'delay', milliseconds: 60_000 });
    const reply = developer('GET', vaults);
    while (faults.pending > 0) await new Promise((resolve) => setImmediate(resolve));
    faults.order({ fault: 'error' });
    faults.clear();
    expect(await reply).toMatchObject({ status: 200 });
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
  });

  test('close() ends a running delay', async () => {
    const { developer, faults, close } = await startTestServer({ shutdownTimeout: 600_000 });
    faults.order({ fault: 'delay', milliseconds: 60_000 });
    const reply = developer('GET', vaults);
    while (faults.pending > 0) await new Promise((resolve) => setImmediate(resolve));
    await close();
    expect(await reply).toMatchObject({ status: 200 });
  });
});

describe('matching of faults', () => {
  const others: readonly FaultOrder[] = [
    { operation: 'createVault', fault: 'error' },
    { method: 'POST', path: vaults, fault: 'error' },
    { method: 'GET', path: `${vaults}/other`, fault: 'error' },
    { method: 'GET', path: '/api/v1/documents', fault: 'error' },
  ];

  test.each(others)('%o does not match GET /vaults', async (order) => {
    const { developer, faults } = await startTestServer();
    faults.order(order);
    expect(await developer('GET', vaults)).toMatchObject({ status: 200 });
    expect(faults.pending).toBe(1);
  });

  const matching: readonly FaultOrder[] = [
    { operation: 'getVault', fault: 'error' },
    { method: 'GET', path: `${vaults}/{id}`, fault: 'error' },
    { method: 'get', path: `${vaults}/mine`, fault: 'error' },
    { fault: 'error' },
  ];

  test.each(matching)('%o matches GET /vaults/mine once', async (order) => {
    const { developer, faults } = await startTestServer();
    faults.order(order);
    expect(await developer('GET', `${vaults}/mine`)).toMatchObject({ status: 500 });
    expect(await developer('GET', `${vaults}/mine`)).toMatchObject({ status: 404 });
  });

  test('the oldest matching order is used first', async () => {
    const { developer, faults } = await startTestServer();
    faults.order({ operation: 'listVaults', fault: 'error' });
    faults.order({ fault: 'rateLimit', times: 2 });
    const statuses = [];
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await developer('GET', vaults)).status);
    }
    expect(statuses).toEqual([500, 429, 429, 200]);
  });

  test('a request without credentials returns 401 and uses no order', async () => {
    const { anonymous, faults } = await startTestServer();
    faults.order({ operation: 'listVaults', fault: 'error' });
    expect(await anonymous('GET', vaults)).toMatchObject({ status: 401 });
    expect(faults.pending).toBe(1);
  });

  test.each([
    { fault: 'error', operation: 'paintVault' },
    { fault: 'error', times: 0 },
    { fault: 'error', times: 1.5 },
    { fault: 'rate-limit' },
  ])('order() throws a TestFeatureError for the invalid order %o', async (order) => {
    const { faults } = await startTestServer();
    expect(() => faults.order(order as FaultOrder)).toThrow(TestFeatureError);
    expect(faults.pending).toBe(0);
  });
});

test('test features throw a TestFeatureError in production mode', async () => {
  const server = await startTestServer({ mode: 'production', host: '127.0.0.1' });
  const { faults } = server;
  for (const use of [
    () => faults.order({ fault: 'error' }),
    () => faults.clear(),
    () => server.events(),
    () => server.deliveries(),
    () => server.reset(),
  ]) {
    expect(use).toThrow(TestFeatureError);
    expect(use).toThrow('This server runs in production mode');
  }
  expect(await server.anonymous('GET', '/openapi/v1.json')).toMatchObject({ status: 200 });
});
