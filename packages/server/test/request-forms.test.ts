import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { invalid } from './support/replies.ts';
import { startTestServer } from './support/server.ts';

const everyUser = { sortBy: 'createdAt', sortOrder: 'asc', page: 1, pageSize: 100 } as const;

describe('X-Forwarded-For of a trusted proxy', () => {
  test.each([
    '203.0.113.7',
    '203.0.113.7:51234',
    '"203.0.113.7:51234"',
    '198.51.100.1, 203.0.113.7:80',
    '[2001:db8::7]',
    '[2001:db8::7]:51234',
    '"[2001:db8::7]:51234"',
    '[::ffff:203.0.113.7]:80',
    '2001:db8::7',
  ])('%s is the address of the client', async (forwarded) => {
    const { anonymous } = await startTestServer({
      trustedProxies: ['127.0.0.0/8'],
      blockedAddresses: ['203.0.113.7/32', '2001:db8::7/128'],
    });
    const headers = { 'x-forwarded-for': forwarded };
    const reply = await anonymous('GET', '/.well-known/jwks.json', { headers });
    expect(reply).toMatchObject({ status: 403, body: { error: { code: 'IP_BLOCKED' } } });
  });

  test('an entry that is no address leaves the address of the proxy', async () => {
    const { anonymous } = await startTestServer({
      trustedProxies: ['127.0.0.1/32'],
      blockedAddresses: ['127.0.0.1/32'],
    });
    for (const forwarded of ['unknown', '_hidden:80', '[203.0.113.7', '203.0.113.7:', '::1:x']) {
      const headers = { 'x-forwarded-for': forwarded };
      expect((await anonymous('GET', '/.well-known/jwks.json', { headers })).status).toBe(403);
    }
  });
});

test('a request whose client has reset the connection before it is accepted is not served', async () => {
  const lines: { msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const server = await startTestServer({ log, blockedAddresses: ['127.0.0.0/8'] });
  const before = await server.store.users.list(everyUser);
  const state = new Int32Array(new SharedArrayBuffer(4));
  // The connection must be reset while this thread, which would accept it, waits.
  const program = `
    const { connect } = require('node:net');
    const { workerData: { port, state, request } } = require('node:worker_threads');
    const socket = connect(port, '127.0.0.1', () => socket.write(request, () => {
      socket.resetAndDestroy();
      socket.once('close', () => { Atomics.store(state, 0, 1); Atomics.notify(state, 0); });
    }));`;
  const body = JSON.stringify({
    email: 'a@example.com',
    password: 'correct horse battery',
    name: 'A',
  });
  const request = `POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const { port } = new URL(server.localUrl);
  const workerData = { port: Number(port), state, request };
  const worker = new Worker(program, { eval: true, workerData });
  await once(worker, 'online');
  expect(Atomics.wait(state, 0, 0, 10_000)).not.toBe('timed-out');
  await once(worker, 'exit');
  expect((await server.anonymous('GET', '/.well-known/jwks.json')).status).toBe(403);
  expect(await server.store.users.list(everyUser)).toEqual(before);
  expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(1);
});

describe('the encoding of a JSON body', () => {
  const body = '{"name":"Bücher"}';
  const typed = (type: string) => ({ 'content-type': type });

  test.each(['utf-16', 'iso-8859-1', '"UTF-16LE"', 'us-ascii'])(
    'charset=%s returns 400 charset and creates nothing',
    async (charset) => {
      const { developer } = await startTestServer();
      const headers = typed(`application/json; charset=${charset}`);
      const reply = await developer('POST', '/api/v1/vaults', { body, headers });
      expect(reply).toMatchObject(invalid('Content-Type', 'charset'));
      expect((await developer('GET', '/api/v1/vaults')).body.data).toEqual([]);
    },
  );

  test('UTF-8 in any spelling and a byte order mark are read', async () => {
    const { developer } = await startTestServer();
    for (const type of [
      'application/json',
      'application/json; charset=UTF-8',
      'application/json;charset="utf-8"',
    ]) {
      for (const mark of ['', '\ufeff']) {
        const reply = await developer('POST', '/api/v1/vaults', {
          body: mark + body,
          headers: typed(type),
        });
        expect(reply, type).toMatchObject({ status: 201, body: { name: 'Bücher' } });
      }
    }
    const twice = await developer('POST', '/api/v1/vaults', { body: `\ufeff\ufeff${body}` });
    expect(twice).toMatchObject(invalid('body', 'json'));
  });
});

describe('RateLimit and RateLimit-Policy', () => {
  test('describe the hour and the minute of every response', async () => {
    const { developer, anonymous, clock } = await startTestServer();
    clock.advance(90_500);
    const { headers } = await developer('GET', '/api/v1/vaults');
    expect(headers.get('ratelimit')).toBe('"hour";r=99999;t=3510, "minute";r=999;t=30');
    const policy = '"hour";q=100000;w=3600, "minute";q=1000;w=60';
    expect(headers.get('ratelimit-policy')).toBe(policy);
    const missing = await anonymous('GET', '/nothing');
    expect(missing.headers.get('ratelimit')).toBe('"hour";r=99999;t=3510, "minute";r=999;t=30');
  });
});

test('a webhook with a reserved header returns 400 allowedHeader', async () => {
  const { developer } = await startTestServer();
  for (const name of [
    'webhook-id',
    'Webhook-Signature',
    'Content-Encoding',
    'traceparent',
    'TraceState',
  ]) {
    const body = {
      url: 'https://hooks.example/a',
      events: ['vault.created'],
      secret: 's'.repeat(32),
      headers: { [name]: 'a' },
    };
    const reply = await developer('POST', '/api/v1/webhooks', { body });
    expect(reply, name).toMatchObject(invalid(`headers.${name}`, 'allowedHeader'));
  }
});

test.each([
  ['https://bücher.example/h', 'https://xn--bcher-kva.example/h'],
  ['HTTPS://Hooks.Example/Path?Q=1', 'https://hooks.example/Path?Q=1'],
  ['https://hooks.example:443/ä', 'https://hooks.example/%C3%A4'],
])('a webhook with the url %s stores %s', async (url, stored) => {
  const { developer } = await startTestServer();
  const body = { url, events: ['vault.created'], secret: 's'.repeat(32) };
  const created = await developer('POST', '/api/v1/webhooks', { body });
  expect(created).toMatchObject({ status: 201, body: { url: stored } });
  const path = `/api/v1/webhooks/${created.body.id}`;
  expect((await developer('PUT', path, { body: { url } })).body.url).toBe(stored);
  expect((await developer('GET', path)).body.url).toBe(stored);
});
