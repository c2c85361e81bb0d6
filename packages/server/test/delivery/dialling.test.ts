import { createServer as createTcpServer, isIP } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAttempt } from '../../src/delivery/attempt.ts';
import { attempt, clock, never, receiver } from '../support/delivery/attempts.ts';
import { queuedDelivery } from '../support/delivery/queued.ts';
import { listen } from '../support/delivery/receiver.ts';
import { refusedHosts } from '../support/delivery/refused-hosts.ts';
import { startTlsReceiver, trustTestAuthority } from '../support/delivery/tls-receiver.ts';

trustTestAuthority();

const refusedName = 'the name receiver.example has no address that webhooks may connect to';
const refusal = expect.stringMatching(/^address \S+ is not allowed$/);

describe('addresses', () => {
  test('a refused URL opens no connection', async () => {
    const { url, requests } = await receiver();
    expect(await attempt({ url }, { allowPrivate: false })).toMatchObject({
      statusCode: null,
      error: 'only https URLs are allowed',
    });
    expect(requests).toEqual([]);
  });

  test('a refused address opens no connection, in any notation and behind any name', async () => {
    const { port, counts } = await startTlsReceiver();
    for (const host of Object.values(refusedHosts).flat()) {
      const literal = await attempt({ url: `https://${host}:${port}/` }, { allowPrivate: false });
      expect(literal, host).toMatchObject({ statusCode: null, error: refusal });

      const { hostname } = new URL(`https://${host}/`);
      const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
      if (isIP(address) === 0) continue;
      for (const addresses of [[address], ['8.8.8.8', address]]) {
        const resolve = async () => addresses;
        const url = `https://receiver.example:${port}/`;
        const named = await attempt({ url }, { allowPrivate: false, resolve });
        expect(named, host).toMatchObject({
          statusCode: null,
          error: refusedName,
        });
      }
    }
    expect(counts.connections).toBe(0);
  });

  test('allowedNetworks allows connections to this network only', async () => {
    const { port, counts } = await startTlsReceiver();
    const url = `https://receiver.example:${port}/`;
    const strict = { allowPrivate: false, allowedNetworks: ['127.0.0.1/32'] };
    const named = (...addresses: string[]) =>
      attempt({ url }, { ...strict, resolve: async () => addresses });
    expect(await named('127.0.0.1')).toMatchObject({ statusCode: 200, error: null });
    expect(await attempt({ url: `https://127.1:${port}/` }, strict)).toMatchObject({ error: null });
    expect(counts).toEqual({ connections: 2, requests: 2 });
    expect(await named('127.0.0.2')).toMatchObject({ error: refusedName });
    expect(await named('127.0.0.1', '127.0.0.2')).toMatchObject({ error: refusedName });
    expect(await named('127.0.0.1', '::1')).toMatchObject({ error: refusedName });
    expect(await attempt({ url: `https://127.2:${port}/` }, strict)).toMatchObject({
      error: refusal,
    });
    expect(counts.connections).toBe(2);
  });

  test('an attempt tries the other addresses of a name when one does not respond', async () => {
    const { url, requests } = await receiver();
    const named = url.replace('127.0.0.1', 'receiver.example');
    const resolve = async () => ['::1', '127.0.0.1'];
    expect(await attempt({ url: named }, { resolve })).toMatchObject({ error: null });
    expect(requests).toHaveLength(1);
  });

  test('a reused connection still leads to the address that was checked when it was opened', async () => {
    const ports = new Set<number | undefined>();
    const { url, requests } = await receiver((response) => {
      ports.add(response.socket?.remotePort);
      response.end();
    });
    let checked = 0;
    const post = createAttempt({
      clock,
      timeoutMs: 10_000,
      allowPrivate: true,
      userAgent: '-',
      resolve: async () => (checked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']),
    });
    const delivery = queuedDelivery({ url: url.replace('127.0.0.1', 'receiver.example') });
    const errors = [];
    for (let count = 0; count < 10; count += 1) {
      errors.push((await post(delivery, never)).error);
      await new Promise(setImmediate);
    }
    const sent = errors.filter((error) => error === null);
    expect(sent.length, 'over the kept connection').toBeGreaterThan(1);
    expect(requests).toHaveLength(sent.length);
    expect(ports.size).toBe(1);
    const refused = errors.filter((error) => error !== null);
    expect(new Set(refused)).toEqual(new Set(refused.map(() => refusedName)));
    expect(checked).toBe(1 + refused.length);
  });

  test('a connection resolves its name once and uses exactly the checked address', async () => {
    const { url, requests } = await receiver((response) =>
      response.setHeader('connection', 'close').end(),
    );
    const replies = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']];
    const post = createAttempt({
      clock,
      timeoutMs: 10_000,
      allowPrivate: true,
      userAgent: '-',
      resolve: async () => replies.shift() ?? [],
    });
    const delivery = queuedDelivery({ url: url.replace('127.0.0.1', 'receiver.example') });

    expect((await post(delivery, never)).error).toBeNull();
    expect(replies).toHaveLength(2);
    expect((await post(delivery, never)).error).toBe(refusedName);
    expect(replies).toHaveLength(1);
    expect((await post(delivery, never)).error).toBeNull();
    expect((await post(delivery, never)).error).toBe(refusedName);
    expect(requests).toHaveLength(2);
    expect(requests[0]?.headers.host).toBe(new URL(delivery.url).host);
  });

  test('a name that cannot be resolved fails the attempt', async () => {
    const resolve = () => Promise.reject(new Error('SERVFAIL'));
    expect(await attempt({ url: 'https://receiver.example/' }, { resolve })).toMatchObject({
      statusCode: null,
      error: refusedName,
    });
  });

  test('a connection that opens after the deadline sends nothing', async () => {
    const bytes = Promise.withResolvers<number>();
    const server = createTcpServer((socket) => {
      let received = 0;
      socket.on('data', (chunk) => {
        received += chunk.length;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => bytes.resolve(received));
    });
    onTestFinished(() => void server.close());
    const port = await listen(server);
    const lookup = Promise.withResolvers<string[]>();
    const late = await attempt(
      { url: `http://receiver.example:${port}/` },
      { timeoutMs: 1_000, resolve: () => lookup.promise },
    );
    expect(late).toMatchObject({ statusCode: null, error: 'timeout after 1 s' });
    lookup.resolve(['127.0.0.1']);
    expect(await bytes.promise).toBe(0);
  });
});
