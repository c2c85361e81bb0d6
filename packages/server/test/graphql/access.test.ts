import { describe, expect, test } from 'vitest';
import { userScopes } from '../../src/domain/access.ts';
import { dataFolder, everyRow, inDatabase } from '../data-folder.ts';
import { newDocument, newKey, newShare, newVault } from '../resources.ts';
import { startTestServer } from '../server.ts';
import { newWorld, type World } from '../world.ts';
import { ask, dataOf, refusedWith } from './asking.ts';

/** Every field with a scope of its own, and something that asks for it and nothing else. */
const fields: readonly (readonly [scope: string, query: (world: World) => string])[] = [
  ['users:read', () => '{ me { id } }'],
  ['vaults:read', () => '{ vaults { data { id } } }'],
  ['vaults:read', ({ vaultId }) => `{ vault(id: "${vaultId}") { id } }`],
  ['documents:read', () => '{ documents { data { id } } }'],
  ['documents:read', ({ documentId }) => `{ document(id: "${documentId}") { id } }`],
  ['instances:read', () => '{ instances { data { id } } }'],
  ['consents:read', () => '{ consents { data { id } } }'],
  ['webhooks:read', () => '{ webhooks { data { deliveries { data { id } } } } }'],
  ['webhooks:read', ({ webhookId }) => `{ webhook(id: "${webhookId}") { id } }`],
  ['vaults:write', () => 'mutation { createVault(input: { name: "Taxes" }) { id } }'],
  [
    'vaults:write',
    (w) => `mutation { updateVault(id: "${w.vaultId}", input: { name: "x" }) { id } }`,
  ],
  [
    'documents:write',
    (w) => `mutation { updateDocument(id: "${w.documentId}", input: { fileName: "x" }) { id } }`,
  ],
  ['documents:share', (w) => `mutation { shareDocument(documentId: "${w.documentId}") { id } }`],
  [
    'consents:write',
    () => 'mutation { createConsent(input: { purpose: "x", grantedTo: "y" }) { id } }',
  ],
  [
    'consents:write',
    (w) => `mutation { updateConsent(id: "${w.consentId}", input: { description: "x" }) { id } }`,
  ],
  [
    'webhooks:write',
    () =>
      'mutation { createWebhook(input: { url: "http://127.0.0.1:9/", events: ["vault.created"], secret: "a secret of these tests, long enough" }) { id } }',
  ],
  [
    'webhooks:write',
    (w) => `mutation { updateWebhook(id: "${w.webhookId}", input: { active: false }) { id } }`,
  ],
  ['webhooks:write', (w) => `mutation { deleteWebhook(id: "${w.webhookId}") }`],
  ['vaults:write', (w) => `mutation { deleteVault(id: "${w.vaultId}") }`],
];

describe('the scopes', () => {
  test('of every field are those of REST: with it alone it answers, with all others it does nothing', async () => {
    const server = await startTestServer({ enterpriseRequestsPerMinute: 100_000 });
    const { call: owner } = await server.signUp('owner@example.com');
    const world = await newWorld(server, owner);
    for (const [scope, query] of fields) {
      const others = await newKey(
        owner,
        userScopes.filter((other) => other !== scope),
      );
      const eventsBefore = (await server.events()).length;
      const refused = await ask(server.withKey(others.key), query(world));
      expect(refused, query(world)).toMatchObject(
        refusedWith(403, 'INSUFFICIENT_PERMISSIONS', { requiredScopes: [scope] }),
      );
      expect(await server.events()).toHaveLength(eventsBefore);
      const alone = await newKey(owner, [scope]);
      await dataOf(server.withKey(alone.key), query(world));
    }
  });

  test('of nested fields are asked for before anything is done, and every missing one is named', async () => {
    const server = await startTestServer();
    const { call: owner } = await server.signUp('owner@example.com');
    const { key } = await newKey(owner, ['vaults:read', 'vaults:write']);
    const call = server.withKey(key);
    const nested = `documents { data { id mine: shares { data { id } } } }`;
    const refused = await ask(
      call,
      `mutation { createVault(input: { name: "x" }) { id ${nested} } }`,
    );
    expect(refused.status).toBe(403);
    expect(refused.body).not.toHaveProperty('data');
    expect(refused.body.errors).toMatchObject([
      {
        path: ['createVault', 'documents'],
        locations: [{ line: 1 }],
        extensions: { details: { requiredScopes: ['documents:read'] } },
      },
      {
        path: ['createVault', 'documents', 'data', 'mine'],
        extensions: { details: { requiredScopes: ['documents:share'] } },
      },
    ]);
    expect(await dataOf(call, '{ vaults { data { id } } }')).toEqual({ vaults: { data: [] } });
    const skipped = `query($all: Boolean!) { vaults { data { id documents @include(if: $all) { data { id } } } } }`;
    expect((await ask(call, skipped, { variables: { all: false } })).status).toBe(200);
    expect((await ask(call, skipped, { variables: { all: true } })).status).toBe(403);
  });
});

describe('what belongs to another account', () => {
  test('is not there, is not changed, and stands in no list', async () => {
    const folder = await dataFolder();
    const server = await startTestServer({ data: folder, enterpriseRequestsPerMinute: 100_000 });
    const { call: owner } = await server.signUp('owner@example.com');
    const world = await newWorld(server, owner);
    const { call } = await server.signUp('ada@example.com');
    const { vaultId, documentId, consentId, webhookId, deliveryId } = world;
    const absent: readonly (readonly [query: string, details: object])[] = [
      [`{ vault(id: "${vaultId}") { id } }`, { vaultId }],
      [`{ document(id: "${documentId}") { id } }`, { documentId }],
      [`{ webhook(id: "${webhookId}") { id } }`, { webhookId }],
      [`mutation { updateVault(id: "${vaultId}", input: { name: "mine" }) { id } }`, { vaultId }],
      [`mutation { deleteVault(id: "${vaultId}") }`, { vaultId }],
      [
        `mutation { updateDocument(id: "${documentId}", input: { fileName: "mine" }) { id } }`,
        { documentId },
      ],
      [`mutation { shareDocument(documentId: "${documentId}") { id } }`, { documentId }],
      [
        `mutation { updateConsent(id: "${consentId}", input: { status: revoked }) { id } }`,
        { consentId },
      ],
      [
        `mutation { updateWebhook(id: "${webhookId}", input: { active: false }) { id } }`,
        { webhookId },
      ],
      [`mutation { deleteWebhook(id: "${webhookId}") }`, { webhookId }],
      [
        `mutation { retryDelivery(webhookId: "${webhookId}", deliveryId: "${deliveryId}") { id } }`,
        { webhookId },
      ],
    ];
    const before = await server.events();
    for (const [query, details] of absent) {
      const answer = await ask(call, query);
      expect(answer, query).toMatchObject(refusedWith(200, 'NOT_FOUND', details));
      expect(Object.values(answer.body.data ?? {})).toEqual(answer.body.data ? [null] : []);
    }
    const lists =
      '{ vaults { data { id } } documents { data { id } } consents { data { id } } webhooks { data { id } } }';
    const none = { data: [] };
    expect(await dataOf(call, lists)).toEqual({
      vaults: none,
      documents: none,
      consents: none,
      webhooks: none,
    });
    expect(await dataOf(call, `{ documents(vaultId: "${vaultId}") { data { id } } }`)).toEqual({
      documents: none,
    });
    expect(await server.events()).toEqual(before);
    await server.close();
    expect(everyRow(folder).vaults).toHaveLength(1);
  });

  test('is there for an administrator', async () => {
    const folder = await dataFolder();
    const first = await startTestServer({ data: folder });
    const vault = await newVault(first.developer);
    const document = await newDocument(first.developer, vault.id);
    await newShare(first.developer, document.id);
    const admin = await first.signUp('admin@example.com');
    await first.close();
    inDatabase(folder, (database) =>
      database.exec(`UPDATE users SET role = 'admin' WHERE email = 'admin@example.com'`),
    );
    const server = await startTestServer({ data: folder });
    const data = await dataOf(
      await server.signIn(admin),
      '{ vaults { data { id documents { data { id vault { id } shares { data { id } } } } } } }',
    );
    expect(data.vaults.data).toMatchObject([
      {
        id: vault.id,
        documents: { data: [{ id: document.id, vault: { id: vault.id }, shares: { data: [{}] } }] },
      },
    ]);
  });
});

describe('who may not ask at all', () => {
  const query = '{ me { id } }';

  test('learns it in the form of GraphQL, with the status of REST', async () => {
    const server = await startTestServer();
    const ada = await server.signUp('ada@example.com');
    const callers = [
      [server.anonymous, 401, 'MISSING_AUTH'],
      [server.withKey(`service_sk_${'a'.repeat(40)}`), 401, 'INVALID_API_KEY'],
      [server.withToken('rubbish'), 401, 'INVALID_TOKEN'],
    ] as const;
    for (const [call, status, code] of callers) {
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const refused = await ask(call, query, { headers: { accept } });
        expect(refused).toMatchObject(refusedWith(status, code));
        expect(refused.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
        expect(refused.body).not.toHaveProperty('data');
      }
    }
    server.clock.advance(60 * 60 * 1000);
    expect(await ask(ada.call, query)).toMatchObject(refusedWith(401, 'EXPIRED_TOKEN'));
  });

  test('is a suspended account, or a blocked address', async () => {
    const folder = await dataFolder();
    const first = await startTestServer({ data: folder });
    await first.close();
    inDatabase(folder, (database) => database.exec(`UPDATE users SET status = 'suspended'`));
    const server = await startTestServer({ data: folder });
    expect(await ask(server.developer, query)).toMatchObject(refusedWith(403, 'ACCOUNT_SUSPENDED'));
    await server.close();
    const blocking = await startTestServer({ blockedAddresses: ['127.0.0.1/32'] });
    expect(await ask(blocking.developer, query)).toMatchObject(refusedWith(403, 'IP_BLOCKED'));
  });
});
