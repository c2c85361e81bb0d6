import { describe, expect, test } from 'vitest';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { expectEveryHeader, refusal } from './support/front-door.ts';
import { newDocument, newKey } from './support/resources.ts';
import { type Reply, startTestServer } from './support/server.ts';

// Each test sends a request that breaks two neighbouring rules, and asserts which error it gets. The order:
// blocked address, path, credentials, suspended account, rate limit, scope, validity, existence.

const wrongKey = { 'x-api-key': 'rubbish' };

function expectRejected(reply: Reply, expected: ReturnType<typeof refusal>): void {
  expect(reply).toMatchObject(expected);
  expectEveryHeader(reply);
}

test('a blocked address returns IP_BLOCKED, also for an unknown path', async () => {
  const { anonymous, developer } = await startTestServer({ blockedAddresses: ['127.0.0.0/8'] });
  expectRejected(await anonymous('GET', '/api/v1/nothing'), refusal('IP_BLOCKED'));
  expectRejected(await developer('GET', '/api/v1/vaults'), refusal('IP_BLOCKED'));
  expectRejected(await anonymous('GET', '/openapi/v1.json'), refusal('IP_BLOCKED'));
  expectRejected(await anonymous('POST', '/auth/login', { body: {} }), refusal('IP_BLOCKED'));
});

test('a request from an address that is not blocked succeeds', async () => {
  const { anonymous } = await startTestServer({ blockedAddresses: ['127.0.0.2/32', '::1/128'] });
  expect((await anonymous('GET', '/openapi/v1.json')).status).toBe(200);
});

test('an unknown path returns NOT_FOUND, also with invalid credentials', async () => {
  const { anonymous } = await startTestServer();
  expectRejected(
    await anonymous('GET', '/api/v1/nothing', { headers: wrongKey }),
    refusal('NOT_FOUND'),
  );
  expectRejected(await anonymous('PATCH', '/api/v1/vaults'), refusal('NOT_FOUND'));
});

test('valid credentials are checked before the rate limit of the address, invalid ones and unknown paths after it', async () => {
  const { anonymous, developer } = await startTestServer({
    defaultTier: 'free',
    requestsPerMinute: { free: 1 },
  });
  expect((await anonymous('GET', '/openapi/v1.json')).status).toBe(200);
  const above = refusal('RATE_LIMIT_EXCEEDED');
  expectRejected(await anonymous('GET', '/openapi/v1.json'), above);
  expectRejected(await anonymous('GET', '/api/v1/vaults'), above);
  expectRejected(await anonymous('GET', '/api/v1/vaults', { headers: wrongKey }), above);
  expectRejected(await anonymous('GET', '/api/v1/nothing'), above);
  expect((await developer('GET', '/api/v1/vaults')).status).toBe(200);
});

test('a suspended account returns ACCOUNT_SUSPENDED, also above the rate limit', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  await first.close();
  inDatabase(data, (database) =>
    database.exec(`UPDATE users SET status = 'suspended', tier = 'free'`),
  );
  const { developer } = await startTestServer({ data, requestsPerMinute: { free: 1 } });
  for (let request = 0; request < 3; request += 1) {
    expectRejected(await developer('GET', '/api/v1/vaults'), refusal('ACCOUNT_SUSPENDED'));
  }
});

test('a request above the rate limit returns RATE_LIMIT_EXCEEDED, also without the scope', async () => {
  const { developer } = await startTestServer({
    defaultTier: 'free',
    requestsPerMinute: { free: 1 },
  });
  // An API key may not list API keys.
  const withoutScope = () => developer('GET', '/api/v1/api-keys');
  expectRejected(await withoutScope(), refusal('INSUFFICIENT_PERMISSIONS'));
  expectRejected(await withoutScope(), refusal('RATE_LIMIT_EXCEEDED'));
});

test('a request without the scope returns INSUFFICIENT_PERMISSIONS, also when it is invalid', async () => {
  const { signUp, withKey } = await startTestServer();
  const { key } = await newKey((await signUp('ada@example.com')).call, ['vaults:read']);
  const call = withKey(key);
  for (const body of ['{', { unknown: true }, undefined]) {
    const reply = await call('POST', '/api/v1/vaults', { body });
    expectRejected(reply, refusal('INSUFFICIENT_PERMISSIONS'));
  }
  expectRejected(
    await call('GET', '/api/v1/documents?page=0'),
    refusal('INSUFFICIENT_PERMISSIONS'),
  );
  expectRejected(
    await call('PUT', '/api/v1/vaults/unknown', { body: {} }),
    refusal('INSUFFICIENT_PERMISSIONS'),
  );
});

test('an invalid body returns VALIDATION_ERROR, also for a missing vault or the vault of another account', async () => {
  const { developer, signUp } = await startTestServer();
  const { body: vault } = await developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
  const { call } = await signUp('ada@example.com');
  for (const id of ['unknown', vault.id]) {
    const path = `/api/v1/vaults/${id}`;
    expectRejected(
      await call('PUT', path, { body: { name: 5 } }),
      refusal('VALIDATION_ERROR', { field: 'name', constraint: 'type' }),
    );
    expectRejected(await call('PUT', path, { body: { name: 'Mine' } }), refusal('NOT_FOUND'));
  }
  expect((await developer('GET', `/api/v1/vaults/${vault.id}`)).body.name).toBe('Taxes');
});

test('a content request is checked in the same order, and its range after existence', async () => {
  const server = await startTestServer({ defaultTier: 'free', requestsPerHour: { free: 6 } });
  const { developer, anonymous, withKey, signUp } = server;
  const { body: vault } = await developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
  const { contentUrl } = await newDocument(developer, vault.id);
  const outside = { headers: { range: 'bytes=1000-' } };
  expectRejected(await anonymous('GET', contentUrl, outside), refusal('MISSING_AUTH'));
  const { call } = await signUp('ada@example.com');
  const { key } = await newKey(call, ['vaults:read']);
  const withoutScope = await withKey(key)('GET', contentUrl, outside);
  expectRejected(withoutScope, refusal('INSUFFICIENT_PERMISSIONS'));
  expectRejected(await call('GET', contentUrl, outside), refusal('NOT_FOUND'));
  expectRejected(await developer('GET', contentUrl, outside), refusal('RANGE_NOT_SATISFIABLE'));
  for (let request = 0; request < 3; request += 1) await developer('GET', '/api/v1/vaults');
  expectRejected(await developer('GET', contentUrl, outside), refusal('RATE_LIMIT_EXCEEDED'));
});

describe('address of a client', () => {
  const blockedAddresses = ['203.0.113.0/24', '2001:db8::/32'];
  const blocked = { 'x-forwarded-for': '203.0.113.7' };

  test('without trusted proxies, the address is that of the connection, and forwarding headers are ignored', async () => {
    const { anonymous } = await startTestServer({ blockedAddresses });
    for (const headers of [
      blocked,
      { forwarded: 'for=203.0.113.7' },
      { 'x-real-ip': '203.0.113.7' },
    ]) {
      expect((await anonymous('GET', '/openapi/v1.json', { headers })).status).toBe(200);
    }
  });

  test('X-Forwarded-For from an address that is not a trusted proxy is ignored', async () => {
    const { anonymous } = await startTestServer({
      blockedAddresses,
      trustedProxies: ['10.0.0.0/8'],
    });
    expect((await anonymous('GET', '/openapi/v1.json', { headers: blocked })).status).toBe(200);
  });

  test('behind trusted proxies, the address is the last one in X-Forwarded-For that is no proxy', async () => {
    const { anonymous } = await startTestServer({
      blockedAddresses,
      trustedProxies: ['127.0.0.1/32', '10.0.0.0/8'],
    });
    for (const [header, status] of [
      ['203.0.113.7', 403],
      ['198.51.100.1, 203.0.113.7', 403],
      ['203.0.113.7, 10.1.2.3', 403],
      ['203.0.113.7,10.1.2.3,, 127.0.0.1', 403],
      ['::ffff:203.0.113.7', 403],
      ['2001:db8::7', 403],
      // A client can write any address into the header before the first proxy.
      ['203.0.113.7, 198.51.100.1', 200],
      ['203.0.113.7, 198.51.100.1, 10.1.2.3', 200],
      ['198.51.100.1', 200],
      ['10.1.2.3', 200],
      ['', 200],
      // After an entry that is no address, the entries before it are ignored too.
      ['203.0.113.7, unknown', 200],
      ['unknown', 200],
      ['203.0.113.7:4711', 403],
    ] as const) {
      const headers = { 'x-forwarded-for': header };
      const reply = await anonymous('GET', '/openapi/v1.json', { headers });
      expect(reply.status, header).toBe(status);
    }
  });

  test('context.ipAddress of an event is the address of the client', async () => {
    const data = await dataFolder();
    const server = await startTestServer({ data, trustedProxies: ['127.0.0.1/32'] });
    for (const address of ['198.51.100.1', '::ffff:198.51.100.2', 'unknown']) {
      await server.developer('POST', '/api/v1/vaults', {
        body: { name: address },
        headers: { 'x-forwarded-for': address },
      });
    }
    await server.close();
    const bodies = inDatabase(data, (database) =>
      database
        .prepare(`SELECT body FROM events WHERE type = 'vault.created' ORDER BY id`)
        .pluck()
        .all(),
    );
    expect(bodies.map((body) => JSON.parse(String(body)).context.ipAddress)).toEqual([
      '198.51.100.1',
      '198.51.100.2',
      '127.0.0.1',
    ]);
  });
});
