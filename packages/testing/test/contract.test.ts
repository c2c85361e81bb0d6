import { describe, expect, test } from 'vitest';
import { contractOperations } from '../../server/src/contract/contract.ts';
import { testContract } from '../src/contract.ts';
import { checkedFetch, type Seen } from './support/checked-fetch.ts';
import { document } from './support/content-scenarios.ts';
import { keyring } from './support/key-scenarios.ts';
import { useTestVault } from './support/kit.ts';
import { Recorder } from './support/recorder.ts';

const { service, clock } = useTestVault();

/** Creates a reporter that rejects when a response breaks the contract. */
function newRecorder(seen?: (answer: Seen) => void): Recorder {
  const advance = (milliseconds: number) => clock.advance(milliseconds);
  return new Recorder({ baseUrl: service.baseUrl, fetch: checkedFetch(seen), advance });
}

const password = 'correct horse battery';
const everyEvent = Object.keys(testContract.events);
const webhook = {
  url: 'https://receiver.example/hook',
  events: ['vault.created'],
  secret: 'a secret of these tests, long enough',
};

/** Calls every operation so that it succeeds. */
async function everything(recorder: Recorder): Promise<void> {
  const { email, apiKey: key } = service.createAccount({ role: 'admin', scopes: ['admin:*'] });
  const { refreshToken } = await recorder.send('POST /auth/login', { body: { email, password } });
  await recorder.send('POST /auth/register', {
    body: { email: 'b@example.com', password, name: 'B' },
  });
  const { accessToken: as } = await recorder.send('POST /auth/refresh', { body: { refreshToken } });
  await recorder.send('DELETE /api/v1/auth/sessions', { as });
  const sessions = await recorder.send('GET /api/v1/auth/sessions', { as });
  await recorder.send(`DELETE /api/v1/auth/sessions/${sessions.data[0].id}`, { as });
  await recorder.send('POST /auth/logout', { body: { refreshToken } });
  for (const path of ['/api/v1/auth/validate', '/.well-known/jwks.json', '/openapi/v1.json']) {
    await recorder.send(`GET ${path}`, { key });
  }
  const hook = await recorder.send('POST /api/v1/webhooks', { key, body: webhook });
  const created = await recorder.send('POST /api/v1/api-keys', {
    key,
    body: { name: 'K', scopes: ['vaults:read'] },
  });
  const client = await recorder.send('POST /api/v1/oauth/clients', {
    key,
    body: {
      name: 'A',
      type: 'confidential',
      redirectUris: ['https://a.example'],
      scopes: ['admin:*'],
    },
  });
  await recorder.send(`POST /api/v1/oauth/clients/${client.clientId}/secret`, { key });
  const vault = await recorder.send('POST /api/v1/vaults', { key, body: { name: 'A' } });
  await recorder.send('PUT /api/v1/keyring', { key, body: keyring });
  await recorder.send('GET /api/v1/keyring', { key });
  const keys = { version: 1, generation: 1, sealed: 'AAAA' };
  await recorder.send(`PUT /api/v1/vaults/${vault.id}/keys`, { key, body: keys });
  await recorder.send('GET /api/v1/vault-keys', { key });
  const body = { ...document, vaultId: vault.id };
  const { id: documentId } = await recorder.send('POST /api/v1/documents', { key, body });
  const begun = await recorder.send('POST /api/v1/uploads', {
    key,
    body: { vaultId: vault.id, sizeBytes: 5 },
  });
  const upload = `/api/v1/uploads/${begun.id}`;
  await recorder.send(`PUT ${upload}/parts/0`, { key, body: new Uint8Array(5) });
  await recorder.send(`GET ${upload}`, { key });
  await recorder.send(`DELETE ${upload}`, { key });
  await recorder.send(`GET /api/v1/documents/${documentId}/content`, { key });
  const shared = await recorder.send(`POST /api/v1/documents/${documentId}/share`, { key });
  const consent = await recorder.send('POST /api/v1/consents', {
    key,
    body: { purpose: 'Taxes', grantedTo: 'Linden' },
  });
  const instance = await recorder.send('POST /api/v1/instances', { key, body: { name: 'Second' } });
  const hooked = `/api/v1/webhooks/${hook.id}`;
  await recorder.send(`POST ${hooked}/test`, { key });
  const { data } = await recorder.send(`GET ${hooked}/deliveries?sortOrder=asc`, { key });
  const delivery = `${hooked}/deliveries/${data[0].id}`;
  await recorder.send(`GET ${delivery}`, { key });
  const events = await recorder.send('GET /api/v1/events', { key });
  await recorder.send(`GET /api/v1/events/${events.data[0].id}`, { key });
  await recorder.send(`POST ${delivery}/retry`, { key });
  await recorder.send(`POST ${hooked}/deliveries/retry-failed`, { key });
  for (const [path, change] of [
    [`vaults/${vault.id}`, { name: 'B' }],
    [`documents/${documentId}`, { fileName: 'b.pdf' }],
    [`instances/${instance.id}`, { quotaBytes: 5 }],
    [`webhooks/${hook.id}`, { active: false }],
    [`consents/${consent.id}`, { status: 'revoked' }],
    [`oauth/clients/${client.clientId}`, { verified: true }],
    ['users/me', { name: 'Eve' }],
  ] as const) {
    if (!path.startsWith('consents')) await recorder.send(`GET /api/v1/${path}`, { key });
    await recorder.send(`PUT /api/v1/${path}`, { key, body: change });
  }
  await recorder.send(`POST ${hooked}/secret`, { key });
  const lists = ['vaults', 'documents', 'instances', 'webhooks', 'consents', 'api-keys'];
  for (const list of [...lists, 'oauth/clients']) {
    await recorder.send(`GET /api/v1/${list}`, { key });
  }
  await recorder.send('GET /api/v1/vaults/search?search=b', { key });
  await recorder.send('GET /api/v1/instances/statistics', { key });
  await recorder.send(`GET /api/v1/instances/${instance.id}/health`, { key });
  await recorder.send(`GET /api/v1/instances/${instance.id}/statistics/history`, { key });
  await recorder.send(`GET /api/v1/documents/${documentId}/shares`, { key });
  const opened = await recorder.send(`GET /api/v1/documents/share/${shared.shareToken}`, { key });
  await recorder.send(`GET ${opened.contentUrl}`, { key });
  const accesses = `documents/${documentId}/shares/${shared.id}/accesses`;
  await recorder.send(`GET /api/v1/${accesses}`, { key });
  await recorder.send(`DELETE /api/v1/documents/${documentId}/shares/${shared.id}`, { key });
  for (const path of [`documents/${documentId}`, `vaults/${vault.id}`, `webhooks/${hook.id}`]) {
    await recorder.send(`DELETE /api/v1/${path}`, { key });
  }
  await recorder.send(`DELETE /api/v1/oauth/clients/${client.clientId}`, { key });
  await recorder.send(`DELETE /api/v1/api-keys/${created.keyId}`, { key });
  const { data: users } = await recorder.send('GET /api/v1/users?search=b@', { key });
  await recorder.send(`GET /api/v1/users/${users[0].id}`, { key });
  await recorder.send(`PUT /api/v1/users/${users[0].id}`, {
    key,
    body: { tier: 'paid', role: 'admin' },
  });
  await recorder.send('DELETE /api/v1/users/me', { key, body: { password } });
}

test('every operation of the test vault succeeds with a response of the contract', async () => {
  const succeeded = new Set<string>();
  const recorder = newRecorder(({ operation, status }) => {
    expect(status).toBeLessThan(300);
    if (operation) succeeded.add(operation);
  });
  await everything(recorder);
  expect([...succeeded].sort()).toEqual(contractOperations.map(({ id }) => id).sort());
});

/** Fills in ids that do not exist. */
const withUnknownIds = (path: string) => path.replaceAll(/\{\w+\}/g, 'unknown');

describe('error responses of the test vault fit the contract', () => {
  test.each([
    ['RATE_LIMIT_EXCEEDED', 429],
    ['INTERNAL_ERROR', 500],
  ] as const)(
    'every operation responds with an injected %s that fits the contract',
    async (code, status) => {
      const recorder = newRecorder();
      const { email, password, apiKey: key } = service.account;
      const body = { email, password };
      const { accessToken: as } = await recorder.send('POST /auth/login', { body });
      recorder.steps.length = 0;
      service.fault('error', { code, times: Number.POSITIVE_INFINITY });
      for (const { method, path } of contractOperations) {
        await recorder.send(`${method.toUpperCase()} ${withUnknownIds(path)}`, { key, as });
      }
      expect(recorder.steps.map((step) => step.status)).toEqual(
        contractOperations.map(() => status),
      );
    },
  );

  test('missing and invalid credentials and suspended accounts get errors that fit the contract', async () => {
    const suspended = service.createAccount({ status: 'suspended' });
    const recorder = newRecorder();
    for (const { method, path, schemes, anonymous } of contractOperations) {
      const asked = `${method.toUpperCase()} ${withUnknownIds(path)}`;
      if (schemes.size === 0) continue;
      if (!anonymous) await recorder.send(asked);
      await recorder.send(asked, { key: `service_sk_${'a'.repeat(40)}` });
      await recorder.send(asked, { key: suspended.apiKey });
    }
    const codes = new Set(
      recorder.steps.map(({ body }) => (body as { error: { code: string } }).error.code),
    );
    expect([...codes].sort()).toEqual(['ACCOUNT_SUSPENDED', 'INVALID_API_KEY', 'MISSING_AUTH']);
  });

  test('a key without the scope, and a user without the role, get 403 that fits the contract', async () => {
    const { apiKey: key } = service.createAccount({ scopes: ['instances:write'] });
    const recorder = newRecorder();
    for (const { method, path, schemes } of contractOperations) {
      const scopes = schemes.get('apiKey') ?? [];
      if (scopes.length > 0)
        await recorder.send(`${method.toUpperCase()} ${withUnknownIds(path)}`, { key });
    }
    expect(recorder.steps.length).toBeGreaterThan(30);
    expect(new Set(recorder.steps.map(({ status }) => status))).toEqual(new Set([403]));
  });

  test('invalid bodies get 400 and unknown ids 404 that fit the contract', async () => {
    const { email, apiKey } = service.createAccount({ role: 'admin', scopes: ['admin:*'] });
    const recorder = newRecorder();
    const login = await recorder.send('POST /auth/login', { body: { email, password } });
    const expected = [200];
    for (const { method, path, body, schemes } of contractOperations) {
      const asked = `${method.toUpperCase()} ${withUnknownIds(path)}`;
      const key = schemes.has('bearer') && !schemes.has('apiKey') ? undefined : apiKey;
      const as = key === undefined ? login.accessToken : undefined;
      if (body !== 'none') {
        await recorder.send(asked, { key, body: { colour: 'red' } });
        expected.push(400);
      } else if (path.includes('{')) {
        await recorder.send(asked, { key, as });
        expected.push(404);
      }
    }
    expect(recorder.steps.map(({ status }) => status)).toEqual(expected);
  });
});

test('a test delivery of every event type fits the contract', async () => {
  const { apiKey: key } = service.account;
  const recorder = newRecorder();
  const { id } = await recorder.send('POST /api/v1/webhooks', { key, body: webhook });
  for (const eventType of everyEvent) {
    const delivery = await recorder.send(`POST /api/v1/webhooks/${id}/test`, {
      key,
      body: { eventType, allowUnsubscribed: true },
    });
    const shown = await recorder.send(`GET /api/v1/webhooks/${id}/deliveries/${delivery.id}`, {
      key,
    });
    expect(shown.payload.type).toBe(eventType);
  }
});

test('webhook events of the test vault fit the contract', async () => {
  const { email, apiKey: key } = service.createAccount({ role: 'admin', scopes: ['admin:*'] });
  const recorder = newRecorder();
  const all = { ...webhook, events: everyEvent };
  const { id } = await recorder.send('POST /api/v1/webhooks', { key, body: all });
  const ada = service.account.apiKey;
  const vault = await recorder.send('POST /api/v1/vaults', { key: ada, body: { name: 'A' } });
  await recorder.send(`PUT /api/v1/vaults/${vault.id}`, { key: ada, body: { name: 'B' } });
  const body = { ...document, vaultId: vault.id };
  const { id: documentId } = await recorder.send('POST /api/v1/documents', { key: ada, body });
  await recorder.send(`PUT /api/v1/documents/${documentId}`, { key: ada, body: { fileName: 'b' } });
  const { shareToken } = await recorder.send(`POST /api/v1/documents/${documentId}/share`, {
    key: ada,
  });
  await recorder.send(`GET /shares/${shareToken}`, { key: ada });
  await recorder.send(`DELETE /api/v1/documents/${documentId}`, { key: ada });
  await recorder.send(`DELETE /api/v1/vaults/${vault.id}`, { key: ada });
  const asked = { purpose: 'Taxes', grantedTo: 'Linden' };
  const consent = await recorder.send('POST /consents', { key: ada, body: asked });
  for (const status of ['revoked', 'granted']) {
    await recorder.send(`PUT /consents/${consent.id}`, { key: ada, body: { status } });
  }
  await recorder.send('POST /auth/login', { body: { email, password } });
  await recorder.send('POST /auth/register', {
    body: { email: 'c@example.com', password, name: 'C' },
  });
  await recorder.send('PUT /api/v1/users/me', { key: ada, body: { name: 'Ada L.' } });
  await recorder.send('DELETE /api/v1/users/me', { key: ada, body: { password } });
  const list = `GET /api/v1/webhooks/${id}/deliveries?pageSize=100`;
  const { data } = await recorder.send(list, { key });
  for (const delivery of data) {
    await recorder.send(`GET /api/v1/webhooks/${id}/deliveries/${delivery.id}`, { key });
  }
  const emitted = data.map(({ eventType }: { eventType: string }) => eventType);
  // The test vault does not emit events about quotas, health and expiry.
  const notEmitted = ['vault.quota', 'instance.', 'document.share.expired', 'consent.expired'];
  expect([...emitted].sort()).toEqual(
    everyEvent.filter((type) => !notEmitted.some((prefix) => type.startsWith(prefix))).sort(),
  );
});
