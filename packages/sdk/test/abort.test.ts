import { getEventListeners } from 'node:events';
import { AbortError, type DocumentVault, memoryTokenStore } from '@document-vault/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { keyClient, rejection } from './support/client.ts';
import { StoppedClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { startKeyClient, startWithUser } from './support/real-server.ts';
import { json, vaultBody } from './support/responses.ts';
import { sendJson, startServer } from './support/server.ts';
import { hour } from './support/session.ts';
import { until } from './support/until.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Aborts a call and returns its outcome after one turn of the event loop. */
async function abortCall(
  call: (signal: AbortSignal) => Promise<unknown>,
  isWaiting: () => boolean,
): Promise<unknown> {
  const controller = new AbortController();
  const { signal } = controller;
  const ended = rejection(call(signal));
  await until(isWaiting);
  // By now the call is in the phase to abort, on a busy machine too.
  await new Promise(setImmediate);
  controller.abort(new Error('left the page'));
  const turn = new Promise((resolve) => setImmediate(resolve, 'still waiting'));
  const outcome = await Promise.race([ended, turn]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  return outcome;
}

const me = (client: DocumentVault) => (signal: AbortSignal) => client.users.me({ signal });

describe('guarantee 5: a signal ends a call within one turn of the event loop', () => {
  test('a call with an aborted signal sends no request', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const call = rejection(me(keyClient({ fetch }))(AbortSignal.abort()));
    const turn = new Promise((resolve) => setImmediate(resolve, 'still waiting'));
    expect(await Promise.race([call, turn])).toBeInstanceOf(AbortError);
    expect(sent).toHaveLength(0);
  });

  test('abort while waiting for a response rejects the call', async () => {
    const { server, client } = await startKeyClient();
    const stall = server.fault('stall');
    const outcome = await abortCall(me(client), () => stall.calls === 1);
    stall.restore();
    expect(outcome).toBeInstanceOf(AbortError);
    expect(outcome).toMatchObject({ attempts: 1, cause: new Error('left the page') });
  });

  test.each([
    ['to retry', 'error'],
    ['for the rate limit', 'rateLimit'],
  ] as const)('abort while waiting %s rejects the call', async (_, fault) => {
    const clock = new StoppedClock();
    const { server, client, sent } = await startKeyClient({}, { clock });
    server.fault(fault);
    expect(await abortCall(me(client), () => clock.sleepers === 1)).toBeInstanceOf(AbortError);
    expect(clock.sleepers).toBe(0);
    expect(sent).toHaveLength(1);
  });

  test('abort while waiting for a refresh rejects one call and the refresh continues for others', async () => {
    const { server, user, open, refreshes } = await startWithUser();
    const client = open({ session: { store: memoryTokenStore() } });
    await client.auth.login(user);
    server.clock.advance(hour);
    const stall = server.fault('stall', { operations: 'refresh' });
    const other = client.users.me();
    const outcome = await abortCall(me(client), () => stall.calls === 1);
    expect(outcome).toBeInstanceOf(AbortError);
    stall.restore();
    await expect(other).resolves.toMatchObject({ email: user.email });
    expect(refreshes()).toBe(1);
  });

  test('abort while reading the body rejects the call and closes the connection', async () => {
    let phase = 'none';
    const server = await startServer((_, response) => {
      response.on('close', () => {
        phase = 'closed';
      });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":', () => {
        phase = 'body';
      });
    });
    closers.push(server.close);
    const client = keyClient({ baseUrl: server.url });
    const outcome = await abortCall(me(client), () => phase === 'body');
    expect(outcome).toBeInstanceOf(AbortError);
    await until(() => phase === 'closed');
    expect(server.arrivals).toHaveLength(1);
  });
});

describe('guarantee 5: timeouts include the body', () => {
  test('a body that stalls ends each attempt after timeout', async () => {
    const server = await startServer((_, response) => {
      if (server.arrivals.length > 1) return sendJson(response, vaultBody);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":');
    });
    closers.push(server.close);
    const client = keyClient({ baseUrl: server.url, timeout: 250 });
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
    expect(server.arrivals).toHaveLength(2);
  });

  test('a call ends after totalTimeout with retries left', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":');
    });
    closers.push(server.close);
    const client = keyClient({ baseUrl: server.url, totalTimeout: 100, maxRetries: 9 });
    await expect(client.vaults.get('1')).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(server.arrivals.length).toBeLessThanOrEqual(1);
  });
});
