import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createNetworks } from '../../src/http/addresses.ts';
import { holdPaused, NetworkPause } from '../../src/http/bodies/network-pause.ts';
import { connectTo, head, singleBytes, statuses } from '../support/connection.ts';
import { startTestServer } from '../support/server.ts';

/** Small chunks of a turn of the event loop after which a network rests. */
const maxChunks = 1_024;

/** Opens connections from these addresses. */
function openFrom(networkPause: NetworkPause, ...addresses: string[]): Socket[] {
  return addresses.map((address) => {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: address });
    networkPause.add(socket.resume());
    return socket;
  });
}

function deliver(networkPause: NetworkPause, socket: Socket | undefined, chunks: number): void {
  for (let count = 0; count < chunks; count += 1) networkPause.count(socket as Socket);
}

const paused = (sockets: readonly Socket[]) => sockets.map((socket) => socket.isPaused());

describe('rest of a network', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  });

  test('1,024 small chunks in one turn pause the connections of their network for 50 ms, and no others', () => {
    const networkPause = new NetworkPause(createNetworks([]));
    const sockets = openFrom(
      networkPause,
      ...['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'],
    );
    deliver(networkPause, sockets[0], maxChunks - 1);
    expect(paused(sockets)).toEqual([false, false, false, false, false]);
    deliver(networkPause, sockets[1], 1);
    expect(paused(sockets)).toEqual([true, true, false, false, false]);
    deliver(networkPause, sockets[3], maxChunks);
    expect(paused(sockets)).toEqual([true, true, false, true, true]);
    vi.advanceTimersByTime(49);
    expect(paused(sockets)).toEqual([true, true, false, true, true]);
    vi.advanceTimersByTime(1);
    expect(paused(sockets)).toEqual([false, false, false, false, false]);
  });

  test('each connection of a trusted proxy is a network of its own', () => {
    const networkPause = new NetworkPause(createNetworks(['127.0.0.0/8']));
    const sockets = openFrom(networkPause, '127.0.0.1', '127.0.0.1', '192.0.2.1', '192.0.2.1');
    deliver(networkPause, sockets[0], maxChunks);
    deliver(networkPause, sockets[2], maxChunks);
    expect(paused(sockets)).toEqual([true, false, true, true]);
  });

  test('a turn of the event loop counts anew: 1,023 small chunks in each pause no connection', async () => {
    const networkPause = new NetworkPause(createNetworks([]));
    const [socket] = openFrom(networkPause, '192.0.2.1');
    for (let turn = 0; turn < 3; turn += 1) {
      deliver(networkPause, socket, maxChunks - 1);
      await setImmediate();
    }
    expect(socket?.isPaused()).toBe(false);
  });

  test('a connection that is resumed during the rest, or opened then, stays paused until its end', async () => {
    const networkPause = new NetworkPause(createNetworks([]));
    const [busy] = openFrom(networkPause, '192.0.2.1');
    deliver(networkPause, busy, maxChunks);
    const [opened] = openFrom(networkPause, '192.0.2.1');
    const sockets = [busy, opened] as Socket[];
    for (const socket of sockets) socket.resume();
    await setImmediate();
    expect(paused(sockets)).toEqual([true, true]);
    vi.advanceTimersByTime(50);
    expect(paused(sockets)).toEqual([false, false]);
  });

  test('a connection that is held paused for another reason stays so, and a closed one is forgotten', async () => {
    const networkPause = new NetworkPause(createNetworks([]));
    const sockets = openFrom(networkPause, '192.0.2.1', '192.0.2.1', '192.0.2.1');
    const [busy, waiting, closed] = sockets;
    const resume = holdPaused(waiting as Socket);
    closed?.emit('close', false);
    deliver(networkPause, busy, maxChunks);
    expect(paused(sockets)).toEqual([true, true, false]);
    vi.advanceTimersByTime(50);
    await setImmediate();
    expect(paused(sockets)).toEqual([false, true, false]);
    resume();
    expect(paused(sockets)).toEqual([false, false, false]);
  });

  test('connections of one link are one network with any zone in their addresses', () => {
    const networkPause = new NetworkPause(createNetworks([]));
    const sockets = openFrom(networkPause, 'fe80::1%br-8f3a', 'fe80::2%eth0.100');
    deliver(networkPause, sockets[0], maxChunks);
    expect(paused(sockets)).toEqual([true, true]);
  });
});

test('30 logins of 1,000 chunks of one byte at once are all read to their end', async () => {
  const { url } = await startTestServer({ requestsPerMinute: { enterprise: 1_000 } });
  const request = head('/auth/login', { 'Transfer-Encoding': 'chunked' });
  const body = JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(900) });
  const connections = await Promise.all(Array.from({ length: 30 }, () => connectTo(url)));
  for (const { socket } of connections) socket.write(`${request}${singleBytes(body)}0\r\n\r\n`);
  for (const connection of connections) {
    await connection.until(/"error"/);
    // Refused for what the body says, or by the limit of the address: never for its chunks.
    expect([400, 401, 429]).toContain(statuses(connection.received())[0]);
    expect(connection.received()).not.toContain('chunkSize');
  }
});
