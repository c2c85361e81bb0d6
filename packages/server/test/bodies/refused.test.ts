import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectTo, head, statuses } from '../support/connection.ts';
import { startTestServer } from '../support/server.ts';

const mebibyte = 1024 * 1024;

/** A request without credentials, whose body the server refuses with 401. */
const refused = head('/api/v1/vaults', { 'Content-Length': 100_000_000 });

/** Resolves with the server's end of the connection of the next request. */
function nextSocket(): Promise<Socket> {
  return new Promise((resolve) => {
    const onRequest = (message: unknown) => {
      unsubscribe('http.server.request.start', onRequest);
      resolve((message as { readonly request: IncomingMessage }).request.socket);
    };
    subscribe('http.server.request.start', onRequest);
  });
}

test('20 of 20 clients that send 100 MB to a 401 can read it, also when they send 3 MiB before they read', async () => {
  const { url } = await startTestServer();
  const chunk = Buffer.alloc(mebibyte, 'x');
  const responses = Array.from({ length: 20 }, async () => {
    const { socket, until } = await connectTo(url);
    socket.pause();
    socket.write(refused);
    for (let sent = 0; sent < 3; sent += 1) {
      await new Promise((resolve) => socket.write(chunk, resolve));
    }
    socket.resume();
    const send = () => {
      if (!socket.destroyed) socket.write(chunk, send);
    };
    send();
    return statuses(await until(/"MISSING_AUTH"/));
  });
  expect(await Promise.all(responses)).toEqual(Array(20).fill([401]));
});

test('a refused body is read up to 4 MiB, and its connection is closed after 2 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { url } = await startTestServer();
  const accepted = nextSocket();
  const { socket, until } = await connectTo(url);
  socket.write(refused);
  socket.write(Buffer.alloc(16 * mebibyte, 'x'));
  await until(/"MISSING_AUTH"/);
  const server = await accepted;
  await expect.poll(() => server.bytesRead).toBeGreaterThan(4 * mebibyte);
  await expect.poll(() => server.isPaused()).toBe(true);
  // Node can read some 64 KiB more before the pause takes effect.
  expect(server.bytesRead).toBeLessThan(4.5 * mebibyte);
  expect(server.destroyed).toBe(false);
  const closed = once(server, 'close');
  vi.advanceTimersByTime(2_000);
  await closed;
});
