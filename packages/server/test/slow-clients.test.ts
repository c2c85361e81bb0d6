import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newVault } from './support/resources.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** Opens a connection that the test writes to. It collects the response until the server closes it. */
async function open({ url }: TestServer) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  // The server may close the connection during a write. Only that write fails.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return {
    socket,
    /** Resolves with all received text once the server has closed the connection. */
    async end(): Promise<string> {
      await closed;
      return received;
    },
  };
}

/** Writes a byte every few milliseconds until the connection ends. */
function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 10);
  socket.once('close', () => clearInterval(timer));
}

function upload(server: TestServer, length: number): string {
  return [
    'POST /api/v1/vaults HTTP/1.1',
    'Host: vault.example',
    `X-Api-Key: ${server.apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');
}

/** Timeout of a limit that the test does not exercise. */
const ample = 600_000;

describe('slow clients', () => {
  test('a connection that sends nothing is closed after headersTimeout', async () => {
    const server = await startTestServer({ headersTimeout: 100, idleTimeout: ample });
    const { end } = await open(server);
    expect(await end()).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test('a request head that exceeds headersTimeout returns 408', async () => {
    const server = await startTestServer({ headersTimeout: 200, idleTimeout: ample });
    const { socket, end } = await open(server);
    socket.write('GET /health/live HTTP/1.1\r\nX-Drip: ');
    drip(socket, 'x');
    expect(await end()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a connection is closed when a request body pauses for idleTimeout', async () => {
    const server = await startTestServer({ idleTimeout: 100 });
    const { socket, end } = await open(server);
    socket.write(`${upload(server, 1000)}{"name":`);
    await end();
  });

  test('a connection is closed when a request exceeds requestTimeout', async () => {
    const server = await startTestServer({
      headersTimeout: 200,
      requestTimeout: 300,
      idleTimeout: ample,
    });
    const { socket, end } = await open(server);
    socket.write(`${upload(server, 1_000_000)}{"name":"`);
    drip(socket, 'x');
    expect(await end()).not.toMatch(/^HTTP\/1\.1 20/);
  });

  test('a connection is closed when the client does not read the response for idleTimeout', async () => {
    const server = await startTestServer({ idleTimeout: 200, shutdownTimeout: ample });
    const { socket } = await open(server);
    socket.pause();
    // Many times the buffers of both ends together.
    const request = 'GET /docs/scalar.js HTTP/1.1\r\nHost: vault.example\r\n\r\n';
    socket.write(request.repeat(30));
    await once(socket, 'readable');
    // While the response is unread, close would wait until shutdownTimeout.
    await server.close();
  });

  test('an idle connection is closed after keepAliveTimeout', async () => {
    const server = await startTestServer({ keepAliveTimeout: 50 });
    const { socket, end } = await open(server);
    socket.write('GET /health/live HTTP/1.1\r\nHost: vault.example\r\n\r\n');
    expect(await end()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a request head of more than 16 KiB returns 431', async () => {
    const server = await startTestServer();
    const { socket, end } = await open(server);
    socket.write(`GET /health/live HTTP/1.1\r\nX-Large: ${'x'.repeat(17_000)}\r\n\r\n`);
    expect(await end()).toMatch(/^HTTP\/1\.1 431 /);
  });
});

test('a slow request within the limits succeeds', async () => {
  const server = await startTestServer({ idleTimeout: 2_000, headersTimeout: ample });
  const { socket, end } = await open(server);
  const body = JSON.stringify({ name: 'Slow' });
  socket.write(upload(server, body.length).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  for (const character of body) {
    socket.write(character);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await end()).toMatch(/^HTTP\/1\.1 201 /);
  await newVault(server.developer);
});
