import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../src/clock.ts';
import { createAttempt } from '../../src/delivery/attempt.ts';
import { claimedDelivery } from './claimed.ts';
import { startRawReceiver, startReceiver } from './receiver.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function attempt(url: string, timeoutMs = 10_000) {
  const post = createAttempt({
    clock: new TestClock(),
    timeoutMs,
    allowPrivate: true,
    userAgent: 'document-vault/test',
  });
  return post(claimedDelivery({ url }), new AbortController().signal);
}

async function rawAttempt(react: (socket: Socket) => void, timeoutMs?: number) {
  const { url, close } = await startRawReceiver(react);
  cleanups.push(close);
  return attempt(url, timeoutMs);
}

function drip(socket: Socket, bytes: string): void {
  const timer = setInterval(() => socket.write(bytes), 10);
  socket.on('close', () => clearInterval(timer));
}

const head = 'HTTP/1.1 200 OK\r\n';

describe('the deadline covers', () => {
  it('silence', async () => {
    expect(await rawAttempt(() => undefined, 150)).toMatchObject({
      statusCode: null,
      error: 'timeout after 0.15 s',
    });
  });

  it('a head that drips', async () => {
    const record = await rawAttempt((socket) => {
      socket.write(head);
      drip(socket, 'x: y\r\n');
    }, 150);
    expect(record).toMatchObject({ statusCode: null, error: 'timeout after 0.15 s' });
  });

  it('a body that drips', async () => {
    const record = await rawAttempt((socket) => {
      socket.write(`${head}Content-Length: 1000\r\n\r\n`);
      drip(socket, '.');
    }, 150);
    expect(record).toMatchObject({ statusCode: 200, error: 'timeout after 0.15 s' });
    expect(record.responseBody).toMatch(/^\.+$/);
  });

  it('informational answers without end', async () => {
    const record = await rawAttempt((socket) => {
      drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n');
    }, 150);
    expect(record).toMatchObject({ statusCode: null, error: 'timeout after 0.15 s' });
  });
});

describe('an endless body', () => {
  it.each(['Content-Length: 1000000000', 'X-Until: the end'])('(%s) is cut', async (header) => {
    const closed = Promise.withResolvers<void>();
    let written = 0;
    const record = await rawAttempt((socket) => {
      const block = Buffer.alloc(64 * 1024, 'x');
      const pour = () => {
        while (!socket.destroyed && socket.writable) {
          written += block.length;
          if (!socket.write(block)) break;
        }
      };
      socket.write(`${head}${header}\r\n\r\n`);
      socket.on('drain', pour);
      socket.on('close', () => closed.resolve());
      pour();
    });
    expect(record).toMatchObject({ statusCode: 200, error: null, responseBody: 'x'.repeat(2048) });
    await closed.promise;
    // What the operating system holds in its buffers, not a gigabyte.
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('of a failure is a failure', async () => {
    const { url, close } = await startReceiver((response) =>
      response.writeHead(503).end('x'.repeat(100_000)),
    );
    cleanups.push(close);
    expect(await attempt(url)).toMatchObject({ statusCode: 503, error: 'status 503' });
  });
});

it('a compressed answer is not inflated', async () => {
  const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024, 'bomb'));
  const { url, requests, close } = await startReceiver((response) =>
    response.setHeader('content-encoding', 'gzip').end(bomb),
  );
  cleanups.push(close);
  const record = await attempt(url);
  expect(record).toMatchObject({ statusCode: 200, error: null });
  expect(record.responseBody).not.toContain('bomb');
  expect(requests[0]?.headers['accept-encoding']).toBe('identity');
});

it.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
  const target = await startReceiver();
  cleanups.push(target.close);
  const { url, close } = await startReceiver((response) =>
    response.writeHead(status, { location: target.url }).end(),
  );
  cleanups.push(close);
  expect(await attempt(url)).toMatchObject({
    statusCode: status,
    error: `status ${status}, redirects are not followed`,
  });
  expect(target.requests).toEqual([]);
});

const resets: [string, string, string][] = [
  ['before the head', '', 'connection reset'],
  ['in the head', 'HTTP/1.1 200 OK\r\nContent-', 'connection reset'],
  ['in the body', `${head}Content-Length: 10\r\n\r\n12345`, 'connection reset'],
];

describe('a connection that is reset', () => {
  it.each(resets)('%s', async (_stage, bytes, error) => {
    const record = await rawAttempt((socket) => {
      if (bytes === '') socket.resetAndDestroy();
      else socket.write(bytes, () => socket.resetAndDestroy());
    });
    expect(record.error).toMatch(new RegExp(`^(${error}|${closed})$`));
  });
});

const closed = 'connection closed before the answer was complete';

it.each([
  ['before the head', '', closed],
  ['in the head', 'HTTP/1.1 200 OK\r\nContent-', closed],
  ['in the body', `${head}Content-Length: 10\r\n\r\n12345`, closed],
  ['in a chunk', `${head}Transfer-Encoding: chunked\r\n\r\na\r\n12345`, closed],
  ['with no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n', 'the answer is not valid HTTP'],
  [
    'with a broken chunk',
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    'the answer is not valid HTTP',
  ],
  [
    'with a huge head',
    `${head}X: ${'x'.repeat(40_000)}\r\n\r\n`,
    'the head of the answer is too large',
  ],
  [
    'with an upgrade',
    'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    closed,
  ],
])('an answer that ends %s is a failure', async (_stage, bytes, error) => {
  const record = await rawAttempt((socket) => socket.end(bytes));
  expect(record.error).toBe(error);
});
