import { beforeEach, describe, expect, test } from 'vitest';
import { dataFolder, inDatabase, makeAdmin } from './support/data-folder.ts';
import { beginSending, type HeldRequest } from './support/held-requests.ts';
import { newVault } from './support/resources.ts';
import { type Account, startTestServer, type TestServer } from './support/server.ts';

// Accounts that change while the last byte of their request is missing.
let server: TestServer;
let data: string;
let ada: Account;
let vaultId: string;

beforeEach(async () => {
  data = await dataFolder();
  server = await startTestServer({ data });
  ada = await server.signUp('ada@example.com');
  ({ id: vaultId } = await newVault(ada.call));
});

const upload = (): HeldRequest => ({
  path: '/api/v1/documents',
  body: {
    vaultId,
    fileName: 'late.bin',
    mimeType: 'application/octet-stream',
    sizeBytes: 3,
    encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAAAAAAAAAAAAAA', authTag: 'AAAA' },
    encryptedData: 'AAAA',
  },
});

/** Changes the account of a running server in its database: requests that are authenticated do not notice. */
function change(column: 'status' | 'role', value: string): void {
  inDatabase(data, (database) =>
    database.prepare(`UPDATE users SET ${column} = ? WHERE email = ?`).run(value, ada.email),
  );
}

async function bearer(): Promise<Record<string, string>> {
  const { email, password } = ada;
  const { body } = await server.anonymous('POST', '/auth/login', { body: { email, password } });
  return { authorization: `Bearer ${body.accessToken}` };
}

async function apiKey(): Promise<Record<string, string>> {
  const body = { name: 'Key', scopes: ['documents:write', 'vaults:read'] };
  return { 'x-api-key': (await ada.call('POST', '/api/v1/api-keys', { body })).body.key };
}

test('a held repetition with an API key that was revoked returns INVALID_API_KEY, not the stored outcome', async () => {
  const headers = { ...(await apiKey()), 'idempotency-key': 'held' };
  const first = await (await beginSending(server, headers, upload()))();
  expect(first).toMatchObject({ fileName: 'late.bin' });
  const repeat = await beginSending(server, headers, upload());
  const [key] = (await ada.call('GET', '/api/v1/api-keys')).body.data;
  expect((await ada.call('DELETE', `/api/v1/api-keys/${key.keyId}`)).status).toBe(204);
  const refused = await repeat();
  expect(refused).toMatchObject({ error: { code: 'INVALID_API_KEY' } });
  expect(JSON.stringify(refused)).not.toContain('late.bin');
});

describe.each([
  ['a session', bearer],
  ['an API key', apiKey],
])('request of %s', (_name, credentials) => {
  test('a held upload of an account that was suspended returns ACCOUNT_SUSPENDED and stores nothing', async () => {
    const headers = { ...(await credentials()), 'idempotency-key': 'held' };
    const send = await beginSending(server, headers, upload());
    change('status', 'suspended');
    expect(await send()).toMatchObject({ error: { code: 'ACCOUNT_SUSPENDED' } });
    change('status', 'active');
    expect((await ada.call('GET', '/api/v1/documents')).body.data).toEqual([]);
    expect((await ada.call('GET', `/api/v1/vaults/${vaultId}`)).body.documentCount).toBe(0);
    // The rejection is not the outcome of the Idempotency-Key.
    const again = await beginSending(server, headers, upload());
    expect(await again()).toMatchObject({ fileName: 'late.bin' });
  });
});

test('a held upload of an administrator who was demoted returns INSUFFICIENT_PERMISSIONS and stores nothing', async () => {
  makeAdmin(data, ada.email);
  const headers = await bearer();
  const send = await beginSending(server, headers, upload());
  change('role', 'user');
  expect(await send()).toMatchObject({
    error: { code: 'INSUFFICIENT_PERMISSIONS', details: { requiredRole: 'admin' } },
  });
  expect((await ada.call('GET', '/api/v1/documents')).body.data).toEqual([]);
});

test('a held GraphQL request of an account that was suspended returns ACCOUNT_SUSPENDED', async () => {
  const send = await beginSending(server, await bearer(), {
    path: '/graphql',
    body: { query: '{ me { email } }' },
  });
  change('status', 'suspended');
  const reply = (await send()) as { data?: unknown; errors: { extensions: { code: string } }[] };
  expect(reply.errors[0]?.extensions.code).toBe('ACCOUNT_SUSPENDED');
  expect(reply.data).toBeUndefined();
});
