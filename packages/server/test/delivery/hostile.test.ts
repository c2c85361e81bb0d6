import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attempt, receiver } from '../support/delivery/attempts.ts';
import {
  acknowledgements,
  brokenResponses,
  hanging,
  type Reaction,
  resets,
} from '../support/delivery/hostile-receivers.ts';
import { listen, startRawReceiver, startReceiver } from '../support/delivery/receiver.ts';

async function rawAttempt(react: Reaction, timeoutMs?: number) {
  const { url, close } = await startRawReceiver(react);
  onTestFinished(close);
  return attempt({ url }, timeoutMs === undefined ? {} : { timeoutMs });
}

describe('deadline', () => {
  const timeout = { error: 'timeout after 0.15 s' };

  test.each(Object.entries(hanging))('the deadline covers %s', async (name, react) => {
    const record = await rawAttempt(react, 150);
    const hasHead = name === 'a body that drips';
    expect(record).toMatchObject({ ...timeout, statusCode: hasHead ? 200 : null });
    if (hasHead) expect(record.responseBody).toMatch(/^\.+$/);
  });

  test('the deadline covers the resolution of the name', async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const record = attempt({ url: 'https://receiver.example/' }, { resolve, timeoutMs: 150 });
    expect(await record).toMatchObject({ ...timeout, statusCode: null });
  });

  test('the deadline covers a silent TLS handshake, whose connection is closed soon after', async () => {
    const closed = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.resume().on('error', () => undefined);
      socket.on('close', () => closed.resolve());
    });
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const record = await attempt({ url }, { timeoutMs: 150 });
    expect(record).toMatchObject({ ...timeout, statusCode: null });
    await closed.promise;
  });
});

describe('broken responses', () => {
  test.each(brokenResponses)('a broken response fails at once: %s', async (_name, react, error) => {
    expect(await rawAttempt(react)).toMatchObject({ error });
  });

  test.each(Object.entries(resets))('a connection reset %s fails at once', async (_name, react) => {
    expect((await rawAttempt(react)).error).toMatch(
      /^connection (reset|closed before the response was complete)$/,
    );
  });
});

describe('acknowledgements with a hostile body', () => {
  test.each(Object.entries(acknowledgements))(
    'status 200 acknowledges despite %s',
    async (_name, react) => {
      const record = await rawAttempt(react);
      expect(record).toMatchObject({ statusCode: 200, error: null });
      expect(Buffer.byteLength(record.responseBody ?? '')).toBeLessThanOrEqual(2048 * 3);
      expect(record.responseBody, 'not inflated').not.toContain('bomb');
    },
  );

  test('the connection of an endless response is closed', async () => {
    const closed = Promise.withResolvers<number>();
    await rawAttempt((socket) => {
      socket.on('close', () => closed.resolve(socket.bytesWritten));
      acknowledgements['a gigabyte']?.(socket);
    });
    // The buffers of the operating system take some megabytes, not a gigabyte.
    expect(await closed.promise).toBeLessThan(64 * 1024 * 1024);
  });

  test('status 204 with a length acknowledges, because it has no body', async () => {
    const record = await rawAttempt((socket) => {
      socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n');
    });
    expect(record).toMatchObject({ statusCode: 204, error: null });
  });

  test('status 503 with a long body fails the attempt', async () => {
    const { url } = await receiver((response) => response.writeHead(503).end('x'.repeat(100_000)));
    expect(await attempt({ url })).toMatchObject({ statusCode: 503, error: 'status 503' });
  });
});

test('an attempt sends Accept-Encoding: identity', async () => {
  const { url, requests } = await receiver();
  await attempt({ url });
  expect(requests[0]?.headers['accept-encoding']).toBe('identity');
});

test.each([301, 302, 303, 307, 308])(
  'a redirect with status %i is not followed',
  async (status) => {
    const target = await startReceiver();
    onTestFinished(target.close);
    const { url } = await receiver((response) =>
      response.writeHead(status, { location: target.url }).end(),
    );
    expect(await attempt({ url })).toMatchObject({
      statusCode: status,
      error: `status ${status}, redirects are not followed`,
    });
    expect(target.requests).toEqual([]);
  },
);
