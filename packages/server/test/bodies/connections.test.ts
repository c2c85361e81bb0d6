import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { type Connection, connectTo, head, singleBytes, statuses } from '../support/connection.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const mebibyte = 1024 * 1024;
const nextRequest = 'GET /health/live HTTP/1.1\r\nHost: vault.example\r\n\r\n';
const login = JSON.stringify({ email: 'nobody@example.com', password: 'not the password' });

async function start(options = {}) {
  // A shutdown would wait that long for a connection that is not ended.
  return startTestServer({ shutdownTimeout: 600_000, ...options });
}

const withKey = ({ apiKey }: TestServer, headers: Readonly<Record<string, string | number>>) =>
  head('/api/v1/vaults', { 'X-Api-Key': apiKey, ...headers });

describe('the connection of a request whose body was not read', () => {
  test.each([
    ['401', '/api/v1/vaults', 401],
    ['404', '/nothing', 404],
    ['400 for its length', '/auth/login', 400],
  ])('ends after %s, and the client can read it though it still sends', async (_, path, status) => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    socket.write(head(path, { 'Content-Length': 100 * mebibyte }));
    // More than the buffers of both ends hold: a client that writes first, then reads.
    const chunk = Buffer.alloc(mebibyte, 'x');
    for (let sent = 0; sent < 20 && !socket.destroyed; sent += 1) socket.write(chunk);
    const received = await end();
    expect(statuses(received)).toEqual([status]);
    expect(received).toMatch(/^Connection: close\r$/im);
    await server.close();
  });

  test('ends after 400 for a chunked body above the limit, and serves nothing behind it', async () => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    socket.write(withKey(server, { 'Transfer-Encoding': 'chunked' }));
    socket.write(`${chunk.repeat(20)}0\r\n\r\n${nextRequest}`);
    expect(statuses(await end())).toEqual([400]);
    await server.close();
  });

  test('ends after 400 chunkSize for 1,025 chunks of one byte, and the next connection is served', async () => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    socket.write(withKey(server, { 'Transfer-Encoding': 'chunked' }));
    socket.write(`${singleBytes('x'.repeat(20_000))}0\r\n\r\n${nextRequest}`);
    const received = await end();
    expect(statuses(received)).toEqual([400]);
    expect(received).toMatch(/"field":"body","constraint":"chunkSize"/);
    expect(received).toMatch(/^Connection: close\r$/im);
    // Node gives it the parser of the connection before.
    const body = '{"name":"Next"}';
    for (let count = 0; count < 3; count += 1) {
      const next = await connectTo(server.url);
      next.socket.write(withKey(server, { 'Content-Length': body.length }) + body);
      expect(statuses(await next.until(/"id":/))).toEqual([201]);
      next.socket.destroy();
    }
    await server.close();
  });

  test('ends after 400 chunkSize for chunks that arrive before the operation asks for them', async () => {
    const server = await start();
    const { socket, send, end } = await connectTo(server.url);
    server.faults.order({ operation: 'createVault', fault: 'delay', milliseconds: 1_000 });
    const head = withKey(server, { 'Transfer-Encoding': 'chunked' });
    await send(`${head}${singleBytes('x'.repeat(20_000))}`);
    await vi.waitFor(() => expect(server.faults.pending).toBe(0));
    server.clock.advance(1_000);
    expect(await end()).toMatch(/"constraint":"chunkSize"/);
    expect(socket.destroyed).toBe(true);
    await server.close();
  });

  test.each([
    ['1,024 chunks of one byte', `{"name":"x"${' '.repeat(1_012)}}`, 1],
    ['20,000 chunks of 32 bytes', `{"name":"x"${' '.repeat(639_988)}}`, 32],
  ])('serves a body in %s', async (_, body, size) => {
    const server = await start();
    const { socket, until } = await connectTo(server.url);
    let chunked = '';
    for (let at = 0; at < body.length; at += size) {
      const piece = body.slice(at, at + size);
      chunked += `${piece.length.toString(16)}\r\n${piece}\r\n`;
    }
    const head = withKey(server, { 'Transfer-Encoding': 'chunked' });
    socket.write(`${head}${chunked}0\r\n\r\n`);
    expect(statuses(await until(/"id":/))).toEqual([201]);
  });

  test('goes on when the body has arrived, or its rest is small', async () => {
    const server = await start();
    const { socket, until } = await connectTo(server.url);
    socket.write(`${head('/nothing', { 'Content-Length': 2 })}{}${nextRequest}`);
    expect(statuses(await until(/200 OK/))).toEqual([404, 200]);
    socket.write(head('/nothing', { 'Content-Length': 60_000 }));
    await until(/404[\s\S]*404/);
    socket.write(`${'x'.repeat(60_000)}${nextRequest}`);
    expect(statuses(await until(/200 OK[\s\S]*200 OK/))).toEqual([404, 200, 404, 200]);
    // Chunks too, once the last one has come.
    const chunked = head('/nothing', { 'Transfer-Encoding': 'chunked' });
    socket.write(`${chunked}${singleBytes('{}')}0\r\n\r\n${nextRequest}`);
    expect(statuses(await until(/(200 OK[\s\S]*){3}/)).slice(-2)).toEqual([404, 200]);
  });

  test('goes on when the whole body arrived before its operation asked for it', async () => {
    const server = await start();
    const { socket, send, until } = await connectTo(server.url);
    server.faults.order({ operation: 'createVault', fault: 'delay', milliseconds: 1_000 });
    const body = `{"name":"${'x'.repeat(100_000)}"}`;
    await send(withKey(server, { 'Content-Length': body.length }) + body);
    await vi.waitFor(() => expect(server.faults.pending).toBe(0));
    // The server stops reading a turn after it has read that much.
    await setImmediate();
    server.clock.advance(1_000);
    await until(/VALIDATION_ERROR/);
    socket.write(nextRequest);
    expect(statuses(await until(/200 OK/))).toEqual([400, 200]);
    await server.close();
  });

  test('ends when the response is not read, though the body drips in', async () => {
    const server = await start({ idleTimeout: 200 });
    const { socket, end } = await connectTo(server.url);
    socket.pause();
    const [path, length] = ['/docs/scalar.js', 10 ** 12];
    const request = `GET ${path} HTTP/1.1\r\nHost: vault.example\r\n`;
    // What the buffers of both ends hold, several times.
    socket.write(`${request}\r\n`.repeat(20));
    socket.write(`${request}Content-Length: ${length}\r\n\r\n`);
    const drip = setInterval(() => socket.write('x'), 20);
    socket.once('close', () => clearInterval(drip));
    await server.close();
    socket.resume();
    await end();
  });
});

describe('Expect: 100-continue', () => {
  const expecting = { Expect: '100-continue', 'Content-Length': login.length };

  test('is followed by the body when the operation reads it', async () => {
    const server = await start();
    const { socket, until } = await connectTo(server.url);
    socket.write(head('/auth/login', expecting));
    await until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write(login);
    expect(statuses(await until(/INVALID_TOKEN/))).toEqual([401]);
  });

  test.each([
    ['401', '/api/v1/vaults', {}],
    ['404', '/nothing', {}],
    ['400 for its length', '/auth/login', { 'Content-Length': mebibyte }],
    ['400 for its type', '/auth/login', { 'Content-Type': 'text/plain' }],
    ['400 for its encoding', '/auth/login', { 'Content-Encoding': 'gzip' }],
  ])('is refused with %s before the body', async (status, path, headers) => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    socket.write(head(path, { ...expecting, ...headers }));
    const received = await end();
    expect(received).not.toContain('100 Continue');
    expect(statuses(received)).toEqual([Number.parseInt(status, 10)]);
  });
});

describe('Content-Encoding', () => {
  test.each(['gzip', 'br', 'deflate, gzip'])(
    '%s is refused with 400 contentEncoding',
    async (encoding) => {
      const { developer } = await startTestServer();
      const headers = { 'content-encoding': encoding };
      for (const path of ['/api/v1/vaults', '/graphql']) {
        const refused = await developer('POST', path, {
          body: { query: '{ me { id } }' },
          headers,
        });
        expect(refused.status).toBe(400);
        expect(JSON.stringify(refused.body)).toContain('"constraint":"contentEncoding"');
      }
    },
  );

  test('identity is the body as it is', async () => {
    const { developer } = await startTestServer();
    const headers = { 'content-encoding': 'Identity' };
    const created = await developer('POST', '/api/v1/vaults', { body: { name: 'Plain' }, headers });
    expect(created.status).toBe(201);
  });
});

test('a body of an operation without credentials is limited to 16 KiB', async () => {
  const { anonymous } = await startTestServer();
  const body = (length: number) => ({ body: `{"email":"${'x'.repeat(length - 12)}"}` });
  const over = await anonymous('POST', '/auth/login', body(16 * 1024 + 1));
  expect(over.body.error.details).toMatchObject({ field: 'body', constraint: 'maxBytes' });
  const most = await anonymous('POST', '/auth/login', body(16 * 1024));
  expect(most.body.error.details).toMatchObject({ field: 'password', constraint: 'required' });
});

describe('the minimum data rate', () => {
  async function upload(server: TestServer, headers: object): Promise<Connection> {
    const connection = await connectTo(server.url);
    connection.socket.write(withKey(server, { Expect: '100-continue', ...headers }));
    await connection.until(/100 Continue/);
    return connection;
  }

  test('ends a connection below 240 bytes/s after 5 s, and not before', async () => {
    const server = await start();
    const connection = await upload(server, { 'Content-Length': 100_000 });
    server.clock.advance(5_000);
    await connection.send('x');
    expect(connection.socket.closed).toBe(false);
    server.clock.advance(1_000);
    expect(statuses(await connection.end())).toEqual([]);
  });

  test('is not met by bytes that came fast in the beginning', async () => {
    const server = await start();
    const connection = await upload(server, { 'Content-Length': 1_000_000 });
    await connection.send('x'.repeat(900_000));
    for (let second = 0; second < 7; second += 1) {
      server.clock.advance(1_000);
      await connection.send('x');
    }
    await connection.end();
  });

  test('lets a body take its time above it, in chunks or not', async () => {
    const server = await start();
    const body = `{"name":"Slow"${' '.repeat(10_000)}}`;
    for (const headers of [{ 'Content-Length': body.length }, { 'Transfer-Encoding': 'chunked' }]) {
      const connection = await upload(server, headers);
      const isChunked = 'Transfer-Encoding' in headers;
      for (let at = 0; at < body.length; at += 300) {
        const piece = body.slice(at, at + 300);
        const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
        await connection.send(isChunked ? chunk : piece);
        server.clock.advance(1_000);
      }
      if (isChunked) await connection.send('0\r\n\r\n');
      expect(statuses(await connection.until(/"id":/))).toEqual([201]);
    }
  });

  test('holds for the rest of a body that is discarded', async () => {
    const server = await start();
    const { socket, until, end } = await connectTo(server.url);
    socket.write(head('/nothing', { 'Content-Length': 1_000 }));
    await until(/NOT_FOUND/);
    server.clock.advance(10_000);
    await end();
  });

  test('can be configured, and switched off', async () => {
    const strict = await start({ minDataRate: 1_000, dataRateGrace: 1_000 });
    const lenient = await start({ minDataRate: 0 });
    const ended = await upload(strict, { 'Content-Length': 100_000 });
    const kept = await upload(lenient, { 'Content-Length': 15 });
    strict.clock.advance(2_000);
    await ended.end();
    lenient.clock.advance(600_000);
    await kept.send('{"name":"Slow"}');
    expect(statuses(await kept.until(/"id":/))).toEqual([201]);
  });
});
