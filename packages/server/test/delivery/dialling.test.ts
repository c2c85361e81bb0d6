import { createServer as createTcpServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAttempt } from '../../src/delivery/attempt.ts';
import { attempt, clock, never, receiver } from './attempts.ts';
import { claimedDelivery } from './claimed.ts';
import { listen } from './receiver.ts';

describe('addresses', () => {
  it('a refused URL is not dialled', async () => {
    const { url, requests } = await receiver();
    expect(await attempt({ url }, { allowPrivate: false })).toMatchObject({
      statusCode: null,
      error: 'only https URLs are allowed',
    });
    const port = new URL(url).port;
    for (const host of ['127.1', '2130706433', '[::ffff:7f00:1]', '[::1]']) {
      const record = await attempt({ url: `https://${host}:${port}/` }, { allowPrivate: false });
      expect(record.error).toMatch(/^address \S+ is not allowed$/);
    }
    expect(requests).toEqual([]);
  });

  it('the address that was checked is dialled, asked for once, also when the name changes', async () => {
    const { url, requests } = await receiver((response) =>
      response.setHeader('connection', 'close').end(),
    );
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']];
    const post = createAttempt({
      clock,
      timeoutMs: 10_000,
      allowPrivate: true,
      userAgent: '-',
      resolve: async () => answers.shift() ?? [],
    });
    const delivery = claimedDelivery({ url: url.replace('127.0.0.1', 'receiver.example') });

    expect((await post(delivery, never)).error).toBeNull();
    expect(answers).toHaveLength(2);
    expect((await post(delivery, never)).error).toBe('address 169.254.169.254 is not allowed');
    expect(answers).toHaveLength(1);
    expect((await post(delivery, never)).error).toBeNull();
    expect((await post(delivery, never)).error).toBe('the name receiver.example has no address');
    expect(requests).toHaveLength(2);
    expect(requests[0]?.headers.host).toBe(new URL(delivery.url).host);
  });

  it('a name that cannot be resolved', async () => {
    const resolve = () => Promise.reject(new Error('SERVFAIL'));
    expect(await attempt({ url: 'https://receiver.example/' }, { resolve })).toMatchObject({
      statusCode: null,
      error: 'the name receiver.example cannot be resolved',
    });
  });

  it('nothing is sent over a connection that comes after the deadline', async () => {
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
