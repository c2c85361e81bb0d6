import { describe, expect, test } from 'vitest';
import type { DocumentRecord } from '../src/store/rows/documents/documents.ts';
import type { Repositories } from '../src/store/store.ts';
import { startWithAdministrator } from './support/administrator.ts';
import { command } from './support/command-line.ts';
import { rowsIn } from './support/data-folder.ts';
import { openDatabase } from './support/delivery/database.ts';
import { missing } from './support/replies.ts';
import { documentOf, newDocument, newShare, newVault } from './support/resources.ts';
import { type Account, type Caller, startTestServer } from './support/server.ts';
import { documentRecord, insertDocument, vaultRecord } from './support/store/records.ts';

const tables = [
  'documents',
  'document_contents',
  'shares',
  'share_accesses',
  'document_types',
] as const;
const leftovers = ['erasures', 'content_erasures'] as const;

const rows = (data: string, names: readonly string[]) => names.map((name) => rowsIn(data, name));

/** Creates a vault with documents of two media types and shares. `image/png` occurs in no other vault. */
async function filledVault(call: Caller) {
  const vault = await newVault(call, { name: 'Deleted' });
  const letter = await newDocument(call, vault.id, 'four', { fileName: 'deleted letter.pdf' });
  await newDocument(call, vault.id, 'and six', { fileName: 'scan.png', mimeType: 'image/png' });
  await newDocument(call, vault.id, '', { fileName: 'empty.pdf' });
  const share = await newShare(call, letter.id, { access: 'anyone' });
  expect((await call('GET', `/shares/${share.shareToken}`)).status).toBe(200);
  await newShare(call, letter.id, { maxAccessCount: 1 });
  return { vault, letter, share };
}

/** Stores a document whose content is staged. */
async function insertStaged(tx: Repositories, document: DocumentRecord): Promise<void> {
  await tx.contents.takeStaged(document.id, document.sizeBytes);
  await tx.documents.insert(document);
}

const documentLists = [
  ...['uploadedAt', 'updatedAt', 'fileName', 'sizeBytes'].flatMap((sortBy) => [
    `sortBy=${sortBy}&sortOrder=asc`,
    `sortBy=${sortBy}&sortOrder=desc&pageSize=1`,
  ]),
  'page=2&pageSize=1',
  'mimeType=image/png',
  'mimeType=application/pdf',
];

/** The second text is too short for the index, so the server scans all rows. */
const searches = ['letter', 'le', 'pdf', 'scan'].map((text) => `search=${text}`);

const query = `{
  documents { pagination { totalCount } data { id vault { id } shares { data { id } } } }
  vaults { pagination { totalCount } data { id documents { pagination { totalCount } data { id } } } }
}`;

/** All lists, counts and statistics that an account can read. */
async function readings(call: Caller, lists = [...documentLists, ...searches]): Promise<unknown> {
  const paths = [
    ...lists.map((list) => `/api/v1/documents?${list}`),
    '/api/v1/vaults?sortBy=totalSize',
    '/api/v1/vaults/search?search=deleted',
    '/api/v1/users/me',
    '/api/v1/instances',
    '/api/v1/instances/statistics',
  ];
  const replies = await Promise.all(paths.map((path) => call('GET', path)));
  // Contents count against their account until they are erased.
  for (const { body } of replies) if (body.usage) delete body.usage.bytes;
  const graphql = await call('POST', '/graphql', { body: { query } });
  return [...paths.map((path, index) => [path, replies[index]?.body]), graphql.body.data];
}

async function doctorProblems(data: string): Promise<unknown> {
  const { out } = await command(['doctor', '--json', '--data', data]);
  const { checks } = JSON.parse(out) as { checks: { problems: string[] }[] };
  return checks.flatMap((check) => check.problems);
}

/** Starts a server with an account that has a vault with two documents. */
async function arrange() {
  const server = await startWithAdministrator();
  const { developer } = server;
  const kept = await newVault(developer, { name: 'Kept' });
  await newDocument(developer, kept.id, 'stays', { fileName: 'kept letter.pdf' });
  const shared = await newDocument(developer, kept.id, 'stays too', { fileName: 'kept.pdf' });
  await newShare(developer, shared.id);
  // The first sweep, which the start begins, would erase at once what a test deletes.
  await server.settled();
  return server;
}

describe('DELETE /vaults/{id}', () => {
  test('hides documents and shares in every list, count and statistic before they are erased', async () => {
    const server = await arrange();
    const { developer, admin, anonymous, data } = server;
    const before = [await readings(developer), await readings(admin, documentLists)];
    const { vault, letter, share } = await filledVault(developer);
    expect(await readings(developer)).not.toEqual(before[0]);
    expect((await developer('DELETE', `/api/v1/vaults/${vault.id}`)).status).toBe(204);

    expect([await readings(developer), await readings(admin, documentLists)]).toEqual(before);
    for (const call of [developer, admin]) {
      const path = `/api/v1/documents/${letter.id}`;
      const gone = missing({ documentId: letter.id });
      expect(await call('GET', path)).toMatchObject(gone);
      expect(await call('PUT', path, { body: { fileName: 'x' } })).toMatchObject(gone);
      expect(await call('DELETE', path)).toMatchObject(gone);
      expect(await call('POST', `${path}/share`, { body: {} })).toMatchObject(gone);
      expect(await call('GET', `${path}/shares`)).toMatchObject(gone);
      expect(await call('DELETE', `${path}/shares/${share.id}`)).toMatchObject(missing());
      const list = await call('GET', `/api/v1/documents?vaultId=${vault.id}`);
      expect(list.body).toMatchObject({ data: [], pagination: { totalCount: 0 } });
    }
    expect(await anonymous('GET', `/shares/${share.shareToken}`)).toMatchObject(missing());

    // The request itself erases no rows, and `doctor` does not report them.
    expect(rows(data, ['documents', 'document_contents', 'shares'])).toEqual([5, 5, 3]);
    expect(rows(data, leftovers)).toEqual([1, 0]);
    expect(await doctorProblems(data)).toEqual([]);
  });

  test('has no row of the vault left after the next sweep, and unchanged lists and counts', async () => {
    const server = await arrange();
    const { developer, admin, data } = server;
    const before = [await readings(developer), await readings(admin, documentLists)];
    const left = rows(data, tables);
    const { vault } = await filledVault(developer);
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);
    server.clock.advance(60_000);
    await server.settled();

    expect(await readings(developer)).toEqual(before[0]);
    expect(rows(data, tables)).toEqual(left);
    expect(rows(data, leftovers)).toEqual([0, 0]);
    expect(await doctorProblems(data)).toEqual([]);
  });

  test('erases the rows after a restart when the server stops before the sweep', async () => {
    const server = await arrange();
    const { data } = server;
    const { vault } = await filledVault(server.developer);
    await server.developer('DELETE', `/api/v1/vaults/${vault.id}`);
    await server.close();
    expect(rows(data, ['documents', 'document_contents', 'shares'])).toEqual([5, 5, 3]);

    const again = await startTestServer({ data });
    await again.settled();
    expect(rows(data, ['documents', 'document_contents', 'shares'])).toEqual([2, 2, 1]);
    expect(rows(data, leftovers)).toEqual([0, 0]);
  });

  test('frees the account limit of documents and shares at once', async () => {
    const server = await startTestServer({
      accountDocuments: { free: 3, paid: 3, enterprise: 3 },
    });
    const { developer } = server;
    const { vault } = await filledVault(developer);
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);
    const next = await newVault(developer);
    for (let count = 0; count < 3; count += 1) await newDocument(developer, next.id);
    const { usage } = (await developer('GET', '/api/v1/users/me')).body;
    expect(usage).toMatchObject({ documents: { used: 3, limit: 3 }, shares: { used: 0 } });
  });

  test('frees the shares of its current documents, and not those of a document that was moved away', async () => {
    const { developer, data } = await arrange();
    const { vault, letter } = await filledVault(developer);
    const other = await newVault(developer, { name: 'Other' });
    const body = { vaultId: other.id };
    expect((await developer('PUT', `/api/v1/documents/${letter.id}`, { body })).status).toBe(200);
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);
    expect((await developer('GET', '/api/v1/users/me')).body.usage.shares.used).toBe(3);
    await developer('DELETE', `/api/v1/vaults/${other.id}`);
    expect((await developer('GET', '/api/v1/users/me')).body.usage.shares.used).toBe(1);
    expect(await doctorProblems(data)).toEqual([]);
  });
});

describe('DELETE /users/me', () => {
  test('hides the documents of the account from administrators before they are erased', async () => {
    const server = await arrange();
    const { admin, data } = server;
    const ada: Account = await server.signUp('ada@example.com');
    const before = await readings(admin, documentLists);
    const { letter, share } = await filledVault(ada.call);
    const body = { password: ada.password };
    expect((await ada.call('DELETE', '/api/v1/users/me', { body })).status).toBe(204);

    expect(await readings(admin, documentLists)).toEqual(before);
    expect(await admin('GET', `/api/v1/documents/${letter.id}`)).toMatchObject(missing());
    expect(await admin('GET', `/shares/${share.shareToken}`)).toMatchObject(missing());
    expect(rows(data, ['documents', ...leftovers])).toEqual([5, 1, 0]);
    expect(await doctorProblems(data)).toEqual([]);

    server.clock.advance(60_000);
    await server.settled();
    expect(rows(data, ['documents', 'document_contents', ...leftovers])).toEqual([2, 2, 0, 0]);
    expect(await doctorProblems(data)).toEqual([]);
  });
});

test('DELETE /documents/{id} makes the content unreachable, and the next sweep erases it', async () => {
  const { developer, data, ...server } = await arrange();
  const { letter } = await filledVault(developer);
  expect((await developer('DELETE', `/api/v1/documents/${letter.id}`)).status).toBe(204);
  expect(await developer('GET', `/api/v1/documents/${letter.id}`)).toMatchObject(missing());
  expect(rows(data, ['documents', 'document_contents', ...leftovers])).toEqual([4, 5, 0, 1]);
  expect(await doctorProblems(data)).toEqual([]);
  server.clock.advance(60_000);
  await server.settled();
  expect(rows(data, ['documents', 'document_contents', ...leftovers])).toEqual([4, 4, 0, 0]);
});

describe('POST /documents with more than 4 MiB', () => {
  const content = Buffer.alloc(5 * 1024 * 1024 + 1, 'document vault');

  test('stores and returns the content, and leaves nothing to erase', async () => {
    const { developer, data } = await arrange();
    const vault = await newVault(developer);
    const { id } = await newDocument(developer, vault.id, content);
    const { body } = await developer('GET', `/api/v1/documents/${id}`);
    expect(Buffer.from(body.encryptedData, 'base64').equals(content)).toBe(true);
    expect(rows(data, leftovers)).toEqual([0, 0]);
    expect(await doctorProblems(data)).toEqual([]);
  });

  test('writes no content above the quota of the vault', async () => {
    const server = await startWithAdministrator({ vaultQuota: { enterprise: content.length } });
    const { developer, data } = server;
    const vault = await newVault(developer);
    await newDocument(developer, vault.id, content);
    const parts = rowsIn(data, 'document_contents');
    const body = documentOf(vault.id, content);
    expect((await developer('POST', '/api/v1/documents', { body })).status).toBe(400);
    expect(rows(data, ['document_contents', ...leftovers])).toEqual([parts, 0, 0]);
  });

  test('leaves the content of a rejected document to the next sweep', async () => {
    const server = await arrange();
    const { data, clock } = server;
    const ada = await server.signUp('ada@example.com');
    const vault = await newVault(ada.call);
    const parts = rowsIn(data, 'document_contents');
    const session = await server.signIn(ada);
    const delay = server.fault('delay', { operations: 'createDocument', milliseconds: 1 });
    const upload = session('POST', '/api/v1/documents', { body: documentOf(vault.id, content) });
    await expect.poll(() => delay.calls).toBe(1);
    await ada.call('DELETE', '/api/v1/auth/sessions');
    clock.advance(1);
    expect((await upload).status).toBe(401);

    expect(rows(data, leftovers)).toEqual([0, 1]);
    clock.advance(60_000);
    await server.settled();
    expect(rows(data, ['document_contents', ...leftovers])).toEqual([parts, 0, 0]);
    expect(await doctorProblems(data)).toEqual([]);
  });
});

describe('repository of contents', () => {
  const now = 1_000;
  const content = Buffer.alloc(5 * 1024 * 1024, 'document vault');
  const count = `/* all rows */ SELECT (SELECT COUNT(*) FROM document_contents) AS parts,
    (SELECT COUNT(*) FROM content_erasures) AS waiting`;

  test('stage() stores content in steps of 2 MiB, and a sweep before `until` does not erase it', async () => {
    const database = await openDatabase();
    const { store, driver } = database;
    const vault = vaultRecord(database, 'vault');
    await store.transaction((tx) => tx.vaults.insert(vault));
    const steps: number[] = [];
    for (let from = 0; from < content.length; ) {
      const staged = { id: 'large', bytes: content, from, until: now };
      from = await store.transaction((tx) => tx.contents.stage(staged));
      const due = { now: now - 1, limit: 100, grace: 0 };
      await store.transaction((tx) => tx.contents.erase(due));
      steps.push((await driver.reader.get<{ parts: number }>(count))?.parts ?? -1);
    }
    expect(steps).toEqual([16, 32, 40]);
    expect(await store.contents.piece({ id: 'large', attempt: 0, piece: 0 })).toBeUndefined();

    const document = documentRecord(vault, { id: 'large', sizeBytes: content.length });
    await store.transaction((tx) => insertStaged(tx, document));
    const parts = await Promise.all(
      steps.map((_, piece) => store.contents.piece({ id: 'large', attempt: 0, piece })),
    );
    const start = Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0)));
    expect(start.equals(content.subarray(0, start.length))).toBe(true);
    expect(await driver.reader.get(count)).toEqual({ parts: 40, waiting: 0 });
    await database.close();
  });

  test('erase() erases staged content after `until`, and stage() and insert() then throw', async () => {
    const database = await openDatabase();
    const { store, driver } = database;
    const vault = vaultRecord(database, 'vault');
    const staged = { id: 'large', bytes: content, from: 0, until: now };
    const next = await store.transaction(async (tx) => {
      await tx.vaults.insert(vault);
      return tx.contents.stage(staged);
    });
    await store.transaction((tx) => tx.contents.erase({ now, limit: 100, grace: 0 }));
    expect(await driver.reader.get(count)).toEqual({ parts: 0, waiting: 0 });
    const late = /the content of document large is not pending/;
    const again = store.transaction((tx) => tx.contents.stage({ ...staged, from: next }));
    await expect(again).rejects.toThrow(late);
    const document = documentRecord(vault, { id: 'large', sizeBytes: content.length });
    const inserted = store.transaction((tx) => insertStaged(tx, document));
    await expect(inserted).rejects.toThrow(late);
    expect(await store.documents.find('large')).toBeUndefined();
    await database.close();
  });

  test('refuses the document of a staged content of which a sweep has erased a part', async () => {
    const database = await openDatabase();
    const { store, driver } = database;
    const vault = vaultRecord(database, 'vault');
    await store.transaction((tx) => tx.vaults.insert(vault));
    // More than one step of a sweep erases.
    const large = Buffer.alloc(10 * 1024 * 1024);
    let from = 0;
    const stage = () =>
      store.transaction(async (tx) => {
        from = await tx.contents.stage({ id: 'large', bytes: large, from, until: now });
      });
    while (from < 9 * 1024 * 1024) await stage();
    await store.transaction((tx) => tx.contents.erase({ now, limit: 100, grace: 0 }));
    // The rest arrives after the pause in which the sweep ran.
    while (from < large.length) await stage();
    const document = documentRecord(vault, { id: 'large', sizeBytes: large.length });
    const inserted = store.transaction((tx) => insertStaged(tx, document));
    await expect(inserted).rejects.toThrow(/is not pending/);
    expect(await store.documents.find('large')).toBeUndefined();
    const due = { now: now + 1, limit: 100, grace: 0 };
    while (await store.transaction((tx) => tx.contents.erase(due))) {}
    expect(await driver.reader.get(count)).toEqual({ parts: 0, waiting: 0 });
    await database.close();
  });
});

describe('repository of erasures', () => {
  test('erase() erases at most 8 MiB in one step', async () => {
    const database = await openDatabase();
    const { store, driver } = database;
    const vault = vaultRecord(database, 'vault');
    await store.transaction(async (tx) => {
      await tx.vaults.insert(vault);
      const large = documentRecord(vault, { id: 'large' });
      await insertDocument(tx, large, new Uint8Array(20 * 1024 * 1024));
      for (const id of ['a', 'b', 'c']) {
        await insertDocument(tx, documentRecord(vault, { id }), new Uint8Array(1));
      }
      await tx.vaults.delete(vault.id);
    });
    expect(await store.contents.piece({ id: 'large', attempt: 0, piece: 0 })).toBeUndefined();
    while (await store.transaction((tx) => tx.erasures.eraseDocuments(100))) {}

    const size =
      '/* all rows */ SELECT COALESCE(SUM(LENGTH(data)), 0) AS bytes FROM document_contents';
    const bytesLeft = async () => (await driver.reader.get<{ bytes: number }>(size))?.bytes ?? -1;
    const sizes = [await bytesLeft()];
    for (let more = true; more; ) {
      more = await store.transaction((tx) => tx.contents.erase({ now: 0, limit: 100, grace: 0 }));
      sizes.push(await bytesLeft());
    }
    expect(sizes.at(-1)).toBe(0);
    const steps = sizes.slice(1).map((bytes, index) => (sizes[index] ?? 0) - bytes);
    expect(Math.max(...steps)).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(steps.length).toBeLessThanOrEqual(4);
    const waiting = 'SELECT COUNT(*) AS count FROM content_erasures';
    expect(await driver.reader.get(waiting)).toEqual({ count: 0 });
    await database.close();
  });

  test('eraseDocuments(limit) erases fewer than 2 × limit documents and shares in one step', async () => {
    const database = await openDatabase();
    const { store, driver } = database;
    const vault = vaultRecord(database, 'vault');
    await store.transaction(async (tx) => {
      await tx.vaults.insert(vault);
      for (let count = 0; count < 25; count += 1) {
        const id = `document-${count}`;
        await insertDocument(tx, documentRecord(vault, { id }), new Uint8Array(1));
        await tx.shares.insert(
          {
            id: `share-${count}`,
            documentId: 'document-0',
            userId: vault.userId,
            permissions: ['read'],
            access: 'anyone',
            expiresAt: 1,
            maxAccessCount: null,
            accessCount: 0,
            accessId: null,
            isActive: true,
            createdAt: 0,
          },
          Buffer.from(id),
        );
      }
      await tx.vaults.delete(vault.id);
    });
    const count = `/* all rows */ SELECT (SELECT COUNT(*) FROM documents) + (SELECT COUNT(*) FROM shares) AS rows`;
    let before = 50;
    for (let more = true; more; ) {
      more = await store.transaction((tx) => tx.erasures.eraseDocuments(10));
      const after = (await driver.reader.get<{ rows: number }>(count))?.rows ?? -1;
      // A step with fewer shares than its limit also erases documents.
      expect(before - after).toBeLessThan(20);
      before = after;
    }
    expect(before).toBe(0);
    await database.close();
  });
});

test('DELETE /documents/{id} removes 1,001 shares in more than one transaction', async () => {
  const server = await startTestServer({ requestsPerMinute: { enterprise: 10_000 } });
  const { developer } = server;
  const other = await server.signUp('other@example.com');
  const document = await newDocument(developer, (await newVault(developer)).id, 'shared');
  const path = `/api/v1/documents/${document.id}`;
  await Promise.all(Array.from({ length: 1000 }, () => newShare(developer, document.id)));
  const { shareToken } = await newShare(developer, document.id, { access: 'anyone' });
  const shares = async () => (await developer('GET', '/api/v1/users/me')).body.usage.shares.used;
  const transactions = async () => {
    // Metrics are cached for a second.
    server.clock.advance(2000);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    return Number(/^document_vault_store_transactions_total (\d+)/m.exec(metrics)?.[1]);
  };

  expect(await other.call('DELETE', path)).toMatchObject(missing({ documentId: document.id }));
  expect(await shares()).toBe(1001);

  const before = await transactions();
  expect((await developer('DELETE', path)).status).toBe(204);
  expect((await transactions()) - before).toBeGreaterThanOrEqual(3);
  expect(await shares()).toBe(0);
  expect((await server.anonymous('GET', `/api/v1/shared/${shareToken}`)).status).toBe(404);
  const deleted = (await server.events()).filter(({ type }) => type === 'document.deleted');
  expect(deleted).toHaveLength(1);
});
