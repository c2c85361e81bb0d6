import { describe, expect, test } from 'vitest';
import { contractOperations } from '../../../server/src/contract/contract.ts';
import { testContract } from '../../src/testing/contract.ts';
import { checkedFetch, type Seen } from '../support/testing/checked-fetch.ts';
import { document } from '../support/testing/content-stories.ts';
import { useTestVault } from '../support/testing/kit.ts';
import { Reporter } from '../support/testing/scenario.ts';

const { service, clock } = useTestVault();

/** Creates a reporter that rejects when a response breaks the contract. */
function newReporter(seen?: (answer: Seen) => void): Reporter {
  const advance = (milliseconds: number) => clock.advance(milliseconds);
  return new Reporter({ baseUrl: service.baseUrl, fetch: checkedFetch(seen), advance });
}

const password = 'correct horse battery';
const everyEvent = Object.keys(testContract.events);
const webhook = {
  url: 'https://receiver.example/hook',
  events: ['vault.created'],
  secret: 'a secret of these tests, long enough',
};

/** Calls every operation so that it succeeds. */
async function everything(report: Reporter): Promise<void> {
  const { email, apiKey: key } = service.createAccount({ role: 'admin', scopes: ['admin:*'] });
  const { refreshToken } = await report.ask('POST /auth/login', { body: { email, password } });
  await report.ask('POST /auth/register', {
    body: { email: 'b@example.com', password, name: 'B' },
  });
  const { accessToken: as } = await report.ask('POST /auth/refresh', { body: { refreshToken } });
  await report.ask('DELETE /api/v1/auth/sessions', { as });
  const sessions = await report.ask('GET /api/v1/auth/sessions', { as });
  await report.ask(`DELETE /api/v1/auth/sessions/${sessions.data[0].id}`, { as });
  await report.ask('POST /auth/logout', { body: { refreshToken } });
  for (const path of ['/api/v1/auth/validate', '/.well-known/jwks.json', '/openapi/v1.json']) {
    await report.ask(`GET ${path}`, { key });
  }
  const hook = await report.ask('POST /api/v1/webhooks', { key, body: webhook });
  const created = await report.ask('POST /api/v1/api-keys', {
    key,
    body: { name: 'K', scopes: ['vaults:read'] },
  });
  const vault = await report.ask('POST /api/v1/vaults', { key, body: { name: 'A' } });
  const body = { ...document, vaultId: vault.id };
  const { id: documentId } = await report.ask('POST /api/v1/documents', { key, body });
  const shared = await report.ask(`POST /api/v1/documents/${documentId}/share`, { key });
  const consent = await report.ask('POST /api/v1/consents', {
    key,
    body: { purpose: 'Taxes', grantedTo: 'Linden' },
  });
  const instance = await report.ask('POST /api/v1/instances', { key, body: { name: 'Second' } });
  const hooked = `/api/v1/webhooks/${hook.id}`;
  await report.ask(`POST ${hooked}/test`, { key });
  const { data } = await report.ask(`GET ${hooked}/deliveries?sortOrder=asc`, { key });
  const delivery = `${hooked}/deliveries/${data[0].id}`;
  await report.ask(`GET ${delivery}`, { key });
  const events = await report.ask('GET /api/v1/events', { key });
  await report.ask(`GET /api/v1/events/${events.data[0].id}`, { key });
  await report.ask(`POST ${delivery}/retry`, { key });
  await report.ask(`POST ${hooked}/deliveries/retry-failed`, { key });
  for (const [path, change] of [
    [`vaults/${vault.id}`, { name: 'B' }],
    [`documents/${documentId}`, { fileName: 'b.pdf' }],
    [`instances/${instance.id}`, { quotaBytes: 5 }],
    [`webhooks/${hook.id}`, { active: false }],
    [`consents/${consent.id}`, { status: 'revoked' }],
    ['users/me', { name: 'Eve' }],
  ] as const) {
    if (!path.startsWith('consents')) await report.ask(`GET /api/v1/${path}`, { key });
    await report.ask(`PUT /api/v1/${path}`, { key, body: change });
  }
  for (const list of ['vaults', 'documents', 'instances', 'webhooks', 'consents', 'api-keys']) {
    await report.ask(`GET /api/v1/${list}`, { key });
  }
  await report.ask('GET /api/v1/vaults/search?search=b', { key });
  await report.ask('GET /api/v1/instances/statistics', { key });
  await report.ask(`GET /api/v1/instances/${instance.id}/health`, { key });
  await report.ask(`GET /api/v1/documents/${documentId}/shares`, { key });
  await report.ask(`GET /api/v1/documents/share/${shared.shareToken}`, { key });
  await report.ask(`DELETE /api/v1/documents/${documentId}/shares/${shared.id}`, { key });
  for (const path of [`documents/${documentId}`, `vaults/${vault.id}`, `webhooks/${hook.id}`]) {
    await report.ask(`DELETE /api/v1/${path}`, { key });
  }
  await report.ask(`DELETE /api/v1/api-keys/${created.keyId}`, { key });
  await report.ask('DELETE /api/v1/users/me', { key, body: { password } });
}

test('every operation of the test vault succeeds with a response of the contract', async () => {
  const succeeded = new Set<string>();
  const report = newReporter(({ operation, status }) => {
    expect(status).toBeLessThan(300);
    if (operation) succeeded.add(operation);
  });
  await everything(report);
  expect([...succeeded].sort()).toEqual(contractOperations.map(({ id }) => id).sort());
});

/** What an operation is asked so that it comes as far as its refusal. */
const paths = (path: string) => path.replaceAll(/\{\w+\}/g, 'unknown');

describe('error responses of the test vault fit the contract', () => {
  test.each([
    ['RATE_LIMIT_EXCEEDED', 429],
    ['INTERNAL_ERROR', 500],
  ] as const)('%s, for every operation', async (code, status) => {
    const report = newReporter();
    const { email, password, apiKey: key } = service.account;
    const body = { email, password };
    const { accessToken: as } = await report.ask('POST /auth/login', { body });
    report.steps.length = 0;
    service.fault('error', { code, times: Number.POSITIVE_INFINITY });
    for (const { method, path } of contractOperations) {
      await report.ask(`${method.toUpperCase()} ${paths(path)}`, { key, as });
    }
    expect(report.steps.map((step) => step.status)).toEqual(contractOperations.map(() => status));
  });

  test('without credentials, with wrong ones, and for a suspended account', async () => {
    const suspended = service.createAccount({ status: 'suspended' });
    const report = newReporter();
    for (const { method, path, schemes, anonymous } of contractOperations) {
      const asked = `${method.toUpperCase()} ${paths(path)}`;
      if (schemes.size === 0) continue;
      if (!anonymous) await report.ask(asked);
      await report.ask(asked, { key: `service_sk_${'a'.repeat(40)}` });
      await report.ask(asked, { key: suspended.apiKey });
    }
    const codes = new Set(
      report.steps.map(({ body }) => (body as { error: { code: string } }).error.code),
    );
    expect([...codes].sort()).toEqual(['ACCOUNT_SUSPENDED', 'INVALID_API_KEY', 'MISSING_AUTH']);
  });

  test('for a key that lacks the scope, and for who is no administrator', async () => {
    const { apiKey: key } = service.createAccount({ scopes: ['instances:write'] });
    const report = newReporter();
    for (const { method, path, schemes } of contractOperations) {
      const scopes = schemes.get('apiKey') ?? [];
      if (scopes.length > 0) await report.ask(`${method.toUpperCase()} ${paths(path)}`, { key });
    }
    expect(report.steps.length).toBeGreaterThan(30);
    expect(new Set(report.steps.map(({ status }) => status))).toEqual(new Set([403]));
  });

  test('for a body that is wrong, and for what does not exist', async () => {
    const { email, apiKey } = service.createAccount({ role: 'admin', scopes: ['admin:*'] });
    const report = newReporter();
    const login = await report.ask('POST /auth/login', { body: { email, password } });
    const expected = [200];
    for (const { method, path, body, schemes } of contractOperations) {
      const asked = `${method.toUpperCase()} ${paths(path)}`;
      const key = schemes.has('bearer') && !schemes.has('apiKey') ? undefined : apiKey;
      const as = key === undefined ? login.accessToken : undefined;
      if (body !== 'none') {
        await report.ask(asked, { key, body: { colour: 'red' } });
        expected.push(400);
      } else if (path.includes('{')) {
        await report.ask(asked, { key, as });
        expected.push(404);
      }
    }
    expect(report.steps.map(({ status }) => status)).toEqual(expected);
  });
});

test('a test delivery of every event type fits the contract', async () => {
  const { apiKey: key } = service.account;
  const report = newReporter();
  const { id } = await report.ask('POST /api/v1/webhooks', { key, body: webhook });
  for (const eventType of everyEvent) {
    const delivery = await report.ask(`POST /api/v1/webhooks/${id}/test`, {
      key,
      body: { eventType, allowUnsubscribed: true },
    });
    const shown = await report.ask(`GET /api/v1/webhooks/${id}/deliveries/${delivery.id}`, { key });
    expect(shown.payload.type).toBe(eventType);
  }
});

test('webhook events of the test vault fit the contract', async () => {
  const { email, apiKey: key } = service.createAccount({ role: 'admin', scopes: ['admin:*'] });
  const report = newReporter();
  const all = { ...webhook, events: everyEvent };
  const { id } = await report.ask('POST /api/v1/webhooks', { key, body: all });
  const ada = service.account.apiKey;
  const vault = await report.ask('POST /api/v1/vaults', { key: ada, body: { name: 'A' } });
  await report.ask(`PUT /api/v1/vaults/${vault.id}`, { key: ada, body: { name: 'B' } });
  const body = { ...document, vaultId: vault.id };
  const { id: documentId } = await report.ask('POST /api/v1/documents', { key: ada, body });
  await report.ask(`PUT /api/v1/documents/${documentId}`, { key: ada, body: { fileName: 'b' } });
  const { shareToken } = await report.ask(`POST /api/v1/documents/${documentId}/share`, {
    key: ada,
  });
  await report.ask(`GET /shares/${shareToken}`, { key: ada });
  await report.ask(`DELETE /api/v1/documents/${documentId}`, { key: ada });
  await report.ask(`DELETE /api/v1/vaults/${vault.id}`, { key: ada });
  const asked = { purpose: 'Taxes', grantedTo: 'Linden' };
  const consent = await report.ask('POST /consents', { key: ada, body: asked });
  for (const status of ['revoked', 'granted']) {
    await report.ask(`PUT /consents/${consent.id}`, { key: ada, body: { status } });
  }
  await report.ask('POST /auth/login', { body: { email, password } });
  await report.ask('POST /auth/register', {
    body: { email: 'c@example.com', password, name: 'C' },
  });
  await report.ask('PUT /api/v1/users/me', { key: ada, body: { name: 'Ada L.' } });
  await report.ask('DELETE /api/v1/users/me', { key: ada, body: { password } });
  const list = `GET /api/v1/webhooks/${id}/deliveries?pageSize=100`;
  const { data } = await report.ask(list, { key });
  for (const delivery of data) {
    await report.ask(`GET /api/v1/webhooks/${id}/deliveries/${delivery.id}`, { key });
  }
  const told = data.map(({ eventType }: { eventType: string }) => eventType);
  // The others tell of quotas, of health and of what time alone brings about.
  const untold = ['vault.quota', 'instance.', 'document.share.expired', 'consent.expired'];
  expect([...told].sort()).toEqual(
    everyEvent.filter((type) => !untold.some((prefix) => type.startsWith(prefix))).sort(),
  );
});
