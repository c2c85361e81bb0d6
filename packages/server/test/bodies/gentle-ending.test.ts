import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GentleEnding } from '../../src/http/bodies/gentle-ending.ts';

const mebibyte = 1024 * 1024;

/** Opens connections that the server ends while their clients send this many bytes. */
async function endedWhileSending(connections: number, bytes: number) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const ending = new GentleEnding();
  const ended: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    ended.push(socket.on('error', () => undefined));
    ending.end(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: connections }, () => {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    client.write(Buffer.alloc(bytes));
    return client;
  });
  onTestFinished(() => {
    for (const socket of [...clients, ...ended]) socket.destroy();
    server.close();
  });
  const discarded = () => ended.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  return { ended, discarded };
}

/** Waits until no connection is read any more. */
async function untilPaused(ended: readonly Socket[], connections: number): Promise<void> {
  while (ended.length < connections || ended.some((socket) => !socket.isPaused())) {
    await setImmediate();
  }
}

test('a connection that is ended has at most 4 MiB discarded, and is destroyed after 2 s', async () => {
  const { ended, discarded } = await endedWhileSending(1, 8 * mebibyte);
  await expect.poll(discarded).toBeGreaterThan(4 * mebibyte);
  await untilPaused(ended, 1);
  expect(discarded()).toBeLessThanOrEqual(4.25 * mebibyte);
  expect(ended[0]?.destroyed).toBe(false);
  vi.advanceTimersByTime(2_000);
  expect(ended[0]?.destroyed).toBe(true);
});

test('connections that are ended at once have at most 16 MiB discarded together', async () => {
  const { ended, discarded } = await endedWhileSending(20, 8 * mebibyte);
  await expect.poll(discarded).toBeGreaterThan(16 * mebibyte);
  await untilPaused(ended, 20);
  // Node reads up to 256 KiB of a connection before a pause takes effect.
  expect(discarded()).toBeLessThanOrEqual((16 + 20 / 4) * mebibyte);
});
