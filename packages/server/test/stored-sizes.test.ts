import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { userScopes } from '../src/domain/access.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { documentOf, encryptionMetadata, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

// SECURITY.md computes from these figures how much an account can store in addition to its quota.

/** Bytes of the largest event. */
const maxEvent = 64 * 1024;
/** Bytes of the largest outcome of an idempotent call, including its key. */
const maxOutcome = 64 * 1024;
/** Bytes of the largest delivery, including its attempts. */
const maxDelivery = 64 * 1024;
/** Bytes of the largest event caused by an access to a share. */
const maxAccessEvent = 2 * 1024;
/** Bytes of the row of an access to a share. */
const maxAccess = 2 * 1024;

/** Text of which every character takes six bytes in JSON. */
const longest = (length: number) => '\u0001'.repeat(length);
/** A name of which every character takes four bytes. */
const longestName = (length: number) => '\u{1f600}'.repeat(length);
/** An object of 16 KiB as JSON. */
const object = (letter: string) => ({ m: letter.repeat(16 * 1024 - 8) });
/** The longest value that Node accepts; each character takes two bytes in UTF-8. */
const userAgent = '\u00ff'.repeat(12 * 1024);

const largestClient = {
  name: longestName(120),
  type: 'confidential',
  redirectUris: Array.from(
    { length: 10 },
    (_, index) => `https://example.com/${index}${'x'.repeat(2027)}`,
  ),
  scopes: userScopes,
  tokenEndpointAuthMethod: 'private_key_jwt',
  jwks: {
    keys: Array.from({ length: 5 }, () => ({
      kty: 'RSA',
      kid: '"'.repeat(200),
      n: 'n'.repeat(1366),
      e: 'e'.repeat(16),
      x: 'x'.repeat(86),
      y: 'y'.repeat(86),
    })),
  },
};

/** Makes the largest request of each operation that emits an event or stores an outcome. */
async function storeLargest(call: Caller, signIn: () => Promise<unknown>): Promise<void> {
  let calls = 0;
  const send = async (method: string, path: string, body?: object) => {
    calls += 1;
    const headers = { 'idempotency-key': `${calls}-`.padEnd(255, 'k') };
    const reply = await call(method, path, { body, headers: method === 'POST' ? headers : {} });
    expect(reply.status, `${method} ${path.slice(0, 50)}`).toBeLessThan(300);
    return reply.body;
  };
  const scopes = Array.from({ length: 50 }, (_, index) => `${longestName(98)}${index + 10}`);
  const consent = await send('POST', '/api/v1/consents', {
    purpose: longestName(200),
    description: longest(2000),
    grantedTo: longestName(200),
    metadata: object('a'),
    scopes,
  });
  await send('PUT', `/api/v1/consents/${consent.id}`, {
    description: `${longest(1999)}b`,
    metadata: object('b'),
  });
  const revoked = { status: 'revoked', reason: longest(500), description: longest(2000) };
  await send('PUT', `/api/v1/consents/${consent.id}`, { ...revoked, metadata: object('c') });
  await send('PUT', `/api/v1/consents/${consent.id}`, { status: 'granted' });
  const vault = await send('POST', '/api/v1/vaults', {
    name: longestName(120),
    description: longest(2000),
  });
  await send('PUT', `/api/v1/vaults/${vault.id}`, {
    name: `${longestName(119)}b`,
    description: `${longest(1999)}b`,
  });
  const metadata = { ...encryptionMetadata, x: 'x'.repeat(16 * 1024 - 250) };
  const document = documentOf(vault.id, 'x', {
    fileName: longestName(255),
    mimeType: `a/${'b'.repeat(120)}`,
    encryptionMetadata: metadata,
  });
  const { id } = await send('POST', '/api/v1/documents', document);
  await send('PUT', `/api/v1/documents/${id}`, { fileName: `${'\u{1f601}'.repeat(255)}` });
  await send('POST', '/api/v1/webhooks', {
    url: `https://127.0.0.1/${'x'.repeat(2000)}`,
    events: ['vault.created'],
    secret: 's'.repeat(256),
    description: longest(2000),
    headers: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, name.repeat(4096)] as const)),
    metadata: object('a'),
    active: false,
  });
  await send('PUT', '/api/v1/users/me', { name: longestName(120) });
  await signIn();
}

/** Bytes of a table's rows: the largest row, or the sum. */
function bytesOf(data: string, table: string, aggregate: 'MAX' | 'SUM' = 'SUM'): number {
  return inDatabase(data, (database) => {
    const columns = database.pragma(`table_info(${table})`) as { name: string }[];
    const row = columns.map(({ name }) => `COALESCE(octet_length(${name}), 0)`).join(' + ');
    return Number(database.prepare(`SELECT ${aggregate}(${row}) FROM ${table}`).pluck().get());
  });
}

/** Bytes of the largest event of each type. */
function largestEvents(data: string): Record<string, number> {
  return inDatabase(data, (database) =>
    Object.fromEntries(
      database
        .prepare('SELECT type, MAX(octet_length(body)) FROM events GROUP BY type')
        .raw()
        .all() as [string, number][],
    ),
  );
}

test('the largest event has at most 64 KiB, and so has the largest outcome of an idempotent call', async () => {
  const data = await dataFolder();
  const server = await startTestServer({ data });
  const { developer, account } = server;
  const email = account?.email ?? '';
  const signIn = () =>
    server.anonymous('POST', '/auth/login', {
      body: { email, password: account?.password },
      headers: { 'user-agent': userAgent },
    });
  await storeLargest(developer, signIn);
  // API keys cannot register clients.
  const call = server.withToken((await signIn()).body.accessToken);
  const client = await call('POST', '/api/v1/oauth/clients', {
    body: largestClient,
    headers: { 'idempotency-key': 'k'.repeat(255) },
  });
  expect(client.status).toBe(201);
  const { id: vaultId } = await newVault(developer);
  const uploaded = await developer('POST', '/api/v1/documents', {
    body: documentOf(vaultId, 'x'),
  });
  // A path of 12 KiB, stored with its error.
  const nothing = '%01'.repeat(4000);
  const unknown = await developer('POST', `/api/v1/documents/${nothing}/share`, {
    headers: { 'idempotency-key': 'key' },
  });
  expect(unknown.status).toBe(404);
  const share = await developer('POST', `/api/v1/documents/${uploaded.body.id}/share`, {
    body: { access: 'anyone' },
  });
  const access = await server.anonymous('GET', `/shares/${share.body.shareToken}`, {
    headers: { 'user-agent': userAgent },
  });
  expect(access.status).toBe(200);
  await server.close();

  const events = largestEvents(data);
  expect(Object.keys(events)).toHaveLength(12);
  for (const [type, bytes] of Object.entries(events)) {
    expect(bytes, type).toBeLessThanOrEqual(maxEvent);
  }
  expect(Math.max(...Object.values(events)), 'the figure is no larger than needed').toBeGreaterThan(
    maxEvent / 2,
  );
  expect(events['document.share.accessed']).toBeLessThanOrEqual(maxAccessEvent);
  expect(events['user.login']).toBeLessThanOrEqual(maxAccessEvent);
  expect(bytesOf(data, 'share_accesses', 'MAX')).toBeLessThanOrEqual(maxAccess);
  const bytes = bytesOf(data, 'idempotency_outcomes', 'MAX');
  expect(bytes).toBeLessThanOrEqual(maxOutcome);
  expect(bytes, 'the figure is no larger than needed').toBeGreaterThan(maxOutcome / 2);
});

test('the largest delivery has at most 64 KiB with its attempts', async () => {
  const data = await dataFolder();
  const server = await startTestServer({ data });
  const { developer, settled } = server;
  // Each invalid byte becomes a replacement character of three bytes.
  const reply = (response: ServerResponse) => response.end(Buffer.alloc(4096, 0xff));
  const events = ['vault.created'];
  const webhook = await listen({ server, call: developer, events, reply });
  await newVault(developer);
  await settled();
  const [delivery] = (await developer('GET', `${webhook.path}/deliveries`)).body.data;
  for (let retried = 0; retried < 12; retried += 1) {
    await developer('POST', `${webhook.path}/deliveries/${delivery.id}/retry`);
    await settled();
  }
  await server.close();
  const bytes = bytesOf(data, 'deliveries') + bytesOf(data, 'delivery_attempts');
  expect(bytes).toBeLessThanOrEqual(maxDelivery);
  expect(bytes, 'the figure is no larger than needed').toBeGreaterThan(maxDelivery / 2);
});
