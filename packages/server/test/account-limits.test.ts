import { describe, expect, test } from 'vitest';
import { command } from './support/command-line.ts';
import { dataFolder } from './support/data-folder.ts';
import { invalid } from './support/replies.ts';
import {
  clientOf,
  documentOf,
  newConsent,
  newDocument,
  newShare,
  newVault,
} from './support/resources.ts';
import {
  type Caller,
  type Reply,
  startTestServer,
  type TestServerOptions,
} from './support/server.ts';
import { begin } from './support/uploads.ts';

/** From one sweep to the next, in milliseconds. */
const sweepInterval = 60_000;

const webhook = {
  url: 'https://example.com/hook',
  events: ['vault.created'],
  secret: 'a secret of the tests, 32 and more',
};

const tiers = (limit: number) => ({ free: limit, paid: 1000, enterprise: 1000 });

/** Starts a server whose accounts have the free tier, without its rate limits. */
function startFree(options: TestServerOptions = {}) {
  const unlimited = {
    requestsPerMinute: { free: 1_000_000 },
    requestsPerHour: { free: 1_000_000 },
  };
  return startTestServer({ defaultTier: 'free', ...unlimited, ...options });
}

async function usageOf(call: Caller) {
  return (await call('GET', '/api/v1/users/me')).body.usage;
}

/** Stores a content of this length, and returns the path whose deletion removes it. */
async function deletable(kind: string, call: Caller, vaultId: string, bytes: number) {
  if (kind === 'upload') {
    const { body } = await begin(call, vaultId, bytes);
    const part = `/api/v1/uploads/${body.id}/parts/0`;
    expect((await call('PUT', part, { body: Buffer.alloc(bytes) })).status).toBe(204);
    return `/api/v1/uploads/${body.id}`;
  }
  const { id } = await newDocument(call, vaultId, Buffer.alloc(bytes));
  return kind === 'vault' ? `/api/v1/vaults/${vaultId}` : `/api/v1/documents/${id}`;
}

const accountRows = (resource: string) => ({
  status: 400,
  body: {
    error: {
      code: 'VALIDATION_ERROR',
      details: { field: 'body', constraint: 'accountRows', resource },
    },
  },
});

const accountQuota = (field = 'body') => ({
  status: 400,
  body: {
    error: {
      code: 'VALIDATION_ERROR',
      details: { field, constraint: 'accountQuota', resource: 'bytes' },
    },
  },
});

interface LimitedResource {
  readonly resource: string;
  readonly options: TestServerOptions;
  /** Prepares an account, and returns functions that create and remove one row. */
  readonly open: (call: Caller) => Promise<{
    create: () => Promise<Reply>;
    remove?: (created: Reply) => Promise<Reply>;
  }>;
}

const limitedResources: LimitedResource[] = [
  {
    resource: 'vaults',
    options: { accountVaults: tiers(3) },
    open: async (call) => ({
      create: () => call('POST', '/api/v1/vaults', { body: { name: 'Taxes' } }),
      remove: ({ body }) => call('DELETE', `/api/v1/vaults/${body.id}`),
    }),
  },
  {
    resource: 'documents',
    options: { accountDocuments: tiers(3) },
    open: async (call) => {
      const { id } = await newVault(call);
      return {
        create: () => call('POST', '/api/v1/documents', { body: documentOf(id, 'x') }),
        remove: ({ body }) => call('DELETE', `/api/v1/documents/${body.id}`),
      };
    },
  },
  {
    resource: 'shares',
    options: { accountShares: tiers(3) },
    open: async (call) => {
      const { id } = await newDocument(call, (await newVault(call)).id);
      return {
        create: () => call('POST', `/api/v1/documents/${id}/share`),
        // An owner can revoke a share but not remove it.
        remove: () => call('DELETE', `/api/v1/documents/${id}`),
      };
    },
  },
  {
    resource: 'consents',
    options: { accountConsents: tiers(3) },
    open: async (call) => ({
      create: () =>
        call('POST', '/api/v1/consents', { body: { purpose: 'Taxes', grantedTo: 'Linden' } }),
    }),
  },
  {
    resource: 'keys',
    options: { accountKeys: tiers(3) },
    open: async (call) => ({
      create: () =>
        call('POST', '/api/v1/api-keys', { body: { name: 'Key', scopes: ['vaults:read'] } }),
      remove: ({ body }) => call('DELETE', `/api/v1/api-keys/${body.keyId}`),
    }),
  },
  {
    resource: 'webhooks',
    options: { accountWebhooks: tiers(3) },
    open: async (call) => ({
      create: () => call('POST', '/api/v1/webhooks', { body: webhook }),
      remove: ({ body }) => call('DELETE', `/api/v1/webhooks/${body.id}`),
    }),
  },
  {
    resource: 'clients',
    options: { accountClients: tiers(3) },
    open: async (call) => ({
      create: () => call('POST', '/api/v1/oauth/clients', { body: clientOf() }),
      remove: ({ body }) => call('DELETE', `/api/v1/oauth/clients/${body.clientId}`),
    }),
  },
];

describe.each(limitedResources)('the account limit of $resource', ({ resource, options, open }) => {
  test('3 of 8 concurrent creations return 201, and 5 return 400 accountRows with the resource', async () => {
    const { signUp } = await startFree(options);
    const { call } = await signUp('ada@example.com');
    const { create, remove } = await open(call);
    const replies = await Promise.all(Array.from({ length: 8 }, create));
    const created = replies.filter(({ status }) => status === 201);
    expect(created).toHaveLength(3);
    const refused = replies.filter(({ status }) => status !== 201);
    for (const reply of refused) expect(reply).toMatchObject(accountRows(resource));
    expect(refused[0]?.body.error.message).toMatch(
      /^An account of the free tier may have 3 .+\. .+ or move to a higher tier\.$/,
    );
    expect((await usageOf(call))[resource]).toEqual({ used: 3, limit: 3 });

    const other = await signUp('eve@example.com');
    expect(await (await open(other.call)).create()).toMatchObject({ status: 201 });
    if (!remove || !created[0]) return;
    expect(await remove(created[0])).toMatchObject({ status: 204 });
    const { used } = (await usageOf(call))[resource];
    expect(used).toBe(resource === 'shares' ? 0 : 2);
    if (resource !== 'shares') expect(await create()).toMatchObject({ status: 201 });
  });

  test('a creation that is replayed by its Idempotency-Key counts once', async () => {
    const { signUp } = await startFree(options);
    const { call } = await signUp('ada@example.com');
    const repeated: Caller = (method, path, given) =>
      call(method, path, {
        ...given,
        headers: method === 'POST' ? { 'idempotency-key': `${path} once` } : {},
      });
    const { create } = await open(repeated);
    for (let count = 0; count < 5; count += 1) {
      expect(await create()).toMatchObject({ status: 201 });
    }
    expect((await usageOf(call))[resource].used).toBe(1);
  });
});

test('the free tier allows 10 webhooks and 20 keys by default', async () => {
  const { signUp } = await startFree();
  const { call } = await signUp('ada@example.com');
  for (let count = 0; count < 10; count += 1) {
    expect(await call('POST', '/api/v1/webhooks', { body: webhook })).toMatchObject({
      status: 201,
    });
  }
  const refused = await call('POST', '/api/v1/webhooks', { body: webhook });
  expect(refused).toMatchObject(accountRows('webhooks'));
  expect(refused.body.error.message).toBe(
    'An account of the free tier may have 10 webhooks. ' +
      'Delete webhooks that are not used, or move to a higher tier.',
  );
  expect(await usageOf(call)).toMatchObject({
    bytes: { limit: 2 ** 30 },
    vaults: { used: 0, limit: 100 },
    documents: { used: 0, limit: 10_000 },
    shares: { used: 0, limit: 1000 },
    consents: { used: 0, limit: 1000 },
    keys: { used: 0, limit: 20 },
    webhooks: { used: 10, limit: 10 },
  });
});

describe('the account limit of bytes', () => {
  /** Bytes of an empty `letter.pdf` in a vault named `V`: names and metadata. */
  async function overhead(): Promise<number> {
    const { developer } = await startFree();
    const before = (await usageOf(developer)).bytes.used;
    const { id } = await newVault(developer, { name: 'V' });
    await newDocument(developer, id, '');
    return (await usageOf(developer)).bytes.used - before;
  }

  test('counts contents, names and metadata; one byte above it returns 400 accountQuota', async () => {
    const each = await overhead();
    const { signUp, clock, settled } = await startFree({ accountQuota: tiers(each + 100) });
    // The sweep at the start would erase what is deleted below.
    await settled();
    const { call } = await signUp('ada@example.com');
    const { id } = await newVault(call, { name: 'V' });
    const upload = (size: number, fileName = 'letter.pdf') =>
      call('POST', '/api/v1/documents', {
        body: documentOf(id, Buffer.alloc(size), { fileName }),
      });
    expect(await upload(101)).toMatchObject(accountQuota('encryptedData'));
    expect(await upload(100, 'letters.pdf')).toMatchObject(accountQuota('encryptedData'));
    const created = await upload(100);
    expect(created).toMatchObject({ status: 201 });
    expect((await usageOf(call)).bytes).toEqual({ used: each + 100, limit: each + 100 });

    const path = `/api/v1/documents/${created.body.id}`;
    const rename = (fileName: string) => call('PUT', path, { body: { fileName } });
    expect(await rename('lettré.pdf')).toMatchObject(accountQuota());
    expect(await rename('report.pdf')).toMatchObject({ status: 200 });
    expect(await rename('a.pdf')).toMatchObject({ status: 200 });
    expect((await usageOf(call)).bytes.used).toBe(each + 95);
    await call('DELETE', path);
    expect((await usageOf(call)).bytes.used).toBe(1 + 100);
    expect(await upload(1)).toMatchObject(accountQuota('encryptedData'));
    clock.advance(sweepInterval);
    await settled();
    expect((await usageOf(call)).bytes.used).toBe(1);
    expect(await upload(100)).toMatchObject({ status: 201 });
  });

  test.each(['vault', 'document', 'upload'])(
    'the content of a deleted %s counts against its account until a sweep has erased it',
    async (kind) => {
      const { signUp, clock, settled } = await startFree();
      const { call } = await signUp('ada@example.com');
      const other = await signUp('bob@example.com');
      const used = async () => (await usageOf(call)).bytes.used;
      const empty = await usageOf(other.call);
      const vault = await newVault(call, { name: 'V' });
      // The first sweep, which the start begins, would erase at once what this test deletes.
      await settled();
      const path = await deletable(kind, call, vault.id, 1_000);
      const before = await used();
      expect((await call('DELETE', path)).status).toBe(204);
      expect(await used()).toBeLessThanOrEqual(before);
      expect(await used()).toBe(kind === 'vault' ? 1_000 : 1_001);
      expect(await usageOf(other.call)).toEqual(empty);
      clock.advance(sweepInterval);
      await settled();
      expect(await used()).toBe(kind === 'vault' ? 0 : 1);
      expect(await usageOf(other.call)).toEqual(empty);
    },
  );

  test('concurrent uploads fill the limit exactly and never exceed it', async () => {
    const each = await overhead();
    const { signUp } = await startFree({ accountQuota: tiers(1 + 3 * (each - 1 + 50)) });
    const { call } = await signUp('ada@example.com');
    const { id } = await newVault(call, { name: 'V' });
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        call('POST', '/api/v1/documents', { body: documentOf(id, Buffer.alloc(50)) }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    const { used, limit } = (await usageOf(call)).bytes;
    expect(used).toBe(limit);
  });

  test('above it, growing a description, metadata or headers returns 400 and shrinking returns 200', async () => {
    const data = await dataFolder();
    const before = await startFree({ data });
    const { email, password, call } = await before.signUp('ada@example.com');
    const long = 'x'.repeat(500);
    const vault = await newVault(call, { description: long });
    const consent = await newConsent(call, { metadata: { note: long } });
    const hook = await call('POST', '/api/v1/webhooks', {
      body: { ...webhook, headers: { 'x-note': long }, metadata: { note: long } },
    });
    const { used } = (await usageOf(call)).bytes;
    expect(used).toBeGreaterThan(2000);
    expect(used).toBeLessThan(2600);
    await before.close();

    const server = await startFree({ data, accountQuota: tiers(1000) });
    const later = await server.signIn({ email, password });
    expect((await usageOf(later)).bytes).toEqual({ used, limit: 1000 });
    const changes: [path: string, grown: object, shrunk: object][] = [
      [`vaults/${vault.id}`, { description: `${long}y` }, { description: null }],
      [`consents/${consent.id}`, { metadata: { note: `${long}y` } }, { metadata: {} }],
      [`webhooks/${hook.body.id}`, { headers: { 'x-note': `${long}y` } }, { headers: {} }],
    ];
    for (const [path, body] of changes) {
      expect(await later('PUT', `/api/v1/${path}`, { body })).toMatchObject(accountQuota());
    }
    for (const path of ['vaults', 'consents', 'webhooks']) {
      const body = {
        vaults: { name: 'V' },
        consents: { purpose: 'P', grantedTo: 'G' },
        webhooks: webhook,
      }[path];
      expect(await later('POST', `/api/v1/${path}`, { body })).toMatchObject(accountQuota());
    }
    const revoked = { status: 'revoked', reason: 'No longer needed' };
    const path = `/api/v1/consents/${consent.id}`;
    expect(await later('PUT', path, { body: revoked })).toMatchObject({ status: 200 });
    for (const [path, , body] of changes) {
      expect(await later('PUT', `/api/v1/${path}`, { body })).toMatchObject({ status: 200 });
    }
    const left = (await usageOf(later)).bytes.used;
    expect(left).toBeLessThan(used - 1500);
    expect(left).toBeGreaterThan(500);
    await server.close();
    expect(await command(['doctor', '--data', data])).toMatchObject({ code: 0, err: '' });
  });
});

test('an upload above both the vault quota and the account limit returns 400 vaultQuota', async () => {
  const { signUp } = await startFree({ accountQuota: tiers(200), vaultQuota: { free: 100 } });
  const { call } = await signUp('ada@example.com');
  const { id } = await newVault(call);
  const body = documentOf(id, Buffer.alloc(500));
  expect(await call('POST', '/api/v1/documents', { body })).toMatchObject(
    invalid('encryptedData', 'vaultQuota'),
  );
});

test('a revoked share still counts towards the account limit of shares', async () => {
  const { signUp } = await startFree({ accountShares: tiers(1) });
  const { call } = await signUp('ada@example.com');
  const document = await newDocument(call, (await newVault(call)).id);
  const share = await newShare(call, document.id);
  await call('DELETE', `/api/v1/documents/${document.id}/shares/${share.id}`);
  expect(await call('POST', `/api/v1/documents/${document.id}/share`)).toMatchObject(
    accountRows('shares'),
  );
});

test('GET /users/me, PUT /users/me and the me field of GraphQL return the same usage', async () => {
  const { developer } = await startTestServer();
  await newVault(developer);
  const usage = await usageOf(developer);
  expect(usage.vaults).toEqual({ used: 1, limit: 100_000 });
  const put = await developer('PUT', '/api/v1/users/me', { body: { name: 'Ada' } });
  expect(put.body.usage).toEqual(usage);
  const fields = Object.keys(usage).map((name) => `${name} { used limit }`);
  const query = `{ me { usage { ${fields.join(' ')} } } }`;
  const { body } = await developer('POST', '/graphql', { body: { query } });
  expect(body.data.me.usage).toEqual(usage);
});
