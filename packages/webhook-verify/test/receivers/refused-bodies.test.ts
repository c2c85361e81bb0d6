import type { Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  countRead,
  oneByteChunk,
  openSender,
  type ServerReads,
} from '../support/receivers/flood.ts';
import { type BuildServer, frameworks } from '../support/receivers/frameworks.ts';
import { startReceiver, stopServers, until } from '../support/receivers/receiver.ts';

let read: ServerReads;

/** Builds the server and counts the bytes that it reads. */
const counted =
  (build: BuildServer): BuildServer =>
  async (...receiver): Promise<Server> => {
    const server = await build(...receiver);
    read = countRead(server);
    return server;
  };

afterEach(async () => {
  vi.useRealTimers();
  await stopServers();
});

describe.each(frameworks)('a refused body in %s', (_, build) => {
  test('gets a response, and the connection is closed while the sender writes', async () => {
    const receiver = await startReceiver(counted(build), { options: { maxBodySize: 100 } });
    const sender = await openSender(receiver.url);
    const text = oneByteChunk.repeat(1000);
    while (!sender.socket.destroyed && !sender.ended()) await sender.write(text);
    expect(sender.received()).toMatch(/^HTTP\/1.1 400 .*\r\n/);
    expect(sender.received()).toMatch(/^connection: close\r$/im);
    expect(sender.received()).toContain('The body is larger than 100 bytes.');
    await until(() => read.sockets.every(({ destroyed }) => destroyed));
    sender.socket.destroy();
    expect(receiver.reports).toMatchObject([{ error: { code: 'body_too_large' }, status: 400 }]);
  });

  test('is refused after 1,024 chunks of one byte, and its connection is closed', async () => {
    const receiver = await startReceiver(counted(build));
    const sender = await openSender(receiver.url);
    const text = oneByteChunk.repeat(1000);
    while (!sender.socket.destroyed && !sender.ended()) await sender.write(text);
    expect(sender.received()).toMatch(/^HTTP\/1.1 400 .*\r\n/);
    await until(() => read.sockets.every(({ destroyed }) => destroyed));
    sender.socket.destroy();
    expect(receiver.reports).toMatchObject([{ error: { code: 'chunks_too_small' }, status: 400 }]);
  });

  test('is refused by its Content-Length before any byte arrives', async () => {
    const receiver = await startReceiver(counted(build), { options: { maxBodySize: 100 } });
    const sender = await openSender(receiver.url, { 'Content-Length': '101' });
    await until(() => sender.ended());
    expect(sender.received()).toMatch(/^HTTP\/1.1 400 /);
    expect(sender.received()).toMatch(/^connection: close\r$/im);
    await until(() => read.sockets.every(({ destroyed }) => destroyed));
    sender.socket.destroy();
  });

  test('of one byte a second loses its connection after the timeout, on each of 100 connections', async () => {
    const receiver = await startReceiver(counted(build), { options: { timeout: 300 } });
    const senders = await Promise.all(Array.from({ length: 100 }, () => openSender(receiver.url)));
    const drip = setInterval(() => {
      for (const sender of senders) void sender.write(oneByteChunk);
    }, 1000);
    await until(
      () => read.sockets.length === 100 && read.sockets.every((socket) => socket.destroyed),
    );
    clearInterval(drip);
    for (const { socket, received } of senders) {
      expect(received()).toMatch(/^HTTP\/1.1 400 /);
      socket.destroy();
    }
    expect(receiver.reports).toHaveLength(100);
  });
});

const nodeFrameworks = frameworks.filter(([name]) => name !== 'hono' && name !== 'fetch');

describe.each(nodeFrameworks)('the connection of a refused body in %s', (_, build) => {
  test.each(['POST', 'PUT'])(
    'is destroyed half a second after the response to %s',
    async (method) => {
      const receiver = await startReceiver(counted(build), { options: { maxBodySize: 100 } });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const sender = await openSender(receiver.url, { 'Transfer-Encoding': 'chunked' }, method);
      await sender.write(oneByteChunk.repeat(1000));
      await until(() => sender.ended());
      expect(sender.received()).toMatch(method === 'POST' ? /^HTTP\/1.1 400 / : /^HTTP\/1.1 405 /);
      for (let round = 0; round < 20; round += 1) {
        void sender.write(oneByteChunk.repeat(1000));
        await setTimeout(1);
      }
      vi.advanceTimersByTime(499);
      expect(read.sockets[0]?.destroyed).toBe(false);
      vi.advanceTimersByTime(1);
      expect(read.sockets[0]?.destroyed).toBe(true);
      sender.socket.destroy();
    },
  );

  test('stays open after a complete request', async () => {
    const receiver = await startReceiver(counted(build));
    const sender = await openSender(receiver.url);
    await sender.write('1\r\nx\r\n0\r\n\r\n');
    await until(() => sender.received().includes('Unauthorized'));
    expect(sender.received()).not.toMatch(/^connection: close\r$/im);
    const get = await fetch(receiver.url);
    expect(get.status).toBe(405);
    expect(get.headers.get('connection')).not.toBe('close');
    expect(read.sockets.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    sender.socket.destroy();
  });
});
