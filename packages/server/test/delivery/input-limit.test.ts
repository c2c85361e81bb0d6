import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { ExcessError, limitInput } from '../../src/delivery/attempt.ts';
import { flood } from '../support/delivery/hostile-receivers.ts';
import { listen } from '../support/delivery/receiver.ts';
import { authority, testCertificate } from '../support/delivery/tls-receiver.ts';

const limit = 16 * 1024;

/** Connects to a server that runs `serve`, and reads like an HTTP client. */
async function connected(protocol: 'http:' | 'https:', serve: (socket: Socket) => void) {
  const react = (socket: Socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  };
  const server =
    protocol === 'http:' ? createServer(react) : createTlsServer(testCertificate('valid'), react);
  onTestFinished(() => void server.close());
  const port = await listen(server);
  const socket =
    protocol === 'http:'
      ? connect(port, '127.0.0.1')
      : connectTls({ port, host: '127.0.0.1', ca: authority });
  limitInput(socket);
  onTestFinished(() => void socket.destroy());
  const failure = Promise.withResolvers<Error>();
  const received = { bytes: 0, failure: failure.promise };
  socket.on('error', failure.resolve);
  socket.on('readable', () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      received.bytes += chunk.length;
    }
  });
  return { socket, received };
}

test.each(['http:', 'https:'] as const)(
  '%s closes the connection of an endless response after 16 KiB',
  async (protocol) => {
    const { socket, received } = await connected(protocol, flood('', 'x'));
    expect(await received.failure).toBeInstanceOf(ExcessError);
    expect(socket.destroyed).toBe(true);
    expect(received.bytes).toBe(limit);
  },
);

test.each(['http:', 'https:'] as const)(
  '%s allows 16 KiB for each request of a connection',
  async (protocol) => {
    const reply = Buffer.alloc(limit);
    const { socket, received } = await connected(protocol, (peer) => {
      peer.on('data', () => peer.write(reply));
    });
    for (let requests = 1; requests <= 10; requests += 1) {
      socket.write('request');
      while (received.bytes < requests * reply.length) await new Promise(setImmediate);
    }
    expect(socket.destroyed).toBe(false);
  },
);

test('limitInput closes the connection after 16 KiB of small chunks', async () => {
  const { received } = await connected('http:', async (peer) => {
    while (!peer.destroyed) await new Promise((resolve) => peer.write('piece', resolve));
  });
  expect(await received.failure).toBeInstanceOf(ExcessError);
  expect(received.bytes).toBe(limit);
});
