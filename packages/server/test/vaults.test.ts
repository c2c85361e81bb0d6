import { describe, expect, test } from 'vitest';
import { dataFolder, makeAdmin, rowsIn, usedBytes } from './support/data-folder.ts';
import { emptyPage, invalid, missing } from './support/replies.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /vaults', () => {
  test('with only a name returns 201 and the defaults of the other fields', async () => {
    const { developer } = await startTestServer();
    const me = (await developer('GET', '/api/v1/users/me')).body;
    const created = await developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(uuidV7),
      name: 'Taxes',
      description: null,
      category: null,
      userId: me.id,
      instanceId: me.instanceId,
      isActive: true,
      documentCount: 0,
      totalSize: 0,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    const read = await developer('GET', `/api/v1/vaults/${created.body.id}`);
    expect(read).toMatchObject({ status: 200, body: created.body });
    expect(Object.keys(read.body)).toEqual(Object.keys(created.body));
  });

  test('fields at their limits are stored and returned unchanged', async () => {
    const { developer } = await startTestServer();
    const bodies = [
      { name: 'n', description: '', category: 'a' },
      { name: 'ä'.repeat(120), description: 'd'.repeat(2000), category: 'a0_-'.repeat(12) },
      { name: '😀'.repeat(120), description: '😀'.repeat(2000), category: 'z'.repeat(50) },
      { name: 'Quote "and" \\ \u{1F4C4}', description: null, category: null },
    ];
    for (const body of bodies) {
      const created = await developer('POST', '/api/v1/vaults', { body });
      expect(created).toMatchObject({ status: 201, body });
      const read = await developer('GET', `/api/v1/vaults/${created.body.id}`);
      expect(read.body).toEqual(created.body);
    }
  });

  test('white space is removed around the name before its length is checked, and kept in the description', async () => {
    const { developer } = await startTestServer();
    const name = 'x'.repeat(120);
    const body = { name: ` \t\u00a0${name}\n `, description: ' kept ' };
    const created = await developer('POST', '/api/v1/vaults', { body });
    expect(created).toMatchObject({ status: 201, body: { name, description: ' kept ' } });
  });

  test('a field outside its limits returns 400 with field and constraint, and stores nothing', async () => {
    const { developer } = await startTestServer();
    const invalidBodies: [unknown, string, string][] = [
      [{}, 'name', 'required'],
      [{ description: 'x' }, 'name', 'required'],
      [{ name: null }, 'name', 'type'],
      [{ name: 7 }, 'name', 'type'],
      [{ name: '' }, 'name', 'minLength'],
      [{ name: ' \n\t ' }, 'name', 'minLength'],
      [{ name: 'x'.repeat(121) }, 'name', 'maxLength'],
      [{ name: 'n', description: 'x'.repeat(2001) }, 'description', 'maxLength'],
      [{ name: 'n', description: 5 }, 'description', 'type'],
      [{ name: 'n', category: '' }, 'category', 'minLength'],
      [{ name: 'n', category: 'x'.repeat(51) }, 'category', 'maxLength'],
      [{ name: 'n', category: 'Personal' }, 'category', 'pattern'],
      [{ name: 'n', category: 'tax year' }, 'category', 'pattern'],
      [{ name: 'n', category: 'steuer\n' }, 'category', 'pattern'],
      [{ name: 'n', category: 'ä' }, 'category', 'pattern'],
      [{ name: 'n', isActive: false }, 'isActive', 'additionalProperties'],
      [{ name: 'n', userId: 'x' }, 'userId', 'additionalProperties'],
      [[], 'body', 'type'],
    ];
    for (const [body, field, constraint] of invalidBodies) {
      const refused = await developer('POST', '/api/v1/vaults', { body });
      expect(refused, JSON.stringify(body)).toMatchObject(invalid(field, constraint));
    }
    expect(await developer('GET', '/api/v1/vaults')).toMatchObject(emptyPage);
  });

  test('lone surrogates and 50 000 nested arrays return 400 json', async () => {
    const { developer } = await startTestServer();
    const post = (body: string) => developer('POST', '/api/v1/vaults', { body });
    expect(await post('{"name":"half \\ud83d"}')).toMatchObject(invalid('body', 'json'));
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(await post(`{"name":${deep}}`)).toMatchObject(invalid('body', 'json'));
  });
});

describe('PUT /vaults/{id}', () => {
  test('changes only the given fields and updatedAt', async () => {
    const { developer, clock } = await startTestServer();
    let vault = await newVault(developer, { description: 'old', category: 'personal' });
    const path = `/api/v1/vaults/${vault.id}`;
    const changes = [
      { name: 'Taxes 2025' },
      { description: 'new' },
      { category: 'health' },
      { isActive: false },
      { isActive: true },
      { description: null },
      { category: null },
      { name: 'All', description: 'at', category: 'once', isActive: false },
    ];
    for (const change of changes) {
      clock.advance(1000);
      const updatedAt = new Date(clock.now()).toISOString();
      const expected = { ...vault, ...change, updatedAt };
      expect(await developer('PUT', path, { body: change })).toMatchObject({ status: 200 });
      vault = (await developer('GET', path)).body;
      expect(vault).toEqual(expected);
    }
  });

  test('trims the new name and applies the limits of POST', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const path = `/api/v1/vaults/${vault.id}`;
    const invalidBodies: [object, string, string][] = [
      [{}, 'body', 'minProperties'],
      [{ name: null }, 'name', 'type'],
      [{ name: '  ' }, 'name', 'minLength'],
      [{ name: 'x'.repeat(121) }, 'name', 'maxLength'],
      [{ description: 'x'.repeat(2001) }, 'description', 'maxLength'],
      [{ category: 'No' }, 'category', 'pattern'],
      [{ isActive: null }, 'isActive', 'type'],
      [{ isActive: 'true' }, 'isActive', 'type'],
      [{ name: 'x', documentCount: 3 }, 'documentCount', 'additionalProperties'],
    ];
    for (const [body, field, constraint] of invalidBodies) {
      const refused = await developer('PUT', path, { body });
      expect(refused, JSON.stringify(body)).toMatchObject(invalid(field, constraint));
    }
    expect((await developer('GET', path)).body).toEqual(vault);
    const renamed = await developer('PUT', path, { body: { name: '  Other ' } });
    expect(renamed.body.name).toBe('Other');
  });

  test('with the current values changes nothing and emits no event', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const vault = await newVault(developer, { description: 'old' });
    const path = `/api/v1/vaults/${vault.id}`;
    const webhook = await listen({ server, call: developer });
    clock.advance(1000);
    const { name, description, category, isActive } = vault;
    for (const body of [{ name: ` ${name} ` }, { category: null }, { isActive: true }]) {
      expect(await developer('PUT', path, { body })).toMatchObject({ status: 200, body: vault });
    }
    const all = { name, description, category, isActive };
    expect(await developer('PUT', path, { body: all })).toMatchObject({ status: 200, body: vault });
    expect((await developer('GET', path)).body).toEqual(vault);
    expect(await webhook.events()).toEqual([]);
  });
});

describe('DELETE /vaults/{id}', () => {
  test('removes documents and shares, releases their bytes and emits vault.deleted once', async () => {
    const folder = await dataFolder();
    const server = await startTestServer({ data: folder });
    const { developer, anonymous } = server;
    const vault = await newVault(developer);
    const kept = await newVault(developer, { name: 'Kept' });
    const documents = [
      await newDocument(developer, vault.id, 'four'),
      await newDocument(developer, vault.id, 'and six'),
    ];
    const { shareToken } = await newShare(developer, documents[0].id, { access: 'anyone' });
    const other = await newDocument(developer, kept.id, 'stays');
    const webhook = await listen({ server, call: developer });

    const path = `/api/v1/vaults/${vault.id}`;
    const deleted = await developer('DELETE', path);
    expect(deleted).toMatchObject({ status: 204, body: undefined });

    const gone = missing({ vaultId: vault.id });
    expect(await developer('GET', path)).toMatchObject(gone);
    expect(await developer('PUT', path, { body: { name: 'x' } })).toMatchObject(gone);
    expect(await developer('DELETE', path)).toMatchObject(gone);
    for (const { id } of documents) {
      expect(await developer('GET', `/api/v1/documents/${id}`)).toMatchObject(missing());
    }
    expect(await anonymous('GET', `/shares/${shareToken}`)).toMatchObject(missing());
    expect((await developer('GET', '/api/v1/documents')).body.data).toEqual([other]);
    expect((await developer('GET', '/api/v1/vaults')).body.data).toMatchObject([{ id: kept.id }]);

    expect(await webhook.events()).toMatchObject([
      { type: 'vault.deleted', data: { object: { id: vault.id, documentCount: 2 } } },
    ]);
    server.clock.advance(60_000);
    await server.settled();
    await server.close();
    expect(rowsIn(folder, 'documents')).toBe(1);
    expect(rowsIn(folder, 'document_contents')).toBe(1);
    expect(rowsIn(folder, 'shares')).toBe(0);
    expect(usedBytes(folder)).toBe('stays'.length);
  });
});

describe('access to vaults', () => {
  test('vaults of another account return 404 and are in no list', async () => {
    const { developer, signUp } = await startTestServer();
    const vault = await newVault(developer, { description: 'private' });
    await newDocument(developer, vault.id);
    const stranger = await signUp('stranger@example.com');
    const path = `/api/v1/vaults/${vault.id}`;
    const gone = missing({ vaultId: vault.id });
    expect(await stranger.call('GET', path)).toMatchObject(gone);
    expect(await stranger.call('PUT', path, { body: { name: 'mine' } })).toMatchObject(gone);
    expect(await stranger.call('DELETE', path)).toMatchObject(gone);
    for (const list of ['vaults', 'vaults?search=Taxes', 'vaults/search?search=private']) {
      expect(await stranger.call('GET', `/api/v1/${list}`), list).toMatchObject(emptyPage);
    }
    expect((await developer('GET', path)).body).toMatchObject({ name: 'Taxes', documentCount: 1 });
  });

  test('a malformed id returns 404', async () => {
    const { developer } = await startTestServer();
    for (const id of ['1', 'x'.repeat(300), '%27', '00000000-0000-7000-8000-000000000000']) {
      const reply = await developer('GET', `/api/v1/vaults/${id}`);
      expect(reply).toMatchObject(missing({ vaultId: decodeURIComponent(id) }));
    }
  });

  test('an administrator reads, changes and deletes vaults of every account', async () => {
    const folder = await dataFolder();
    const before = await startTestServer({ data: folder });
    const admin = await before.signUp('admin@example.com');
    const vault = await newVault(before.developer);
    await before.close();
    makeAdmin(folder, admin.email);

    const { developer, signIn } = await startTestServer({ data: folder });
    const call = await signIn(admin);
    const path = `/api/v1/vaults/${vault.id}`;
    expect((await call('GET', '/api/v1/vaults?account=all')).body.data).toEqual([vault]);
    expect((await call('GET', path)).body).toEqual(vault);
    const renamed = await call('PUT', path, { body: { name: 'Renamed' } });
    expect(renamed.body).toMatchObject({ name: 'Renamed', userId: vault.userId });
    const uploaded = await newDocument(call, vault.id);
    expect((await developer('GET', '/api/v1/documents')).body.data).toEqual([uploaded]);
    expect(await call('DELETE', path)).toMatchObject({ status: 204 });
    expect(await developer('GET', path)).toMatchObject(missing());
  });
});
