import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ReadBrake } from '../../src/http/bodies/read-brake.ts';
import { connectTo, head, singleBytes, statuses } from '../support/connection.ts';
import { startTestServer } from '../support/server.ts';

/** More than the connections of one network may deliver in a turn of the event loop. */
const excess = 5_000;

function socketFrom(address: string): Socket {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  return socket.resume();
}

function deliver(brake: ReadBrake, socket: Socket, chunks: number): void {
  for (let count = 0; count < chunks; count += 1) brake.count(socket);
}

test('very many small chunks stop the connections of their network until the next turn, and no others', async () => {
  const brake = new ReadBrake();
  const addresses = ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'];
  const sockets = addresses.map(socketFrom);
  for (const socket of sockets) brake.add(socket);
  const paused = () => sockets.map((socket) => socket.isPaused());
  const [first, , , fourth] = sockets as [Socket, Socket, Socket, Socket];

  deliver(brake, first, 1_000);
  expect(paused()).toEqual([false, false, false, false, false]);
  deliver(brake, first, excess);
  expect(paused()).toEqual([true, true, false, false, false]);
  deliver(brake, fourth, excess);
  expect(paused()).toEqual([true, true, false, true, true]);
  await setImmediate();
  expect(paused()).toEqual([false, false, false, false, false]);
  // Each turn counts anew.
  deliver(brake, first, 1_000);
  expect(paused()).toEqual([false, false, false, false, false]);
});

test('connections of one link are one network with any zone in their addresses', async () => {
  const brake = new ReadBrake();
  const sockets = ['fe80::1%br-8f3a', 'fe80::2%eth0.100'].map(socketFrom) as [Socket, Socket];
  for (const socket of sockets) brake.add(socket);
  deliver(brake, sockets[0], excess);
  expect(sockets.map((socket) => socket.isPaused())).toEqual([true, true]);
  await setImmediate();
});

test('a connection that was paused before stays paused, and a closed one is forgotten', async () => {
  const brake = new ReadBrake();
  const [busy, waiting, closed] = [1, 2, 3].map(() => socketFrom('192.0.2.1')) as [
    Socket,
    Socket,
    Socket,
  ];
  for (const socket of [busy, waiting, closed]) brake.add(socket);
  waiting.pause();
  closed.emit('close', false);
  deliver(brake, busy, excess);
  expect(closed.isPaused()).toBe(false);
  await setImmediate();
  expect(busy.isPaused()).toBe(false);
  expect(waiting.isPaused()).toBe(true);
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
