import { describe, expect, test } from 'vitest';
import { dataFolder, makeAdmin } from './support/data-folder.ts';
import { documentOf, newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type).toSorted();

describe('recipients of an event', () => {
  test('are the webhooks of the account that owns the resource, and not of other accounts', async () => {
    const server = await startTestServer();
    const { developer, signUp } = server;
    const stranger = await signUp('stranger@example.com');
    const own = await listen({ server, call: developer });
    const foreign = await listen({ server, call: stranger.call });
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const { shareToken } = await newShare(developer, document.id);
    expect(await stranger.call('GET', `/shares/${shareToken}`)).toMatchObject({ status: 200 });
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);

    expect(typesOf(await own.events())).toEqual([
      'document.share.accessed',
      'document.shared',
      'document.uploaded',
      'vault.created',
      'vault.deleted',
    ]);
    expect(await foreign.events()).toEqual([]);
    await newVault(stranger.call);
    await server.signIn(stranger);
    expect(typesOf(await foreign.events())).toEqual(['user.login', 'vault.created']);
    expect(await own.events()).toEqual([]);
  });

  test('are all webhooks that subscribe to the type when it occurs, with the same body', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const early = await newVault(developer);
    const first = await listen({ server, call: developer, events: ['vault.created'] });
    const second = await listen({ server, call: developer });
    const other = await listen({ server, call: developer, events: ['vault.deleted'] });
    const vault = await newVault(developer);
    await server.settled();
    const [firstRequest, secondRequest] = [first.requests[0], second.requests[0]];
    expect(firstRequest?.body).toEqual(secondRequest?.body);
    expect(firstRequest?.headers['x-service-delivery-id']).not.toBe(
      secondRequest?.headers['x-service-delivery-id'],
    );

    expect(await first.events()).toMatchObject([{ data: { object: { id: vault.id } } }]);
    expect(await second.events()).toMatchObject([{ type: 'vault.created' }]);
    expect(await other.events()).toEqual([]);
    await developer('DELETE', `/api/v1/vaults/${early.id}`);
    expect(await first.events()).toEqual([]);
    expect(await other.events()).toMatchObject([{ data: { object: { id: early.id } } }]);
  });

  test('include the webhooks of administrators for resources of every account', async () => {
    const folder = await dataFolder();
    const before = await startTestServer({ data: folder });
    const admin = await before.signUp('admin@example.com');
    await before.close();
    makeAdmin(folder, admin.email);

    const server = await startTestServer({ data: folder });
    const { developer, signIn, signUp } = server;
    const call = await signIn(admin);
    const all = await listen({ server, call });
    const own = await listen({ server, call: developer });
    const vault = await newVault(developer);
    const stranger = await signUp('stranger@example.com');
    await newVault(stranger.call);
    await newVault(call);
    expect(typesOf(await all.events())).toEqual([
      'user.created',
      'user.login',
      'vault.created',
      'vault.created',
      'vault.created',
    ]);
    expect(await own.events()).toMatchObject([{ data: { object: { id: vault.id } } }]);

    const path = `/api/v1/vaults/${vault.id}`;
    await call('PUT', path, { body: { name: 'By the administrator' } });
    const expected = {
      type: 'vault.updated',
      data: { object: { userId: vault.userId } },
      context: { userId: admin.userId },
    };
    expect(await all.events()).toMatchObject([expected]);
    expect(await own.events()).toMatchObject([expected]);
  });
});

describe('context.ipAddress of an event', () => {
  test('is the forwarded address when the request comes from a trusted proxy', async () => {
    const server = await startTestServer({ trustedProxies: ['127.0.0.1'] });
    const { developer } = server;
    const webhook = await listen({ server, call: developer });
    await developer('POST', '/api/v1/vaults', {
      body: { name: 'x' },
      headers: { 'x-forwarded-for': '192.0.2.1, 203.0.113.24' },
    });
    const [event] = await webhook.events();
    expect(event.context.ipAddress).toBe('203.0.113.24');
  });

  test('ignores X-Forwarded-For of other clients', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const webhook = await listen({ server, call: developer });
    await developer('POST', '/api/v1/vaults', {
      body: { name: 'x' },
      headers: { 'x-forwarded-for': '203.0.113.24' },
    });
    const [event] = await webhook.events();
    expect(event.context.ipAddress).toBe('127.0.0.1');
  });
});

test('failed requests emit no event', async () => {
  const server = await startTestServer();
  const { developer, anonymous, account, signUp, withKey } = server;
  const stranger = await signUp('stranger@example.com');
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id);
  const share = await newShare(developer, document.id);
  const { key } = await newKey(stranger.call, ['vaults:read']);
  const own = await listen({ server, call: developer });
  const foreign = await listen({ server, call: stranger.call });

  const vaultPath = `/api/v1/vaults/${vault.id}`;
  const path = `/api/v1/documents/${document.id}`;
  const wrongSize = documentOf(vault.id, 'x', { sizeBytes: 2 });
  const tooLate = { expiresAt: '2025-01-01T00:00:00Z' };
  const failures = [
    developer('POST', '/api/v1/vaults', { body: {} }),
    developer('PUT', vaultPath, { body: { name: '' } }),
    developer('DELETE', '/api/v1/vaults/unknown'),
    developer('POST', '/api/v1/documents', { body: wrongSize }),
    developer('POST', '/api/v1/documents', { body: documentOf('unknown', 'x') }),
    developer('PUT', path, { body: { vaultId: 'unknown' } }),
    developer('POST', `${path}/share`, { body: tooLate }),
    developer('GET', '/shares/unknown'),
    anonymous('GET', `/shares/${share.shareToken}`),
    anonymous('POST', '/api/v1/vaults', { body: { name: 'x' } }),
    withKey(key)('POST', '/api/v1/vaults', { body: { name: 'x' } }),
    stranger.call('PUT', vaultPath, { body: { name: 'x' } }),
    stranger.call('DELETE', vaultPath),
    stranger.call('DELETE', path),
    stranger.call('POST', `${path}/share`, { body: {} }),
    anonymous('POST', '/auth/login', { body: { email: account?.email, password: 'wrong' } }),
  ];
  for (const failure of failures) expect((await failure).status).toBeGreaterThanOrEqual(400);
  expect(await own.events()).toEqual([]);
  expect(await foreign.events()).toEqual([]);
});
