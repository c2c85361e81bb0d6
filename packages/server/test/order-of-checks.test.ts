import { describe, expect, test } from 'vitest';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { expectEveryHeader, refusal } from './support/front-door.ts';
import { newKey } from './support/resources.ts';
import { type Reply, startTestServer } from './support/server.ts';

// Each test sends what two neighbouring checks would refuse, and looks which one answers. The order:
// blocked address, path, credentials, suspended account, rate limit, scope, validity, existence.

const wrongKey = { 'x-api-key': 'rubbish' };

function expectRefused(reply: Reply, expected: ReturnType<typeof refusal>): void {
  expect(reply).toMatchObject(expected);
  expectEveryHeader(reply);
}

test('a blocked address goes before the path', async () => {
  const { anonymous, developer } = await startTestServer({ blockedAddresses: ['127.0.0.0/8'] });
  expectRefused(await anonymous('GET', '/api/v1/nothing'), refusal('IP_BLOCKED'));
  expectRefused(await developer('GET', '/api/v1/vaults'), refusal('IP_BLOCKED'));
  expectRefused(await anonymous('GET', '/openapi/v1.json'), refusal('IP_BLOCKED'));
  expectRefused(await anonymous('POST', '/auth/login', { body: {} }), refusal('IP_BLOCKED'));
});

test('another blocked address concerns nobody else', async () => {
  const { anonymous } = await startTestServer({ blockedAddresses: ['127.0.0.2/32', '::1/128'] });
  expect((await anonymous('GET', '/openapi/v1.json')).status).toBe(200);
});

test('the path goes before the credentials', async () => {
  const { anonymous } = await startTestServer();
  expectRefused(
    await anonymous('GET', '/api/v1/nothing', { headers: wrongKey }),
    refusal('NOT_FOUND'),
  );
  expectRefused(await anonymous('PATCH', '/api/v1/vaults'), refusal('NOT_FOUND'));
});

test('valid credentials go before the rate limit, invalid ones and unknown paths after it', async () => {
  const { anonymous, developer } = await startTestServer({
    defaultTier: 'free',
    freeRequestsPerMinute: 1,
  });
  expect((await anonymous('GET', '/openapi/v1.json')).status).toBe(200);
  const above = refusal('RATE_LIMIT_EXCEEDED');
  expectRefused(await anonymous('GET', '/openapi/v1.json'), above);
  expectRefused(await anonymous('GET', '/api/v1/vaults'), above);
  expectRefused(await anonymous('GET', '/api/v1/vaults', { headers: wrongKey }), above);
  expectRefused(await anonymous('GET', '/api/v1/nothing'), above);
  expect((await developer('GET', '/api/v1/vaults')).status).toBe(200);
});

test('a suspended account goes before the rate limit', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  await first.close();
  inDatabase(data, (database) =>
    database.exec(`UPDATE users SET status = 'suspended', tier = 'free'`),
  );
  const { developer } = await startTestServer({ data, freeRequestsPerMinute: 1 });
  for (let request = 0; request < 3; request += 1) {
    expectRefused(await developer('GET', '/api/v1/vaults'), refusal('ACCOUNT_SUSPENDED'));
  }
});

test('the rate limit goes before the scope', async () => {
  const { developer } = await startTestServer({
    defaultTier: 'free',
    freeRequestsPerMinute: 1,
  });
  // Keys are not for the hand of a key.
  const withoutScope = () => developer('GET', '/api/v1/api-keys');
  expectRefused(await withoutScope(), refusal('INSUFFICIENT_PERMISSIONS'));
  expectRefused(await withoutScope(), refusal('RATE_LIMIT_EXCEEDED'));
});

test('the scope goes before the validity', async () => {
  const { signUp, withKey } = await startTestServer();
  const { key } = await newKey((await signUp('ada@example.com')).call, ['vaults:read']);
  const call = withKey(key);
  for (const body of ['{', { unknown: true }, undefined]) {
    const reply = await call('POST', '/api/v1/vaults', { body });
    expectRefused(reply, refusal('INSUFFICIENT_PERMISSIONS'));
  }
  expectRefused(await call('GET', '/api/v1/documents?page=0'), refusal('INSUFFICIENT_PERMISSIONS'));
  expectRefused(
    await call('PUT', '/api/v1/vaults/unknown', { body: {} }),
    refusal('INSUFFICIENT_PERMISSIONS'),
  );
});

test('the validity goes before the existence, and before whose it is', async () => {
  const { developer, signUp } = await startTestServer();
  const { body: vault } = await developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
  const { call } = await signUp('ada@example.com');
  for (const id of ['unknown', vault.id]) {
    const path = `/api/v1/vaults/${id}`;
    expectRefused(
      await call('PUT', path, { body: { name: 5 } }),
      refusal('VALIDATION_ERROR', { field: 'name', constraint: 'type' }),
    );
    expectRefused(await call('PUT', path, { body: { name: 'Mine' } }), refusal('NOT_FOUND'));
  }
  expect((await developer('GET', `/api/v1/vaults/${vault.id}`)).body.name).toBe('Taxes');
});

describe('the address of a caller', () => {
  const blockedAddresses = ['203.0.113.0/24', '2001:db8::/32'];
  const blocked = { 'x-forwarded-for': '203.0.113.7' };

  test('is that of the connection when there is no trusted proxy', async () => {
    const { anonymous } = await startTestServer({ blockedAddresses });
    for (const headers of [
      blocked,
      { forwarded: 'for=203.0.113.7' },
      { 'x-real-ip': '203.0.113.7' },
    ]) {
      expect((await anonymous('GET', '/openapi/v1.json', { headers })).status).toBe(200);
    }
  });

  test('is not taken from the header of somebody who is no trusted proxy', async () => {
    const { anonymous } = await startTestServer({
      blockedAddresses,
      trustedProxies: ['10.0.0.0/8'],
    });
    expect((await anonymous('GET', '/openapi/v1.json', { headers: blocked })).status).toBe(200);
  });

  test('behind trusted proxies is the last one that is not theirs', async () => {
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
      // What a caller has written before it reached the first proxy is worth nothing.
      ['203.0.113.7, 198.51.100.1', 200],
      ['203.0.113.7, 198.51.100.1, 10.1.2.3', 200],
      ['198.51.100.1', 200],
      ['10.1.2.3', 200],
      ['', 200],
      // Where a proxy names no address, nothing before it is believed either.
      ['203.0.113.7, unknown', 200],
      ['unknown', 200],
      ['203.0.113.7:4711', 200],
    ] as const) {
      const headers = { 'x-forwarded-for': header };
      const reply = await anonymous('GET', '/openapi/v1.json', { headers });
      expect(reply.status, header).toBe(status);
    }
  });

  test('is what an event says', async () => {
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
