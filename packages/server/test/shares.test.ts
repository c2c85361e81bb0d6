import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { invalid, missing } from './support/replies.ts';
import { newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const day = 24 * 60 * 60 * 1000;

async function sharedDocument({ developer }: TestServer) {
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id);
  return { id: document.id as string, path: `/api/v1/documents/${document.id}` };
}

describe('POST /documents/{id}/share', () => {
  test('the defaults are access for authenticated users, seven days, and no maximum of accesses', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const document = await sharedDocument(server);
    for (const options of [{}, { body: {} }]) {
      const created = await developer('POST', `${document.path}/share`, options);
      expect(created.status).toBe(201);
      expect(created.body).toEqual({
        id: expect.any(String),
        documentId: document.id,
        permissions: ['read'],
        access: 'authenticated',
        expiresAt: '2026-01-08T00:00:00.000Z',
        maxAccessCount: null,
        accessCount: 0,
        isActive: true,
        createdAt: '2026-01-01T00:00:00.000Z',
        shareToken: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      });
    }
  });

  test('terms at their limits are stored and returned', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const document = await sharedDocument(server);
    const at = (moment: number) => new Date(moment).toISOString();
    const kept = [
      {
        permissions: ['read'],
        access: 'anyone',
        maxAccessCount: 1,
        expiresAt: at(clock.now() + 1),
      },
      {
        access: 'authenticated',
        maxAccessCount: 1_000_000,
        expiresAt: at(clock.now() + 365 * day),
      },
      { maxAccessCount: null },
    ];
    for (const terms of kept) {
      expect(await newShare(developer, document.id, terms)).toMatchObject(terms);
    }
    const inAnotherZone = { expiresAt: '2026-01-02T01:30:00.25+02:00' };
    expect((await newShare(developer, document.id, inAnotherZone)).expiresAt).toBe(
      '2026-01-01T23:30:00.250Z',
    );
  });

  test('terms outside their limits return 400 with field and constraint, and store nothing', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const document = await sharedDocument(server);
    const invalidTerms: [object, string, string][] = [
      [{ expiresAt: '2025-12-31T23:59:59.999Z' }, 'expiresAt', 'future'],
      [{ expiresAt: '2026-01-01T00:00:00.000Z' }, 'expiresAt', 'future'],
      [{ expiresAt: '2027-01-01T00:00:00.001Z' }, 'expiresAt', 'maximum'],
      [{ expiresAt: '9999-12-31T23:59:59.999Z' }, 'expiresAt', 'maximum'],
      [{ expiresAt: 'tomorrow' }, 'expiresAt', 'format'],
      [{ expiresAt: '2026-01-02' }, 'expiresAt', 'format'],
      [{ expiresAt: '2026-01-02T00:00:00' }, 'expiresAt', 'format'],
      [{ expiresAt: '2026-02-29T00:00:00Z' }, 'expiresAt', 'format'],
      [{ expiresAt: '2026-06-30T23:59:60Z' }, 'expiresAt', 'format'],
      [{ expiresAt: 1_800_000_000_000 }, 'expiresAt', 'type'],
      [{ expiresAt: null }, 'expiresAt', 'type'],
      [{ maxAccessCount: 0 }, 'maxAccessCount', 'minimum'],
      [{ maxAccessCount: -1 }, 'maxAccessCount', 'minimum'],
      [{ maxAccessCount: 1_000_001 }, 'maxAccessCount', 'maximum'],
      [{ maxAccessCount: 1.5 }, 'maxAccessCount', 'type'],
      [{ maxAccessCount: '3' }, 'maxAccessCount', 'type'],
      [{ permissions: [] }, 'permissions', 'minItems'],
      [{ permissions: ['write'] }, 'permissions.0', 'enum'],
      [{ permissions: ['read', 'read'] }, 'permissions', 'uniqueItems'],
      [{ permissions: 'read' }, 'permissions', 'type'],
      [{ access: 'everyone' }, 'access', 'enum'],
      [{ shareToken: 'x'.repeat(43) }, 'shareToken', 'additionalProperties'],
    ];
    for (const [body, field, constraint] of invalidTerms) {
      const refused = await developer('POST', `${document.path}/share`, { body });
      expect(refused, JSON.stringify(body)).toMatchObject(invalid(field, constraint));
    }
    const listed = await developer('GET', `${document.path}/shares`);
    expect(listed.body.pagination.totalCount).toBe(0);
  });

  test('the token is returned once, and only its hash is stored', async () => {
    const folder = await dataFolder();
    const server = await startTestServer({ data: folder });
    const { developer } = server;
    const document = await sharedDocument(server);
    const { shareToken, ...share } = await newShare(developer, document.id);
    const listed = await developer('GET', `${document.path}/shares`);
    expect(listed.body.data).toEqual([share]);
    await developer('GET', `/shares/${shareToken}`);
    await server.close();

    const stored = inDatabase(folder, (database) =>
      database.prepare('SELECT LENGTH(token_hash) FROM shares').pluck().get(),
    );
    expect(stored).toBe(32);
    for (const file of await readdir(folder)) {
      const bytes = await readFile(join(folder, file));
      expect(bytes.includes(shareToken), file).toBe(false);
      expect(bytes.includes(Buffer.from(shareToken, 'base64url')), file).toBe(false);
    }
  });

  test('creating, listing, revoking and opening without documents:share return 403', async () => {
    const server = await startTestServer();
    const { developer, withKey, signUp } = server;
    const document = await sharedDocument(server);
    const share = await newShare(developer, document.id);
    const { call } = await signUp('other@example.com');
    const { key } = await newKey(call, ['documents:read', 'documents:write', 'vaults:write']);
    const without = withKey(key);
    const forbidden = { status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSIONS' } } };
    const { path } = document;
    expect(await without('POST', `${path}/share`, { body: {} })).toMatchObject(forbidden);
    expect(await without('GET', `${path}/shares`)).toMatchObject(forbidden);
    expect(await without('DELETE', `${path}/shares/${share.id}`)).toMatchObject(forbidden);
    expect(await without('GET', `/shares/${share.shareToken}`)).toMatchObject(forbidden);
  });
});

describe('GET and DELETE /documents/{id}/shares', () => {
  test("the list contains the document's shares only, with accessCount and isActive", async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const document = await sharedDocument(server);
    await newShare(developer, (await sharedDocument(server)).id);
    const share = (fields: object) => newShare(developer, document.id, { ...fields });
    const in2Days = new Date(clock.now() + 2 * day).toISOString();
    const open = await share({});
    const spent = await share({ maxAccessCount: 1 });
    const halfSpent = await share({ maxAccessCount: 2 });
    const expiring = await share({ expiresAt: in2Days });
    const revoked = await share({});
    for (const { shareToken } of [spent, halfSpent]) {
      expect(await developer('GET', `/shares/${shareToken}`)).toMatchObject({ status: 200 });
    }
    await developer('DELETE', `${document.path}/shares/${revoked.id}`);

    const facts = async () => {
      const { body } = await developer('GET', `${document.path}/shares?sortOrder=asc`);
      return body.data.map((item: Record<string, unknown>) => [
        item.id,
        item.accessCount,
        item.isActive,
      ]);
    };
    const expected = (expiringIsActive: boolean) => [
      [open.id, 0, true],
      [spent.id, 1, false],
      [halfSpent.id, 1, true],
      [expiring.id, 0, expiringIsActive],
      [revoked.id, 0, false],
    ];
    clock.advance(2 * day - 1);
    expect(await facts()).toEqual(expected(true));
    clock.advance(1);
    expect(await facts()).toEqual(expected(false));
  });

  test('the list has the requested order and page', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const document = await sharedDocument(server);
    const ids: string[] = [];
    for (const days of [3, 1, 2, 2, 1]) {
      const expiresAt = new Date(Date.UTC(2026, 0, 1) + days * day).toISOString();
      ids.push((await newShare(developer, document.id, { expiresAt })).id);
      if (ids.length > 2) clock.advance(1000);
    }
    const order = async (query: string) => {
      const { body } = await developer('GET', `${document.path}/shares?${query}`);
      return body.data.map(({ id }: { id: string }) => ids.indexOf(id));
    };
    expect(await order('')).toEqual([4, 3, 2, 1, 0]);
    expect(await order('sortOrder=asc')).toEqual([0, 1, 2, 3, 4]);
    expect(await order('sortBy=expiresAt')).toEqual([0, 3, 2, 4, 1]);
    expect(await order('sortBy=expiresAt&sortOrder=asc')).toEqual([1, 4, 2, 3, 0]);
    expect(await order('pageSize=2&page=2')).toEqual([2, 1]);
    expect(await order('pageSize=2&page=9')).toEqual([]);
    const refused = await developer('GET', `${document.path}/shares?sortBy=accessCount`);
    expect(refused).toMatchObject(invalid('sortBy', 'enum'));
  });

  test('a revoked share returns 404 at once, and revoking it again returns 204', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const document = await sharedDocument(server);
    const other = await sharedDocument(server);
    const share = await newShare(developer, document.id);
    const elsewhere = `${other.path}/shares/${share.id}`;
    expect(await developer('DELETE', elsewhere)).toMatchObject(missing({ shareId: share.id }));
    expect(await developer('GET', `/shares/${share.shareToken}`)).toMatchObject({ status: 200 });

    const path = `${document.path}/shares/${share.id}`;
    expect(await developer('DELETE', path)).toMatchObject({ status: 204, body: undefined });
    expect(await developer('GET', `/shares/${share.shareToken}`)).toMatchObject(missing());
    expect(await developer('DELETE', path)).toMatchObject({ status: 204 });
    const unknown = await developer('DELETE', `${document.path}/shares/unknown`);
    expect(unknown).toMatchObject(missing({ shareId: 'unknown' }));
  });
});

describe('POST /documents/{id}/share with an Idempotency-Key', () => {
  const once = { headers: { 'Idempotency-Key': 'one key' } };

  test.each([
    ['is revoked', 0],
    ['is used up', 0],
    ['has expired', day],
  ])('replays the token until the share %s, and returns 400 usable then', async (ending, wait) => {
    const { signUp, signIn, clock, anonymous } = await startTestServer();
    const account = await signUp('ada@example.com');
    const { call } = account;
    const document = await newDocument(call, (await newVault(call)).id);
    const path = `/api/v1/documents/${document.id}`;
    const expiresAt = new Date(clock.now() + day - 60_000).toISOString();
    const body = { access: 'anyone', maxAccessCount: 1, expiresAt };
    const create = (by = call) => by('POST', `${path}/share`, { body, ...once });
    const first = await create();
    expect(await create()).toMatchObject({ status: 201, body: first.body });
    const { id, shareToken } = first.body;
    if (ending === 'is revoked') await call('DELETE', `${path}/shares/${id}`);
    if (ending === 'is used up') await anonymous('GET', `/shares/${shareToken}`);
    clock.advance(wait > 0 ? wait - 30_000 : 0);
    const again = await create(await signIn(account));
    expect(again).toMatchObject(invalid('Idempotency-Key', 'usable'));
    expect(JSON.stringify(again.body)).not.toContain(shareToken);
    const listed = await (await signIn(account))('GET', `${path}/shares`);
    expect(listed.body.pagination.totalCount).toBe(1);
  });
});
