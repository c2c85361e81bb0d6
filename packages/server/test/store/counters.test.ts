import fc from 'fast-check';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { searchIndexProblems } from '../../src/store/sqlite/snapshot.ts';
import type { Repositories } from '../../src/store/store.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { counterProblems } from '../support/store/counters.ts';
import {
  clientRecord,
  documentRecord,
  insertDocument,
  vaultRecord,
} from '../support/store/records.ts';

// Few names, so that a step often finds its row. A step without a row has no effect.
const users = ['user-a', 'user-b'];
const vaultIds = ['vault-0', 'vault-1', 'vault-2', 'vault-3'];
const documentIds = Array.from({ length: 8 }, (_, index) => `document-${index}`);

const step = fc.record({
  kind: fc.constantFrom(
    'putVault',
    'putVault',
    'putDocument',
    'putDocument',
    'putDocument',
    'deleteVault',
    'deleteDocument',
    'deleteUser',
    'erase',
    'erase',
    'putShare',
    'deleteShares',
    'putConsent',
    'putWebhook',
    'deleteWebhook',
    'putUpload',
    'deleteUploads',
    'putClient',
    'deleteClient',
    'putKey',
    'revokeKey',
    'removeKeys',
  ),
  userId: fc.constantFrom(...users),
  vaultId: fc.constantFrom(...vaultIds),
  id: fc.constantFrom(...documentIds),
  category: fc.constantFrom(null, 'personal', 'health'),
  isActive: fc.boolean(),
  mimeType: fc.constantFrom('text/plain', 'image/png'),
  fileName: fc.constantFrom('letter', 'picture'),
  sizeBytes: fc.nat(3),
});

/** Ids by name. The id of a deleted row is not used again. */
const current = new Map<string, string>();
let made = 0;

function idOf(name: string): string {
  return current.get(name) ?? renew(name);
}

function renew(name: string): string {
  made += 1;
  current.set(name, `${name}.${made}`);
  return `${name}.${made}`;
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function putVault(tx: Repositories, database: TestDatabase, change: Step): Promise<void> {
  const { vaultId, category, isActive } = change;
  const known = await tx.vaults.find(idOf(vaultId));
  if (known) return tx.vaults.save({ ...known, category, isActive });
  const owner = { ...database.owner, userId: idOf(change.userId) };
  await tx.vaults.insert(vaultRecord({ owner }, renew(vaultId), { category, isActive }));
}

async function putDocument(tx: Repositories, change: Step): Promise<void> {
  const { mimeType, fileName, sizeBytes } = change;
  const vault = await tx.vaults.find(idOf(change.vaultId));
  if (!vault) return;
  const known = await tx.documents.find(idOf(change.id));
  if (known) {
    if (known.userId !== vault.userId) return;
    await tx.documents.save({ ...known, vaultId: vault.id, mimeType, fileName });
  } else {
    const document = documentRecord(vault, { id: renew(change.id), mimeType, fileName, sizeBytes });
    await insertDocument(tx, document);
  }
}

async function deleteDocument(tx: Repositories, id: string): Promise<void> {
  const document = await tx.documents.find(idOf(id));
  if (!document) return;
  await tx.documents.delete(document.id);
}

async function putShare(tx: Repositories, { id, sizeBytes }: Step): Promise<void> {
  const document = await tx.documents.find(idOf(id));
  if (!document) return;
  made += 1;
  const share = {
    id: `share-${made}`,
    documentId: document.id,
    userId: document.userId,
    permissions: ['read'],
    access: 'anyone',
    expiresAt: 1,
    maxAccessCount: null,
    accessCount: 0,
    accessId: null,
    isActive: sizeBytes > 1,
    createdAt: 0,
  } as const;
  await tx.shares.insert(share, Buffer.from(share.id));
}

async function putConsent(tx: Repositories, change: Step): Promise<void> {
  const { id, fileName, category } = change;
  const userId = idOf(change.userId);
  const known = await tx.consents.find(id);
  const metadata = category === null ? null : { [category]: 'ü' };
  if (known) return tx.consents.save({ ...known, metadata, revocationReason: fileName });
  await tx.consents.insert({
    id,
    userId,
    purpose: fileName,
    description: category,
    grantedTo: 'ä',
    scopes: null,
    status: 'granted',
    grantedAt: 0,
    expiresAt: null,
    revokedAt: null,
    revocationReason: null,
    metadata,
    clientId: null,
    createdAt: 0,
    updatedAt: 0,
  });
}

async function putWebhook(tx: Repositories, change: Step): Promise<void> {
  const { id, fileName, category } = change;
  const userId = idOf(change.userId);
  const known = await tx.webhooks.find(id);
  const headers = category === null ? null : { 'x-category': category };
  if (known) return tx.webhooks.save({ ...known, headers, description: fileName });
  await tx.webhooks.insert({
    id,
    userId,
    url: 'https://example.com/',
    events: [],
    secret: '-',
    previousSecret: null,
    previousSecretExpiresAt: null,
    description: category,
    headers,
    metadata: null,
    narrowed: false,
    accounts: 'own',
    active: true,
    accessId: null,
    createdAt: 0,
    updatedAt: 0,
  });
}

async function putUpload(tx: Repositories, change: Step): Promise<void> {
  const vault = await tx.vaults.find(idOf(change.vaultId));
  if (!vault) return;
  const { id: vaultId, userId } = vault;
  const upload = { id: v7(), vaultId, userId, createdAt: 0, expiresAt: 1 };
  await tx.uploads.insert({ ...upload, sizeBytes: change.sizeBytes + 1 });
}

async function deleteUploads(tx: Repositories): Promise<void> {
  for (const id of await tx.uploads.expired({ now: 1, limit: 2 })) await tx.uploads.delete(id);
}

async function putClient(tx: Repositories, { id, fileName, ...change }: Step): Promise<void> {
  const known = await tx.oauthClients.find(id);
  if (known) return tx.oauthClients.save({ ...known, name: fileName });
  await tx.oauthClients.insert(clientRecord({ id, userId: idOf(change.userId), name: fileName }));
}

async function putKey(tx: Repositories, { id, fileName, ...change }: Step): Promise<void> {
  const userId = idOf(change.userId);
  if (await tx.apiKeys.find(id)) return;
  await tx.apiKeys.insert(
    {
      keyId: id,
      userId,
      name: fileName,
      scopes: ['vaults:read'],
      prefix: '-',
      createdAt: 0,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    },
    Buffer.from(id),
  );
}

async function ensureUser({ driver, owner }: TestDatabase, id: string): Promise<void> {
  await driver.transaction((queries) =>
    queries.run(
      `INSERT INTO users SELECT @id, @id, @id, name, password_hash, role, tier, status, instance_id, 0, 0
       FROM users WHERE id = @owner ON CONFLICT DO NOTHING`,
      { id, owner: owner.userId },
    ),
  );
}

async function take(database: TestDatabase, change: Step): Promise<void> {
  const userId = idOf(change.userId);
  await ensureUser(database, userId);
  if (change.kind === 'deleteUser') {
    await database.driver.transaction((queries) =>
      queries.run('DELETE FROM users WHERE id = @userId', { userId }),
    );
    current.delete(change.userId);
    return;
  }
  await database.store.transaction(async (tx) => {
    if (change.kind === 'putVault') await putVault(tx, database, change);
    if (change.kind === 'putDocument') await putDocument(tx, change);
    if (change.kind === 'deleteVault') await tx.vaults.delete(idOf(change.vaultId));
    if (change.kind === 'erase') await tx.erasures.eraseDocuments(2);
    if (change.kind === 'deleteDocument') await deleteDocument(tx, change.id);
    if (change.kind === 'putShare') await putShare(tx, change);
    if (change.kind === 'deleteShares') await tx.shares.removeEnded({ expiredBy: 1, limit: 1 });
    if (change.kind === 'putConsent') await putConsent(tx, change);
    if (change.kind === 'putWebhook') await putWebhook(tx, change);
    if (change.kind === 'deleteWebhook') await tx.webhooks.delete(change.id);
    if (change.kind === 'putUpload') await putUpload(tx, change);
    if (change.kind === 'deleteUploads') await deleteUploads(tx);
    if (change.kind === 'putClient') await putClient(tx, change);
    if (change.kind === 'deleteClient') await tx.oauthClients.delete(change.id);
    if (change.kind === 'putKey') await putKey(tx, change);
    if (change.kind === 'revokeKey') await tx.apiKeys.revoke(change.id, 1);
    if (change.kind === 'removeKeys') await tx.retention.remove('api_keys', 1, 1);
  });
}

/** Expects lists to contain the documents of existing vaults only, while deleted vaults are being erased. */
async function expectKept({ store, driver }: TestDatabase, userId: string | null): Promise<void> {
  for (const mimeType of [undefined, 'text/plain']) {
    const page = { page: 1, pageSize: 100, sortBy: 'uploadedAt', sortOrder: 'asc' } as const;
    const { rows, totalCount } = await store.documents.list({ ...page, userId, mimeType });
    const kept = await driver.reader.all<{ id: string }>(
      `SELECT d.id FROM documents d JOIN vaults v ON v.id = d.vault_id
       WHERE @userId IN ('', d.user_id) AND @mimeType IN ('', d.mime_type)
       ORDER BY ${userId === null ? 'd.number' : 'd.uploaded_at, d.id'}`,
      { userId: userId ?? '', mimeType: mimeType ?? '' },
    );
    expect(rows.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    expect(totalCount).toBe(kept.length);
  }
}

test('every counter equals a recount after any sequence of changes, cascades included', async () => {
  const database = await openDatabase();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      for (const change of steps) {
        await take(database, change);
        for (const userId of [null, ...users.map(idOf)]) await expectKept(database, userId);
      }
      expect(await counterProblems(database.driver.reader)).toEqual([]);
      if (!testsPostgres) expect(await searchIndexProblems(database.driver.reader)).toEqual([]);
    }),
    // No shrinking: each sequence starts with the rows of the previous one, so a smaller one is another case.
    { numRuns: 20, endOnFailure: true },
  );
  await database.close();
});

test('counter checks name a wrong counter with its value and the recount', async () => {
  const database = await openDatabase();
  const { driver, store, owner } = database;
  const vault = vaultRecord(database, 'vault-0', { category: 'health' });
  await store.transaction(async (tx) => {
    await tx.vaults.insert(vault);
    await insertDocument(tx, documentRecord(vault, { id: 'document-0' }));
  });
  await driver.transaction(async (queries) => {
    await queries.run("UPDATE vault_categories SET active = 5 WHERE category = 'health'");
    await queries.run('UPDATE document_types SET documents = 0');
    await queries.run('UPDATE vaults SET total_size = 2');
  });
  expect(await counterProblems(driver.reader)).toEqual([
    'vaults.total_size of vault-0 is 2, and a recount gives 0',
    'document_types.documents of vault-0 "application/pdf" is 0, and a recount gives 1',
    `vault_categories.active of ${owner.userId} "health" is 5, and a recount gives 1`,
  ]);
  await database.close();
});
