import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Connection, connectTo, head, singleBytes, statuses } from '../support/connection.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const mebibyte = 1024 * 1024;
const nextRequest = 'GET /health/live HTTP/1.1\r\nHost: vault.example\r\n\r\n';
const login = JSON.stringify({ email: 'unknown@example.com', password: 'not the password' });

async function start(options = {}) {
  // A connection that stays open would delay the shutdown by ten minutes.
  return startTestServer({ shutdownTimeout: 600_000, ...options });
}

const withKey = ({ apiKey }: TestServer, headers: Readonly<Record<string, string | number>>) =>
  head('/api/v1/vaults', { 'X-Api-Key': apiKey, ...headers });

describe('connection of a request whose body was not read', () => {
  test.each([
    ['401', '/api/v1/vaults', 401],
    ['404', '/nothing', 404],
    ['400 for its length', '/auth/login', 400],
  ])('it ends after %s, which the client can read while it sends', async (_, path, status) => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    socket.write(head(path, { 'Content-Length': 100 * mebibyte }));
    // More than the buffers of both ends: this client writes first and then reads.
    const chunk = Buffer.alloc(mebibyte, 'x');
    for (let sent = 0; sent < 20 && !socket.destroyed; sent += 1) socket.write(chunk);
    const received = await end();
    expect(statuses(received)).toEqual([status]);
    expect(received).toMatch(/^Connection: close\r$/im);
    await server.close();
  });

  test('it ends after 400 for a chunked body above the limit, and no later request is served', async () => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    socket.write(withKey(server, { 'Transfer-Encoding': 'chunked' }));
    socket.write(`${chunk.repeat(20)}0\r\n\r\n${nextRequest}`);
    expect(statuses(await end())).toEqual([400]);
    await server.close();
  });

  test('it ends after 400 chunkSize for 1,025 chunks of one byte, and the next connection works', async () => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    socket.write(withKey(server, { 'Transfer-Encoding': 'chunked' }));
    socket.write(`${singleBytes('x'.repeat(20_000))}0\r\n\r\n${nextRequest}`);
    const received = await end();
    expect(statuses(received)).toEqual([400]);
    expect(received).toMatch(/"field":"body","constraint":"chunkSize"/);
    expect(received).toMatch(/^Connection: close\r$/im);
    const body = '{"name":"Next"}';
    const next = await connectTo(server.url);
    next.socket.write(withKey(server, { 'Content-Length': body.length }) + body);
    expect(statuses(await next.until(/"id":/))).toEqual([201]);
    await server.close();
  });

  // Node takes microseconds for each chunk, and passes on all of a packet.
  test('of 100 connections with 10,000 chunks of one byte, each turn of the event loop reads one', async () => {
    const server = await startTestServer();
    const reading = new Set<IncomingMessage>();
    const readPerTurn: number[] = [];
    const onRequest = (message: unknown) => {
      const { request } = message as { readonly request: IncomingMessage };
      const push = request.push.bind(request);
      request.push = (chunk) => {
        if (reading.size === 0) {
          setImmediate(() => {
            readPerTurn.push(reading.size);
            reading.clear();
          });
        }
        reading.add(request);
        return push(chunk);
      };
    };
    subscribe('http.server.request.start', onRequest);
    onTestFinished(() => {
      unsubscribe('http.server.request.start', onRequest);
    });
    const request = head('/auth/login', { 'Transfer-Encoding': 'chunked' });
    const attackers = await Promise.all(Array.from({ length: 100 }, () => connectTo(server.url)));
    const responses = attackers.map(({ socket, until }) => {
      socket.write(request + singleBytes('x'.repeat(10_000)));
      return until(/"chunkSize"|RATE_LIMIT/);
    });
    await Promise.all(responses);
    expect(readPerTurn).toEqual(Array(100).fill(1));
    await server.close();
  });

  test('it ends after 400 chunkSize for chunks that arrive before the operation reads them', async () => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    const delay = server.fault('delay', { operations: 'createVault' });
    const head = withKey(server, { 'Transfer-Encoding': 'chunked' });
    socket.write(`${head}${singleBytes('x'.repeat(20_000))}`);
    await expect.poll(() => delay.calls).toBe(1);
    server.clock.advance(1_000);
    expect(await end()).toMatch(/"constraint":"chunkSize"/);
    expect(socket.destroyed).toBe(true);
    await server.close();
  });

  test.each([
    ['1,024 chunks of one byte', `{"name":"x"${' '.repeat(1_012)}}`, 1],
    ['20,000 chunks of 32 bytes', `{"name":"x"${' '.repeat(639_988)}}`, 32],
  ])('a body in %s is accepted', async (_, body, size) => {
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

  test('it stays open when the body has arrived or its rest is small', async () => {
    const server = await start();
    const { socket, until } = await connectTo(server.url);
    socket.write(`${head('/nothing', { 'Content-Length': 2 })}{}${nextRequest}`);
    expect(statuses(await until(/200 OK/))).toEqual([404, 200]);
    socket.write(head('/nothing', { 'Content-Length': 60_000 }));
    await until(/404[\s\S]*404/);
    socket.write(`${'x'.repeat(60_000)}${nextRequest}`);
    expect(statuses(await until(/200 OK[\s\S]*200 OK/))).toEqual([404, 200, 404, 200]);
    // The same for chunks, once the last one has arrived.
    const chunked = head('/nothing', { 'Transfer-Encoding': 'chunked' });
    socket.write(`${chunked}${singleBytes('{}')}0\r\n\r\n${nextRequest}`);
    expect(statuses(await until(/(?:200 OK(?:(?!200 OK)[\s\S])*){3}/)).slice(-2)).toEqual([
      404, 200,
    ]);
  });

  test('it stays open when the whole body arrived before its operation read it', async () => {
    const server = await start();
    const { socket, send, until } = await connectTo(server.url);
    const delay = server.fault('delay', { operations: 'createVault' });
    const body = `{"name":"${'x'.repeat(100_000)}"}`;
    await send(withKey(server, { 'Content-Length': body.length }) + body);
    await expect.poll(() => delay.calls).toBe(1);
    server.clock.advance(1_000);
    await until(/VALIDATION_ERROR/);
    socket.write(nextRequest);
    expect(statuses(await until(/200 OK/))).toEqual([400, 200]);
    await server.close();
  });

  test('it ends when the client does not read the response, even if it still sends', async () => {
    const server = await start({ idleTimeout: 200 });
    const { socket, end } = await connectTo(server.url);
    socket.pause();
    const [path, length] = ['/docs/scalar.js', 10 ** 12];
    const request = `GET ${path} HTTP/1.1\r\nHost: vault.example\r\n`;
    // Several times the buffers of both ends.
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

  test('the server sends 100 Continue when the operation reads the body', async () => {
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
  ])('it is rejected with %s before the body', async (status, path, headers) => {
    const server = await start();
    const { socket, end } = await connectTo(server.url);
    socket.write(head(path, { ...expecting, ...headers }));
    const received = await end();
    expect(received).not.toContain('100 Continue');
    expect(statuses(received)).toEqual([Number.parseInt(status, 10)]);
  });
});

test('another expectation than 100-continue returns 417 and ends the connection', async () => {
  const server = await start();
  const { socket, end } = await connectTo(server.url);
  socket.write(`${head('/auth/login', { Expect: 'magic', 'Content-Length': 0 })}${nextRequest}`);
  const received = await end();
  expect(statuses(received)).toEqual([417]);
  expect(received).toMatch(/^Connection: close\r$/m);
});

describe('Content-Encoding', () => {
  test.each(['gzip', 'br', 'deflate, gzip'])('%s returns 400 contentEncoding', async (encoding) => {
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
  });

  test('identity is accepted', async () => {
    const { developer } = await startTestServer();
    const headers = { 'content-encoding': 'Identity' };
    const created = await developer('POST', '/api/v1/vaults', { body: { name: 'Plain' }, headers });
    expect(created.status).toBe(201);
  });
});

test('a body above 16 KiB returns 400 maxBytes where no credentials are required', async () => {
  const { anonymous } = await startTestServer();
  const body = (length: number) => ({ body: `{"email":"${'x'.repeat(length - 12)}"}` });
  const over = await anonymous('POST', '/auth/login', body(16 * 1024 + 1));
  expect(over.body.error.details).toMatchObject({ field: 'body', constraint: 'maxBytes' });
  const exact = await anonymous('POST', '/auth/login', body(16 * 1024));
  expect(exact.body.error.details).toMatchObject({ field: 'password', constraint: 'required' });
});

describe('minimum data rate', () => {
  async function upload(server: TestServer, headers: object): Promise<Connection> {
    const connection = await connectTo(server.url);
    connection.socket.write(withKey(server, { Expect: '100-continue', ...headers }));
    await connection.until(/100 Continue/);
    return connection;
  }

  test('a connection below 240 bytes/s is closed after 5 s, and not before', async () => {
    const server = await start();
    const connection = await upload(server, { 'Content-Length': 100_000 });
    server.clock.advance(5_000);
    await connection.send('x');
    expect(connection.socket.closed).toBe(false);
    server.clock.advance(1_000);
    expect(statuses(await connection.end())).toEqual([]);
  });

  test('fast bytes at the beginning do not compensate for slow ones later', async () => {
    const server = await start();
    const connection = await upload(server, { 'Content-Length': 1_000_000 });
    await connection.send('x'.repeat(900_000));
    for (let second = 0; second < 7; second += 1) {
      server.clock.advance(1_000);
      await connection.send('x');
    }
    await connection.end();
  });

  test('a slow body above the rate is accepted, with a length and in chunks', async () => {
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

  test('it applies to the rest of a body that is discarded', async () => {
    const server = await start();
    const { socket, until, end } = await connectTo(server.url);
    socket.write(head('/nothing', { 'Content-Length': 1_000 }));
    await until(/NOT_FOUND/);
    server.clock.advance(10_000);
    await end();
  });

  test('minDataRate and dataRateGrace change it, and 0 disables it', async () => {
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
