import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Connections, Exchange, type ReceivedResponse } from '../../src/delivery/connections.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A receiver that responds to every request at once. */
class ReceiverSocket extends Duplex {
  readonly #response: string;

  constructor(response: string) {
    super();
    this.#response = response;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(_bytes: Buffer, _encoding: string, done: () => void): void {
    this.push(this.#response);
    done();
  }
}

function connect(header = '') {
  const sockets: ReceiverSocket[] = [];
  const connections = new Connections((_target, onOpen) => {
    const socket = new ReceiverSocket(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${header}\r\n`);
    sockets.push(socket);
    onOpen(null, socket as unknown as Socket);
  });
  async function send() {
    const { promise, resolve } = Promise.withResolvers<ReceivedResponse>();
    const head = 'POST / HTTP/1.1\r\n\r\n';
    const request = { origin: 'http://receiver.example', head, body: Buffer.alloc(0) };
    connections.send(new Exchange(request, resolve));
    expect(await promise).toMatchObject({ statusCode: 200 });
  }
  return {
    sockets,
    /** Sends requests at once, and lets their connections become idle. */
    async post(count = 1) {
      await Promise.all(Array.from({ length: count }, send));
      await vi.advanceTimersByTimeAsync(1);
    },
  };
}

test('a connection is used again within 4 seconds, and closed when it was idle for longer', async () => {
  const { sockets, post } = connect();
  await post();
  await vi.advanceTimersByTimeAsync(3_900);
  await post();
  await vi.advanceTimersByTimeAsync(3_900);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a connection whose receiver keeps it for 3 seconds is not used after 2 seconds', async () => {
  const { sockets, post } = connect('Keep-Alive: timeout=3\r\n');
  await post();
  await vi.advanceTimersByTimeAsync(1_900);
  await post();
  expect(sockets).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await post();
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
});

test('connections that simultaneous requests have opened are closed too when they stay idle', async () => {
  const { sockets, post } = connect();
  await post(3);
  expect(sockets).toHaveLength(3);
  for (let seconds = 0; seconds < 10; seconds += 1) {
    await post();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(sockets.map(({ destroyed }) => destroyed).sort()).toEqual([false, true, true]);
});
