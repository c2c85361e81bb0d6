import type {
  ApiError,
  CreateOAuthClient,
  DocumentVault,
  UpdateOAuthClient,
} from '@document-vault/sdk';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import type { FaultKinds } from '@document-vault/testing';
import { describe, expect, test } from 'vitest';
import { rejection } from '../../sdk/test/support/client.ts';
import { until } from '../../sdk/test/support/until.ts';
import {
  clientOf,
  failure,
  keyClient,
  type Scenario,
  withKit,
  withServer,
} from './support/both-services.ts';

// The same scenarios run with the test kit and with the test server. Their results must be equal.

/** Of the first account. */
const credentials = { email: 'ada@example.com', password: 'correct horse battery' };

const oauthClient = {
  name: 'Tax Assistant',
  type: 'confidential',
  redirectUris: ['https://tax.example.com/callback'],
  scopes: ['vaults:read'],
} as const satisfies CreateOAuthClient;

/** Changes that only the owner of a client can make. */
const takeovers: UpdateOAuthClient[] = [
  { redirectUris: ['https://evil.example/'] },
  { scopes: ['vaults:read', 'documents:read'] },
  { grantTypes: ['authorization_code', 'client_credentials'] },
  { jwks: { keys: [] } },
  { name: 'Your Bank' },
  { requirePar: true },
  { disabled: true, redirectUris: ['https://evil.example/'] },
];

const vaultCount = async (client: DocumentVault) =>
  (await client.vaults.list()).pagination.totalCount;

const requestFaults: [keyof FaultKinds, object][] = [
  ['rateLimit', { retryAfter: 90 }],
  ['error', {}],
  ['error', { code: 'IP_BLOCKED', details: { reason: 'a test' } }],
  ['error', { operations: ['listVaults', 'createVault'], times: 2 }],
  ['networkError', {}],
  ['networkError', { when: 'after' }],
  ['truncate', {}],
];

const scenarios: Record<string, Scenario> = {
  async 'accounts and data that were created without requests'(service) {
    const { account } = service;
    const vault = await account.createVault({ name: 'Taxes' });
    await account.createDocument({ vaultId: vault.id, fileName: 'return.txt' });
    const reader = await service.createAccount({ scopes: ['vaults:read'], tier: 'free' });
    await reader.createVault();
    const suspended = await service.createAccount({ status: 'suspended' });
    const admin = await service.createAccount({ role: 'admin', scopes: ['admin:*'] });
    const client = keyClient(service);
    const { data } = await client.documents.list({ search: 'return' });
    const own = keyClient(service, { apiKey: reader.apiKey });
    const { email, password } = reader;
    const session = clientOf(service);
    await session.auth.login({ email, password });
    const { tier, role, name } = await session.users.me();
    return {
      first: [account.email, account.password, (await client.users.me()).id === account.id],
      documents: data.map(({ fileName, mimeType, sizeBytes }) => [fileName, mimeType, sizeBytes]),
      own: (await own.vaults.list()).data.map((found) => found.name),
      reader: { tier, role, name },
      all: await vaultCount(keyClient(service, { apiKey: admin.apiKey })),
      failures: [
        await failure(own.vaults.create({ name: 'A' })),
        await failure(keyClient(service, { apiKey: suspended.apiKey }).vaults.list()),
      ],
    };
  },

  async 'instances by keys of an administrator, with and without admin:*'(service) {
    const create = (scopes: ('admin:*' | 'instances:read' | 'instances:write')[]) =>
      service.createAccount({ role: 'admin', scopes });
    const full = keyClient(service, { apiKey: (await create(['admin:*'])).apiKey });
    const { apiKey } = await create(['instances:read', 'instances:write']);
    const narrow = keyClient(service, { apiKey });
    const other = await full.instances.create({ name: 'Second' });
    const counts = async ({ instances }: DocumentVault) => [
      (await instances.list()).pagination.totalCount,
      (await instances.statistics()).instances,
    ];
    return {
      full: await counts(full),
      narrow: await counts(narrow),
      failures: [
        (await failure(narrow.instances.get(other.id))).code,
        (await failure(narrow.instances.update(other.id, { name: 'A' }))).code,
      ],
      unchanged: (await full.instances.get(other.id)).name,
    };
  },

  async 'changes of accounts by an administrator'(service) {
    const email = 'admin@example.com';
    const admin = await service.createAccount({
      email,
      role: 'admin',
      scopes: ['admin:*', 'users:write'],
    });
    const { users } = keyClient(service, { apiKey: admin.apiKey });
    const { id } = service.account;
    const found = async (query: Parameters<typeof users.list>[0]) =>
      (await users.list(query)).data.map((user) => user.email);
    const { tier, status } = await users.update(id, { tier: 'paid', status: 'suspended' });
    return {
      changed: [tier, status, (await users.get(id)).status],
      lists: [
        await found({ tier: 'paid' }),
        await found({ role: 'admin', search: email.toUpperCase() }),
        await found({ status: 'suspended', sortBy: 'email' }),
      ],
      failures: [
        await failure(keyClient(service).users.me()),
        await failure(users.update(admin.id, { role: 'user' })),
        await failure(users.update(admin.id, { status: 'suspended' })),
        await failure(users.delete({ password: admin.password })),
        await failure(users.get('unknown')),
      ],
    };
  },

  async 'OAuth clients of another account, for an administrator'(service) {
    const { apiKey, email, password } = await service.createAccount({
      role: 'admin',
      scopes: ['admin:*'],
    });
    const session = clientOf(service);
    await session.auth.login({ email, password });
    const owner = clientOf(service);
    await owner.auth.login(credentials);
    const own = createOAuthClients(owner);
    const { clientId } = await own.create(oauthClient);
    const stateOf = async () => {
      const { name, redirectUris, scopes, grantTypes, requirePar, disabled, verified } =
        await own.get(clientId);
      return { name, redirectUris, scopes, grantTypes, requirePar, disabled, verified };
    };
    const results: unknown[] = [await stateOf()];
    for (const caller of [keyClient(service, { apiKey }), session]) {
      const clients = createOAuthClients(caller);
      for (const changes of takeovers)
        results.push(await failure(clients.update(clientId, changes)));
      results.push(await failure(clients.rotateSecret(clientId)), await stateOf());
      await clients.update(clientId, { disabled: true, verified: true });
      results.push(await stateOf());
      await clients.update(clientId, { disabled: false, verified: false });
    }
    await createOAuthClients(session).delete(clientId);
    return [...results, (await failure(own.get(clientId))).code];
  },

  async 'values that the service rejects'(service) {
    const { account } = service;
    const messageOf = async (create: () => unknown) =>
      rejection((async () => create())()).then((error) => (error as Error).message);
    return [
      await messageOf(() => service.createAccount({ email: account.email })),
      await messageOf(() => service.createAccount({ password: 'short' })),
      await messageOf(() => account.createVault({ name: '' })),
      await messageOf(() => account.createDocument({ vaultId: 'missing' })),
      await messageOf(() => service.fault('error', { operations: 'paint' as never })),
      await messageOf(() => service.fault('stall', { times: 0 })),
      await messageOf(() => service.fault('delay', { milliseconds: -1 })),
      await messageOf(() => service.fault('drop' as never)),
    ];
  },

  async 'expired tokens that can be refreshed'(service) {
    const client = clientOf(service);
    await client.auth.login(credentials);
    service.clock.advance(1_000);
    const fault = service.fault('expireTokens');
    await client.users.me();
    await client.users.me();
    return fault.calls;
  },

  async 'expired tokens that cannot be refreshed'(service) {
    const client = clientOf(service);
    await client.auth.login(credentials);
    const fault = service.fault('expireTokens', { refresh: 'fails' });
    const failures = [await failure(client.users.me())];
    service.clock.advance(1_000);
    await client.auth.login(credentials);
    await client.users.me();
    return { failures, calls: fault.calls };
  },

  async 'tokens that expire by the clock'(service) {
    const paths: string[] = [];
    const client = clientOf(service, { onRequest: ({ path }) => paths.push(path) });
    await client.auth.login(credentials);
    service.clock.advance(3_600_000);
    await client.users.me();
    return paths;
  },

  async 'a stall and a delay'(service) {
    const client = keyClient(service);
    const results: unknown[] = [];
    for (const kind of ['stall', 'delay'] as const) {
      const fault = service.fault(kind, { operations: 'createVault' });
      const creating = client.vaults.create({ name: kind });
      await until(() => fault.calls === 1);
      results.push(await vaultCount(client));
      fault.restore();
      results.push((await creating).name, await vaultCount(client));
    }
    const delay = service.fault('delay', { operations: 'createVault', milliseconds: 60_000 });
    const late = client.vaults.create({ name: 'late' });
    await until(() => delay.calls === 1);
    service.clock.advance(60_000);
    return [...results, (await late).name];
  },

  async 'a reset'(service) {
    const client = keyClient(service);
    await service.account.createVault();
    const other = await service.createAccount();
    const fault = service.fault('error', { times: Number.POSITIVE_INFINITY });
    await service.reset();
    const removed = await failure(keyClient(service, { apiKey: other.apiKey }).users.me());
    await clientOf(service).auth.login(credentials);
    const { name } = await service.account.createVault({ name: 'New' });
    return { vaults: await vaultCount(client), removed, calls: fault.calls, name };
  },
};

for (const [kind, options] of requestFaults) {
  scenarios[`the fault ${kind} with ${JSON.stringify(options)}`] = async (service) => {
    const client = keyClient(service);
    const fault = service.fault(kind, options);
    const failures = [await failure(client.vaults.create({ name: 'A' }, { idempotencyKey: 'a' }))];
    fault.restore();
    // A client keeps to the rate limit that it was told.
    const { calls } = fault;
    const next = keyClient(service, { maxRetries: 2 });
    const { response } = await next.vaults
      .create({ name: 'A' }, { idempotencyKey: 'a' })
      .withResponse();
    const replayed = response.headers.get('idempotency-replayed');
    return { failures, calls, replayed, vaults: await vaultCount(next) };
  };

  scenarios[`a client with retries during the fault ${kind} with ${JSON.stringify(options)}`] =
    async (service) => {
      const reasons: string[] = [];
      const onRetry = ({ reason }: { readonly reason: string }) => reasons.push(reason);
      const client = keyClient(service, { maxRetries: 2, maxRetryAfter: 100_000, onRetry });
      const fault = service.fault(kind, options);
      const outcome = await client.vaults.create({ name: 'A' }).then(
        ({ name }) => name,
        (error: ApiError) => error.code,
      );
      return { outcome, reasons, calls: fault.calls };
    };
}

describe('the test kit and the test server behave alike', () => {
  test.each(Object.entries(scenarios))('%s give the same results', async (_, scenario) => {
    const expected = await withServer(scenario);
    expect(expected).toBeDefined();
    expect(await withKit(scenario)).toEqual(expected);
  });
});
