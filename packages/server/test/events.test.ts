import { describe, expect, test } from 'vitest';
import { dataFolder, makeAdmin } from './support/data-folder.ts';
import { documentOf, newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { type Reply, startTestServer, type TestServerOptions } from './support/server.ts';
import { everyType, listen, secret } from './support/webhook-events.ts';

interface Expected {
  readonly type: string;
  /** The response to the request that caused the event. */
  readonly by: Reply;
  readonly at: number;
  readonly data: object;
  readonly userId: string | null;
  readonly instanceId: string;
}

/** Compares the complete event, so that it has neither missing nor additional fields. */
function expectEvent(event: unknown, { type, by, at, data, userId, instanceId }: Expected): void {
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    type,
    timestamp: new Date(at).toISOString(),
    apiVersion: 'v1',
    data,
    context: {
      userId,
      instanceId,
      requestId: by.headers.get('x-request-id'),
      ipAddress: '127.0.0.1',
    },
  });
}

/** Starts a server with a webhook of the development account for every event type. */
async function startWithWebhook(options: TestServerOptions = {}) {
  const server = await startTestServer(options);
  const me = (await server.developer('GET', '/api/v1/users/me')).body;
  const webhook = await listen({ server, call: server.developer });
  /** Requires that exactly this event was delivered since the last call. */
  async function reported(type: string, by: Reply, data: object, userId = me.id): Promise<void> {
    const events = await webhook.events();
    expect(events).toHaveLength(1);
    const { instanceId } = me;
    expectEvent(events[0], { type, by, at: server.clock.now(), data, userId, instanceId });
  }
  return { ...server, me, webhook, reported };
}

describe('events of vaults', () => {
  test('POST, PUT and DELETE emit vault.created, vault.updated with the changes, and vault.deleted', async () => {
    const { developer, clock, reported } = await startWithWebhook();
    const created = await developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
    await reported('vault.created', created, { object: created.body });

    const path = `/api/v1/vaults/${created.body.id}`;
    const updates: [object, string[], object][] = [
      [{ name: 'Taxes 2025' }, ['name'], { name: 'Taxes' }],
      [{ description: 'new', name: 'Taxes 2025' }, ['description'], { description: null }],
      [
        { isActive: false, category: 'personal', name: 'Old' },
        ['name', 'category', 'isActive'],
        { name: 'Taxes 2025', category: null, isActive: true },
      ],
      [{ description: null }, ['description'], { description: 'new' }],
    ];
    for (const [body, changes, previous] of updates) {
      clock.advance(1000);
      const changed = await developer('PUT', path, { body });
      await reported('vault.updated', changed, { object: changed.body, changes, previous });
    }
    const deleted = await developer('DELETE', path);
    await reported('vault.deleted', deleted, { object: { id: created.body.id, documentCount: 0 } });
  });
});

/** A document as events show it, which name no path of this server. */
function withoutUrl({ contentUrl: _, ...document }: { contentUrl?: unknown }) {
  return document;
}

describe('events of documents', () => {
  test('document.uploaded, updated and deleted have only algorithm and keyDerivation as encryptionMetadata', async () => {
    const { developer, clock, reported, webhook } = await startWithWebhook();
    const vault = await newVault(developer);
    const other = await newVault(developer);
    await webhook.events();
    const body = documentOf(vault.id, 'ciphertext');
    const uploaded = await developer('POST', '/api/v1/documents', { body });
    const encryptionMetadata = { algorithm: 'AES-256-GCM', keyDerivation: 'PBKDF2' };
    await reported('document.uploaded', uploaded, {
      object: { ...withoutUrl(uploaded.body), encryptionMetadata },
    });

    const { id } = uploaded.body;
    const path = `/api/v1/documents/${id}`;
    const { fileName, mimeType } = body;
    const renamed = { fileName: 'new.txt', mimeType: 'text/plain' };
    const updates: [object, string[], object][] = [
      [renamed, ['fileName', 'mimeType'], { fileName, mimeType }],
      [{ vaultId: other.id, fileName: 'new.txt' }, ['vaultId'], { vaultId: vault.id }],
    ];
    for (const [change, changes, previous] of updates) {
      clock.advance(1000);
      const changed = await developer('PUT', path, { body: change });
      const object = { ...withoutUrl(changed.body), encryptionMetadata };
      const data = { object, changes, previous };
      await reported('document.updated', changed, data);
    }
    const deleted = await developer('DELETE', path);
    await reported('document.deleted', deleted, { object: { id, vaultId: other.id } });
  });

  test('document.uploaded has no keyDerivation for a document whose metadata has none', async () => {
    const { developer, reported, webhook } = await startWithWebhook();
    const vault = await newVault(developer);
    await webhook.events();
    const metadata = { algorithm: 'X', iv: 'QUJD', authTag: 'QUJD', note: 'private' };
    const body = documentOf(vault.id, '', { encryptionMetadata: metadata });
    const uploaded = await developer('POST', '/api/v1/documents', { body });
    const object = { ...withoutUrl(uploaded.body), encryptionMetadata: { algorithm: 'X' } };
    await reported('document.uploaded', uploaded, { object });
  });

  test('document.shared and document.share.accessed by the owner, another account and an anonymous client', async () => {
    const { developer, anonymous, signUp, clock, me, reported, webhook } = await startWithWebhook();
    const vault = await newVault(developer);
    const { id } = await newDocument(developer, vault.id);
    const other = await signUp('other@example.com');
    await webhook.events();
    const terms = { access: 'anyone', maxAccessCount: 5 };
    const shared = await developer('POST', `/api/v1/documents/${id}/share`, { body: terms });
    const { shareToken, ...share } = shared.body;
    await reported('document.shared', shared, { object: share });

    const callers = [
      [developer, me.id],
      [other.call, other.userId],
      [anonymous, null],
    ] as const;
    for (const [index, [caller, userId]] of callers.entries()) {
      clock.advance(1000);
      const headers = { 'user-agent': `reader ${index}` };
      const opened = await caller('GET', `/shares/${shareToken}`, { headers });
      const object = {
        shareId: share.id,
        documentId: id,
        accessCount: index + 1,
        accessedAt: new Date(clock.now()).toISOString(),
        ipAddress: '127.0.0.1',
        userAgent: `reader ${index}`,
      };
      await reported('document.share.accessed', opened, { object }, userId);
    }
  });
});

describe('events of users', () => {
  test('user.login is delivered to the webhooks of the account', async () => {
    const { anonymous, account, clock, me, reported } = await startWithWebhook();
    clock.advance(1000);
    const { email, password } = account ?? {};
    const options = { body: { email, password }, headers: { 'user-agent': 'browser' } };
    const loggedIn = await anonymous('POST', '/auth/login', options);
    const object = {
      userId: me.id,
      email,
      method: 'password',
      ipAddress: '127.0.0.1',
      userAgent: 'browser',
      loggedInAt: new Date(clock.now()).toISOString(),
    };
    await reported('user.login', loggedIn, { object });
  });

  test('user.created is delivered to administrators with the new user as its actor', async () => {
    const folder = await dataFolder();
    const before = await startTestServer({ data: folder });
    const admin = await before.signUp('admin@example.com');
    await before.close();
    makeAdmin(folder, admin.email);

    const server = await startTestServer({ data: folder });
    const call = await server.signIn(admin);
    const webhook = await listen({ server, call });
    const body = { email: 'new@example.com', password: 'a long password', name: 'New' };
    const registered = await server.anonymous('POST', '/auth/register', { body });
    const [event, ...others] = await webhook.events();
    expect(others).toEqual([]);
    expectEvent(event, {
      type: 'user.created',
      by: registered,
      at: server.clock.now(),
      data: { object: registered.body },
      userId: registered.body.id,
      instanceId: registered.body.instanceId,
    });
  });
});

describe('secrets in events', () => {
  test('no event contains ciphertext, encryption parameters, tokens, passwords or keys', async () => {
    const server = await startTestServer();
    const { developer, anonymous, account, withToken } = server;
    const webhook = await listen({
      server,
      call: developer,
      fields: { headers: { 'X-Own': 'a' } },
    });
    const vault = await newVault(developer);
    const body = documentOf(vault.id, 'the ciphertext');
    const document = await developer('POST', '/api/v1/documents', { body });
    const path = `/api/v1/documents/${document.body.id}`;
    await developer('PUT', path, { body: { fileName: 'b' } });
    const { shareToken } = await newShare(developer, document.body.id);
    await developer('GET', `/shares/${shareToken}`);
    const { email, password, apiKey } = account ?? {};
    const session = await anonymous('POST', '/auth/login', { body: { email, password } });
    const { accessToken, refreshToken } = session.body;
    const { key } = await newKey(withToken(accessToken), ['vaults:read']);
    await developer('DELETE', path);
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);

    await server.settled();
    const reported = webhook.requests.map((request) => request.body.toString('utf8'));
    expect(reported).toHaveLength(8);
    const { iv, authTag, salt } = body.encryptionMetadata;
    const secrets = [body.encryptedData, iv, authTag, salt, shareToken, secret, key];
    for (const text of [...secrets, password, apiKey, accessToken, refreshToken]) {
      for (const event of reported) expect(event).not.toContain(text);
    }
  });
});

test('POST /webhooks accepts every event type of the contract', async () => {
  const { developer } = await startTestServer();
  expect(everyType).toHaveLength(22);
  for (const type of everyType) {
    const body = { url: 'http://127.0.0.1:9/', events: [type], secret };
    const created = await developer('POST', '/api/v1/webhooks', { body });
    expect(created).toMatchObject({ status: 201, body: { events: [type] } });
  }
});
