import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, TestClock, TestFeatureError } from '../src/index.ts';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../src/test-server/index.ts';
import { startReceiver } from './support/delivery/receiver.ts';
import { secret, verifiedEvent } from './support/webhook-events.ts';

async function start(options?: TestServerOptions) {
  const service = await startTestServer(options);
  onTestFinished(() => service.close());
  return service;
}

async function send({ baseUrl, account }: TestServer, path: string, body?: object) {
  const response = await fetch(baseUrl + path, {
    headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

describe('startTestServer()', () => {
  test('two servers have ports, data and keys of their own', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(first.baseUrl).not.toBe(second.baseUrl);
    expect(first.account.apiKey).not.toBe(second.account.apiKey);
    await first.account.createVault({ name: 'Taxes' });
    expect((await send(first, '/api/v1/vaults')).body.data).toMatchObject([{ name: 'Taxes' }]);
    expect((await send(second, '/api/v1/vaults')).body.data).toEqual([]);
  });

  test('a vault that was created without a request is delivered to webhooks', async () => {
    const service = await start();
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const webhook = { url: receiver.url, events: ['vault.created'], secret };
    expect(await send(service, '/api/v1/webhooks', webhook)).toMatchObject({ status: 201 });
    const vault = await service.account.createVault({ name: 'Taxes' });
    await service.settled();
    const [event] = receiver.requests.map(verifiedEvent);
    expect(event).toMatchObject({ type: 'vault.created', data: { object: vault } });
    expect(await service.events()).toContainEqual(event);
    expect(await service.deliveries()).toMatchObject([{ status: 'succeeded' }]);
  });

  test('the rate limits of the options apply, and reset() clears them', async () => {
    const service = await start({ defaultTier: 'free', requestsPerMinute: { free: 1 } });
    const statuses = async () => [
      (await send(service, '/api/v1/vaults')).status,
      (await send(service, '/api/v1/vaults')).status,
    ];
    expect(await statuses()).toEqual([200, 429]);
    await service.reset();
    expect(await statuses()).toEqual([200, 429]);
    service.clock.advance(60_000);
    expect(await statuses()).toEqual([200, 429]);
  });

  test('a fault for graphql does not affect REST', async () => {
    const service = await start();
    const fault = service.fault('error', { operations: 'graphql' });
    expect(await send(service, '/api/v1/users/me')).toMatchObject({ status: 200 });
    const query = { query: '{ me { email } }' };
    expect(await send(service, '/graphql', query)).toMatchObject({ status: 500 });
    expect(await send(service, '/graphql', query)).toMatchObject({
      status: 200,
      body: { data: { me: { email: 'ada@example.com' } } },
    });
    expect(fault.calls).toBe(1);
  });

  test('the clock of the options is moved by advance() and sleep()', async () => {
    const clock = new TestClock();
    const service = await start({ clock });
    const before = clock.now();
    service.clock.advance(1_000);
    await service.clock.sleep(500);
    expect(clock.now() - before).toBe(1_500);
    expect(service.clock.now()).toBe(clock.now());
  });

  test('an account that reset() removed cannot create data', async () => {
    const service = await start();
    const { createVault } = await service.createAccount({ email: 'eve@example.com' });
    await service.reset();
    await expect(createVault()).rejects.toThrow(
      new TestFeatureError('the account eve@example.com does not exist any more'),
    );
  });

  test('an invalid option throws a ConfigError', async () => {
    await expect(startTestServer({ port: -1 })).rejects.toThrow(ConfigError);
  });

  test('after close() the port accepts no connections', async () => {
    const service = await startTestServer();
    await service.close();
    await expect(send(service, '/api/v1/vaults')).rejects.toThrow('fetch failed');
  });
});
