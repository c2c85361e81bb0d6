import { describe, expect, test } from 'vitest';
import { invalid } from './support/replies.ts';
import { startTestServer } from './support/server.ts';

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
