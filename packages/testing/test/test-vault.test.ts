import { DocumentVault, UsageError } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { createTestVault } from '@document-vault/testing';
import { describe, expect, test } from 'vitest';
import { rejection } from '../../sdk/test/support/client.ts';
import { checkedFetch } from './support/checked-fetch.ts';
import { useTestVault } from './support/kit.ts';

const { service, clock } = useTestVault();

const clientOf = (apiKey: string) =>
  new DocumentVault({ baseUrl: service.baseUrl, apiKey, clock, fetch: checkedFetch() });

describe('a page of another origin', () => {
  test('gets CORS headers on every response, and its preflight is not among the requests', async () => {
    const headers = {
      origin: 'http://localhost:3000',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };
    const url = `${service.baseUrl}/api/v1/vaults`;
    const preflight = await fetch(url, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    const allowed = (name: string) => preflight.headers.get(`access-control-allow-${name}`);
    expect([allowed('origin'), allowed('headers')]).toEqual(['*', 'authorization,content-type']);
    expect(service.requests).toEqual([]);
    for (const response of [
      await fetch(url),
      await fetch(`${service.baseUrl}/.well-known/jwks.json`),
    ]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});

describe('accounts of the test vault', () => {
  test('service.account signs in with its API key and with its password', async () => {
    const { id, email, password, apiKey } = service.account;
    expect(await clientOf(apiKey).users.me()).toMatchObject({ id, email, role: 'user' });
    const client = new DocumentVault({ baseUrl: service.baseUrl, session: {}, clock });
    await client.auth.login({ email, password });
    expect((await client.users.me()).id).toBe(id);
  });

  test('createAccount() creates accounts with the given role, name and scopes', async () => {
    const [eve, bob] = [
      service.createAccount({ role: 'admin', name: 'Eve' }),
      service.createAccount(),
    ];
    expect(await clientOf(eve.apiKey).users.me()).toMatchObject({ role: 'admin', name: 'Eve' });
    const reader = service.createAccount({ scopes: ['vaults:read'] });
    expect(await rejection(clientOf(reader.apiKey).vaults.create({ name: 'A' }))).toMatchObject({
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { requiredScopes: ['vaults:write'] },
    });
    expect(new Set([eve.email, bob.email, reader.email, service.account.email]).size).toBe(4);
  });

  test('shares of a suspended account return 404 and count no access', async () => {
    const owner = service.createAccount();
    const { id: vaultId } = owner.createVault();
    const { id } = owner.createDocument({ vaultId });
    const admin = clientOf(service.createAccount({ role: 'admin', scopes: ['admin:*'] }).apiKey);
    const { shares } = clientOf(owner.apiKey);
    const share = await shares.create(id, { access: 'anyone', maxAccessCount: 1 });
    await admin.users.update(owner.id, { status: 'suspended' });
    const options = { baseUrl: service.baseUrl, session: {}, clock, fetch: checkedFetch() };
    const anonymous = new DocumentVault(options);
    for (const client of [anonymous, admin]) {
      expect(await rejection(client.shares.open(share.shareToken))).toMatchObject({
        code: 'NOT_FOUND',
        details: {},
      });
    }
    expect((await admin.shares.list(id)).data).toMatchObject([{ accessCount: 0, isActive: true }]);
  });

  test('createVault() and createDocument() store resources of the account without a request', async () => {
    const taxes = service.account.createVault({ name: 'Taxes' });
    const cipher = await createCipher({ passphrase: 'open sesame' });
    const sealed = await cipher.seal('Dear Ada', { fileName: 'a.txt' });
    const { id } = service.account.createDocument({ vaultId: taxes.id, ...sealed });
    const plain = service.account.createDocument({ vaultId: taxes.id });
    expect(service.requests).toEqual([]);

    const client = clientOf(service.account.apiKey);
    const { bytes, fileName } = await client.documents.download(id, { cipher });
    expect([fileName, new TextDecoder().decode(bytes)]).toEqual(['a.txt', 'Dear Ada']);
    expect(await client.documents.get(plain.id)).toMatchObject({ sizeBytes: 3, vaultId: taxes.id });
    expect(await client.vaults.get(taxes.id)).toMatchObject({
      documentCount: 2,
      totalSize: sealed.sizeBytes + 3,
    });
    const stranger = clientOf(service.createAccount().apiKey);
    expect(await rejection(stranger.documents.get(id))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test.each([
    ['a name that is too long', () => service.account.createVault({ name: 'x'.repeat(121) })],
    ['a vault that does not exist', () => service.account.createDocument({ vaultId: 'x' })],
    ['an address that is taken', () => service.createAccount({ email: 'ADA@example.com' })],
    ['a password that is too short', () => service.createAccount({ password: 'short' })],
  ])('throws a UsageError for %s', (_, create) => {
    expect(create).toThrow(UsageError);
  });
});

test('requests lists each request with its operation, headers and body', async () => {
  const client = clientOf(service.account.apiKey);
  await client.vaults.create({ name: 'Taxes' }, { idempotencyKey: 'once' });
  await client.vaults.list({ search: 'tax' });
  await fetch(`${service.baseUrl}/elsewhere`, { method: 'POST', body: 'no JSON' });
  expect(service.requests).toMatchObject([
    {
      operation: 'createVault',
      method: 'POST',
      url: `${service.baseUrl}/api/v1/vaults`,
      headers: { 'idempotency-key': 'once', 'x-api-key': service.account.apiKey },
      body: { name: 'Taxes' },
    },
    { operation: 'listVaults', method: 'GET', body: undefined },
    { operation: undefined, url: `${service.baseUrl}/elsewhere`, body: 'no JSON' },
  ]);
  expect(new URL(service.requests[1]?.url ?? '').searchParams.get('search')).toBe('tax');
});

test('reset() deletes all data except service.account', async () => {
  const { email, password, apiKey } = service.account;
  const other = service.createAccount();
  const client = clientOf(apiKey);
  await client.vaults.create({ name: 'Taxes' });
  await client.users.updateMe({
    name: 'Ada L.',
    password: 'another password',
    currentPassword: password,
  });
  service.reset();
  expect(service.requests).toEqual([]);
  expect((await client.vaults.list()).data).toEqual([]);
  expect((await client.users.me()).name).toBe('Ada');
  const session = new DocumentVault({ baseUrl: service.baseUrl, session: {}, clock });
  await session.auth.login({ email, password });
  expect(await rejection(clientOf(other.apiKey).users.me())).toMatchObject({
    code: 'INVALID_API_KEY',
  });
  expect(() => other.createVault()).toThrow(UsageError);
  service.account.createVault();
});

test('POST /graphql returns 404 with a message that the test vault has no GraphQL', async () => {
  const response = await fetch(`${service.baseUrl}/graphql`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { message: /has no GraphQL/ } });
});

test('baseUrl can have a path, and must be an absolute URL', () => {
  const { handlers, baseUrl } = createTestVault({ baseUrl: 'https://example.com/vault/' });
  expect(baseUrl).toBe('https://example.com/vault');
  const paths = handlers.map(({ info }) => String(info.path));
  expect(paths).toContain('https://example.com/vault/api/v1/vaults/:id');
  expect(() => createTestVault({ baseUrl: '/vault' })).toThrow(UsageError);
});

test('ids are UUIDv7 and sort by the time of creation', async () => {
  const ids = Array.from({ length: 50 }, () => service.account.createVault().id);
  clock.advance(1);
  ids.push(service.account.createVault().id);
  expect([...ids].sort()).toEqual(ids);
  const uuid = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  expect(ids.every((id) => uuid.test(id))).toBe(true);
});
