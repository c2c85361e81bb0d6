import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../src/store/sqlite/connection.ts';
import { dataFolder, inDatabase, makeAdmin, rowsIn, usedBytes } from './support/data-folder.ts';
import { comparable, refusal } from './support/front-door.ts';
import { testsPostgres } from './support/postgres/databases.ts';
import { invalid } from './support/replies.ts';
import { newConsent, newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { type Account, type Reply, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const path = '/api/v1/users/me';

/** The tables with rows of an account, without the log of events, which keeps them. */
const ownedTables = testsPostgres
  ? `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name = 'user_id' AND table_name <> 'events'`
  : `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%user_id%' AND name <> 'events'`;

let server: TestServer;
let ada: Account;
let data: string;
/** Made an administrator between two starts of the server on the same data. */
let admin: Account;
beforeEach(async () => {
  data = await dataFolder();
  const first = await startTestServer({ data });
  admin = await first.signUp('admin@example.com');
  await first.close();
  makeAdmin(data, admin.email);
  server = await startTestServer({ data });
  admin = { ...admin, call: await server.signIn(admin) };
  ada = await server.signUp('ada@example.com');
});

const remove = (body: object = { password: ada.password }) => ada.call('DELETE', path, { body });

const idOf = async ({ call }: Account): Promise<string> => (await call('GET', path)).body.id;

const respond500 = (response: ServerResponse) => response.writeHead(500).end();

/** Creates one of each resource that an account can own. */
async function createOneOfEach({ call }: Account) {
  const vault = await newVault(call);
  const document = await newDocument(call, vault.id, 'twelve bytes');
  const { shareToken } = await newShare(call, document.id, { access: 'anyone' });
  await newConsent(call);
  const { key } = await newKey(call, ['vaults:read']);
  const headers = { 'idempotency-key': 'one' };
  await call('POST', '/api/v1/vaults', { body: { name: 'Second' }, headers });
  return { shareToken, key, vaultId: vault.id, documentId: document.id };
}

describe('DELETE /users/me', () => {
  test('removes all rows and files of the account, and none of other accounts', async () => {
    await createOneOfEach(ada);
    await newDocument(server.developer, (await newVault(server.developer)).id, 'stays');
    await newConsent(server.developer);
    const own = await listen({ server, call: ada.call, reply: respond500 });
    await newVault(ada.call);
    await server.settled();
    expect(own.requests.length).toBeGreaterThan(0);
    expect(await remove()).toMatchObject({ status: 204, body: undefined });
    server.clock.advance(60_000);
    await server.settled();
    await server.close();

    const left = inDatabase(data, (database) => {
      const tables = database.prepare(ownedTables).pluck().all() as string[];
      expect(tables).toEqual(
        expect.arrayContaining(['api_keys', 'consents', 'documents', 'sessions', 'shares']),
      );
      const count = (sql: string) => Number(database.prepare(sql).pluck().get());
      return {
        owned: tables.map((name) => [
          name,
          count(`SELECT COUNT(*) FROM ${name} WHERE user_id = '${ada.userId}'`),
        ]),
        orphans: database.pragma('foreign_key_check'),
        others: ['users', 'vaults', 'documents', 'document_contents', 'consents', 'deliveries'].map(
          (name) => count(`SELECT COUNT(*) FROM ${name}`),
        ),
      };
    });
    expect(left.owned).toEqual(left.owned.map(([name]) => [name, 0]));
    expect(left.orphans).toEqual([]);
    expect(left.others).toEqual([2, 1, 1, 1, 1, 0]);
    expect(usedBytes(data)).toBe('stays'.length);
  });

  // Looks at PostgreSQL block this process, which is also the server.
  test.skipIf(testsPostgres)(
    'removes thousands of rows in steps, and serves other requests between them',
    async () => {
      const webhook = await listen({ server, call: ada.call, fields: { active: false } });
      await newVault(ada.call);
      await server.close();
      const count = 5_000;
      inDatabase(data, (database) =>
        database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        INSERT INTO deliveries (id, webhook_id, event_id, event_type, test, status, created_at, completed_at)
        SELECT 'dlv_' || i, '${webhook.id}', id, type, 0, 'failed', 0, 0
        FROM n JOIN events ON type = 'vault.created';
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        INSERT INTO idempotency_outcomes (user_id, call_hash, status, body, created_at)
        SELECT '${ada.userId}', randomblob(32), 201, x'', 0 FROM n;`),
      );
      server = await startTestServer({ data });
      ada = { ...ada, call: await server.signIn(ada) };

      let isGone = false;
      const removed = remove().finally(() => {
        isGone = true;
      });
      const left = { deliveries: new Set<number>(), idempotency_outcomes: new Set<number>() };
      while (!isGone) {
        expect(await server.developer('GET', path)).toMatchObject({ status: 200 });
        for (const [table, seen] of Object.entries(left)) seen.add(rowsIn(data, table));
      }
      expect(await removed).toMatchObject({ status: 204 });
      for (const seen of Object.values(left)) {
        const between = [...seen].filter((rows) => rows > 100 && rows < count);
        expect(between).not.toEqual([]);
      }
      expect(rowsIn(data, 'deliveries')).toBe(0);
      expect(await ada.call('GET', path)).toMatchObject(refusal('INVALID_TOKEN'));
    },
  );

  // It observes the connection of SQLite. The steps are the same on PostgreSQL.
  test.skipIf(testsPostgres)(
    'removes thousands of vaults and refresh tokens, a hundred rows in a statement',
    async () => {
      await server.close();
      const count = 2_500;
      inDatabase(data, (database) =>
        database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        INSERT INTO vaults (id, user_id, instance_id, name, name_folded, category, is_active, total_size,
          created_at, updated_at)
        SELECT 'vault-' || i, u.id, u.instance_id, 'Many', 'many', 'c' || i, 1, 3, i, i
        FROM n JOIN users u ON u.id = '${ada.userId}';
        UPDATE account_usage SET vaults = ${count}, total_size = 3 * ${count}, bytes = 100 * ${count}
          WHERE user_id = '${ada.userId}';
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        INSERT INTO refresh_tokens (hash, session_id, created_at, expires_at)
        SELECT randomblob(32), (SELECT id FROM sessions WHERE user_id = '${ada.userId}'), 0,
          9e15 FROM n;`),
      );
      server = await startTestServer({ data });
      ada = { ...ada, call: await server.signIn(ada) };
      const kept = await newVault(server.developer);
      const run = vi.spyOn(Connection.prototype, 'run');
      onTestFinished(() => run.mockRestore());
      expect((await remove()).status).toBe(204);

      const removals = run.mock.calls
        .map(([sql], index) => ({ sql, rows: run.mock.results[index]?.value.changes as number }))
        .filter(({ sql }) => sql.trim().startsWith('DELETE'));
      for (const { sql, rows } of removals) expect(rows, sql).toBeLessThanOrEqual(100);
      // The deletion of the account itself removes the rest.
      for (const table of ['vaults', 'refresh_tokens']) {
        const removed = removals
          .filter(({ sql }) => sql.includes(`DELETE FROM ${table} `))
          .reduce((sum, { rows }) => sum + rows, 0);
        expect(removed, table).toBeGreaterThanOrEqual(count - 200);
      }
      expect(rowsIn(data, 'vaults')).toBe(1);
      expect((await server.developer('GET', `/api/v1/vaults/${kept.id}`)).status).toBe(200);
      const { body } = await server.developer('GET', '/api/v1/instances');
      expect(body.data).toMatchObject([{ usedBytes: 0 }]);
      expect(usedBytes(data)).toBe(0);
    },
  );

  test('invalidates all credentials of the account and frees its email address', async () => {
    const { shareToken, key } = await createOneOfEach(ada);
    const credentials = { email: ada.email, password: ada.password };
    const login = (body: object) => server.anonymous('POST', '/auth/login', { body });
    const { refreshToken } = (await login(credentials)).body;
    expect((await remove()).status).toBe(204);

    expect(await ada.call('GET', path)).toMatchObject(refusal('INVALID_TOKEN'));
    expect(await remove()).toMatchObject(refusal('INVALID_TOKEN'));
    const byKey = await server.withKey(key)('GET', '/api/v1/vaults');
    expect(byKey).toMatchObject(refusal('INVALID_API_KEY'));
    const refreshed = await server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });
    expect(refreshed).toMatchObject(refusal('INVALID_TOKEN'));
    const refused = await login(credentials);
    expect(refused).toMatchObject(refusal('INVALID_TOKEN'));
    const unknown = await login({ ...credentials, email: 'unknown@example.com' });
    expect(comparable(refused)).toEqual(comparable(unknown));
    const share = await server.anonymous('GET', `/shares/${shareToken}`);
    expect(share).toMatchObject(refusal('NOT_FOUND'));

    const again = await server.signUp(ada.email);
    expect(again.userId).not.toBe(ada.userId);
    expect((await again.call('GET', '/api/v1/vaults')).body.data).toEqual([]);
  });

  test('emits user.deleted to the webhooks of administrators only', async () => {
    const own = await listen({ server, call: ada.call });
    const stranger = await listen({ server, call: server.developer });
    const all = await listen({ server, call: admin.call });
    const { vaultId } = await createOneOfEach(ada);
    await server.settled();
    own.requests.splice(0);
    all.requests.splice(0);

    // Its delivery to administrators is pending when the account is deleted.
    await ada.call('DELETE', `/api/v1/vaults/${vaultId}`);
    const reply = await remove();
    expect((await all.events()).toSorted((a, b) => (a.type < b.type ? -1 : 1))).toMatchObject([
      {
        type: 'user.deleted',
        data: { object: { id: ada.userId } },
        context: { userId: ada.userId, requestId: reply.headers.get('x-request-id') },
      },
      { type: 'vault.deleted', data: { object: { id: vaultId } } },
    ]);
    const types = (await own.events()).map(({ type }) => type);
    expect(types).not.toContain('user.deleted');
    expect(await stranger.events()).toEqual([]);
  });

  test('by an administrator emits no event to the deleted account, and keeps other accounts', async () => {
    await admin.call('PUT', `/api/v1/users/${await idOf(ada)}`, { body: { role: 'admin' } });
    const own = await listen({ server, call: admin.call });
    const body = { password: admin.password };
    expect((await admin.call('DELETE', path, { body })).status).toBe(204);
    expect(await own.events()).toEqual([]);
    expect((await ada.call('GET', path)).status).toBe(200);
  });

  test('by the last active administrator returns 400 lastAdministrator and deletes nothing', async () => {
    await createOneOfEach(admin);
    const own = await listen({
      server,
      call: admin.call,
      events: ['user.deleted', 'vault.deleted'],
    });
    const id = await idOf(ada);
    const administer = (body: object) => admin.call('PUT', `/api/v1/users/${id}`, { body });
    // A suspended administrator is none.
    for (const change of [{ role: 'user' }, { role: 'admin', status: 'suspended' }]) {
      await administer(change);
      const reply = await admin.call('DELETE', path, { body: { password: admin.password } });
      expect(reply).toMatchObject(invalid('role', 'lastAdministrator'));
    }
    expect((await admin.call('GET', '/api/v1/vaults')).body.data).toHaveLength(2);
    expect(await own.events()).toEqual([]);
    await administer({ status: 'active' });
    const reply = await admin.call('DELETE', path, { body: { password: admin.password } });
    expect(reply.status).toBe(204);
  });

  test('by two administrators at the same time leaves one of them', async () => {
    await admin.call('PUT', `/api/v1/users/${await idOf(ada)}`, { body: { role: 'admin' } });
    const body = (account: Account) => ({ body: { password: account.password } });
    const replies = await Promise.all(
      [ada, admin].map((account) => account.call('DELETE', path, body(account))),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  test('without the right password returns 400 and deletes nothing', async () => {
    await createOneOfEach(ada);
    const webhook = await listen({ server, call: ada.call });
    const { key } = await newKey(ada.call, ['users:write', 'users:read']);
    for (const [body, field, constraint] of [
      [{ password: 'wrong' }, 'password', 'match'],
      [{ password: '' }, 'password', 'minLength'],
      [{}, 'password', 'required'],
      [{ password: ada.password, sure: true }, 'sure', 'additionalProperties'],
      [undefined, 'body', 'required'],
    ] as const) {
      for (const call of [ada.call, server.withKey(key)]) {
        const reply = await call('DELETE', path, { body });
        expect(reply, JSON.stringify(body)).toMatchObject(invalid(field, constraint));
      }
    }
    expect((await ada.call('GET', '/api/v1/vaults')).body.data).toHaveLength(2);
    expect(await webhook.events()).toEqual([]);
    const { key: weak } = await newKey(ada.call, ['users:read']);
    expect(
      await server.withKey(weak)('DELETE', path, { body: { password: ada.password } }),
    ).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
  });

  test('sent twice at once returns 204 and 401, and concurrent requests return 200, 201 or 401', async () => {
    const { key } = await newKey(ada.call, ['vaults:write']);
    const create = (number: number) => {
      const headers = { 'idempotency-key': `key ${number}` };
      const call = number % 2 === 0 ? ada.call : server.withKey(key);
      return call('POST', '/api/v1/vaults', { body: { name: 'Late' }, headers });
    };
    const login = () =>
      server.anonymous('POST', '/auth/login', {
        body: { email: ada.email, password: ada.password },
      });
    let isDeleted = false;
    const deletions = Promise.all([remove(), remove()]).finally(() => {
      isDeleted = true;
    });
    const others: Reply[] = [];
    for (let round = 0; !isDeleted; round += 2) {
      others.push(...(await Promise.all([create(round), create(round + 1), login()])));
    }
    expect((await deletions).map(({ status }) => status).toSorted()).toEqual([204, 401]);
    for (const { status } of others) expect([200, 201, 401]).toContain(status);
    expect(await ada.call('GET', path)).toMatchObject(refusal('INVALID_TOKEN'));
    await server.close();
    const orphans = inDatabase(data, (database) => database.pragma('foreign_key_check'));
    expect(orphans).toEqual([]);
  });

  test('invalidates the credentials of a request whose body is still being sent', async () => {
    const { key } = await newKey(ada.call, ['vaults:write']);
    const credentials = { email: ada.email, password: ada.password };
    const { body } = await server.anonymous('POST', '/auth/login', { body: credentials });
    const authorization = `Bearer ${body.accessToken}`;
    const slow = [
      { send: await beginCreation({ authorization }), code: 'INVALID_TOKEN' },
      { send: await beginCreation({ 'x-api-key': key }), code: 'INVALID_API_KEY' },
      {
        send: await beginCreation({ authorization, 'idempotency-key': 'two' }),
        code: 'INVALID_TOKEN',
      },
    ];
    expect((await remove()).status).toBe(204);
    for (const { send, code } of slow) expect(await send()).toMatchObject({ error: { code } });
  });

  /** Sends a request except its last byte, and returns a function that sends that byte. */
  async function beginCreation(headers: Readonly<Record<string, string>>) {
    const body = JSON.stringify({ name: 'Late' });
    const sending = request(`${server.url}/api/v1/vaults`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(body.length),
      },
    });
    await new Promise((resolve) => sending.write(body.slice(0, -1), resolve));
    return async () => {
      const response = once(sending, 'response') as Promise<[IncomingMessage]>;
      sending.end(body.slice(-1));
      return json((await response)[0]);
    };
  }
});
