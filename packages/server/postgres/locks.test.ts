import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startWithAdministrator } from '../test/support/administrator.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import {
  authorizationUrl,
  Browser,
  getCode,
  pkce,
  redeem,
  startOAuthServer,
} from '../test/support/oauth.ts';
import { query } from '../test/support/postgres/cluster.ts';
import { urlOfFolder } from '../test/support/postgres/databases.ts';
import { newVault } from '../test/support/resources.ts';
import { type Caller, type Reply, startTestServer } from '../test/support/server.ts';

// What a transaction waits for. Another connection has locks, as another process would.

/**
 * Begins a transaction that runs a statement, and is rolled back with the test.
 *
 * @returns a function that ends it earlier
 */
async function hold(data: string, sql: string, ...values: readonly string[]) {
  const client = new pg.Client({ connectionString: urlOfFolder(data) });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  const { rowCount } = await client.query(sql, [...values]);
  expect(rowCount).toBe(1);
  return (end: 'COMMIT' | 'ROLLBACK' = 'ROLLBACK') => client.query(end);
}

/** Resolves when as many transactions wait for a lock. */
async function untilWaiting(url: string, count: number): Promise<void> {
  const waiting = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
  await expect.poll(() => query({ url }, waiting)).toHaveLength(count);
}

test('a change of an account waits for no administrator but the caller', async () => {
  const { admin, data, signUp } = await startWithAdministrator();
  const idOf = async (call: typeof admin): Promise<string> =>
    (await call('GET', '/api/v1/users/me')).body.id;
  const [ada, bob, eve] = await Promise.all(
    ['ada', 'bob', 'eve'].map(async (name) => idOf((await signUp(`${name}@example.com`)).call)),
  );
  const administer = async (id: string | undefined, body: object) => {
    const reply = await admin('PUT', `/api/v1/users/${id}`, { body });
    expect(reply.status).toBe(200);
  };
  for (const id of [ada, bob]) await administer(id, { role: 'admin' });
  await hold(data, 'SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', ada ?? '');
  // A statement that waits for a lock fails after five seconds.
  await administer(eve, { tier: 'free' });
  await administer(bob, { role: 'user' });
});

test('two administrators who demote each other at the same time wait in one order, without a deadlock', async () => {
  const { admin, data, ...server } = await startWithAdministrator();
  const url = urlOfFolder(data) ?? expect.fail();
  const accounts = await Promise.all(
    ['ada', 'bob'].map(async (name) => {
      const { userId, ...account } = await server.signUp(`${name}@example.com`);
      const promotion = { body: { role: 'admin' } };
      expect((await admin('PUT', `/api/v1/users/${userId}`, promotion)).status).toBe(200);
      return { userId, call: await server.signIn(account) };
    }),
  );
  const [lower = expect.fail(), upper = expect.fail()] = accounts.sort((a, b) =>
    a.userId < b.userId ? -1 : 1,
  );
  const release = await hold(data, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', lower.userId);
  const demotion = { body: { role: 'user' } };
  const replies = Promise.all([
    lower.call('PUT', `/api/v1/users/${upper.userId}`, demotion),
    upper.call('PUT', `/api/v1/users/${lower.userId}`, demotion),
  ]);
  await untilWaiting(url, 2);
  // Both wait for the same row. A deadlock would need one that has the other row.
  const free = `SELECT 1 AS free FROM users WHERE id = '${upper.userId}' FOR UPDATE NOWAIT`;
  expect(await query({ url }, free)).toEqual([{ free: 1 }]);
  await release();
  // The second one is no administrator any more.
  expect((await replies).map(({ status }) => status).sort()).toEqual([200, 403]);
});

/** Starts a server, and returns a change by each kind of credentials of one account. */
async function startWithCredentials() {
  const data = await dataFolder();
  const server = await startOAuthServer({ data });
  const { userId, call, ...account } = await server.signUp('ada@example.com');
  const key = await call('POST', '/api/v1/api-keys', {
    body: { name: 'Key', scopes: ['vaults:write'] },
  });
  const app = await server.register();
  const code = await getCode(server, app, account, { scope: 'vaults:write' });
  const { body: tokens } = await redeem(server, app, code);
  const login = await server.anonymous('POST', '/auth/login', { body: account });
  const { refreshToken } = login.body;
  const changes: Readonly<Record<string, () => Promise<Reply>>> = {
    session: () => newVaultOf(call),
    'refresh token': () => server.anonymous('POST', '/auth/refresh', { body: { refreshToken } }),
    'API key': () => newVaultOf(server.withKey(key.body.key)),
    app: () => newVaultOf(server.withToken(tokens.access_token)),
  };
  return { url: urlOfFolder(data) ?? expect.fail(), data, userId, changes };
}

const newVaultOf = (call: Caller) => call('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });

// A transaction that ends credentials locks the account first. In another order, both would wait for each other.
test('a change by any credentials waits for their account before it takes their rows', async () => {
  const { url, data, userId, changes } = await startWithCredentials();
  for (const [name, change] of Object.entries(changes)) {
    const release = await hold(data, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', userId);
    const reply = change();
    await untilWaiting(url, 1);
    for (const table of ['sessions', 'api_keys', 'oauth_grants', 'consents']) {
      const sql = `SELECT 1 AS free FROM ${table} WHERE user_id = '${userId}' FOR UPDATE NOWAIT`;
      expect(await query({ url }, sql), `${table} for ${name}`).toContainEqual({ free: 1 });
    }
    await release();
    expect((await reply).status, name).toBeLessThan(300);
  }
});

test('two administrators whose webhooks get the events of both take the webhooks in one order', async () => {
  const { admin, data, ...server } = await startWithAdministrator();
  const url = urlOfFolder(data) ?? expect.fail();
  const administrators = [];
  for (const name of ['ada', 'bob']) {
    const { userId, ...account } = await server.signUp(`${name}@example.com`);
    await admin('PUT', `/api/v1/users/${userId}`, { body: { role: 'admin' } });
    const call = await server.signIn(account);
    const webhook = {
      url: 'http://127.0.0.1:1/',
      events: ['vault.created'],
      secret: 'a secret of 32 characters or more',
    };
    const { status, body } = await call('POST', '/api/v1/webhooks', { body: webhook });
    expect(status).toBe(201);
    administrators.push({ call, webhookId: body.id as string });
  }
  const [lower = expect.fail(), upper = expect.fail()] = administrators.sort((a, b) =>
    a.webhookId < b.webhookId ? -1 : 1,
  );
  await newVault(admin);
  // The result of an attempt takes the webhook's row too.
  await server.settled();
  const counters = 'SELECT 1 AS free FROM webhook_statistics WHERE webhook_id =';
  const release = await hold(data, `${counters} $1 FOR UPDATE`, lower.webhookId);
  const replies = Promise.all([newVaultOf(lower.call), newVaultOf(upper.call)]);
  await untilWaiting(url, 2);
  // A deadlock would need one that has the other row.
  const free = `${counters} '${upper.webhookId}' FOR UPDATE NOWAIT`;
  expect(await query({ url }, free)).toEqual([{ free: 1 }]);
  await release();
  expect((await replies).map(({ status }) => status)).toEqual([201, 201]);
});

test('results of two webhooks that end together are recorded in different transactions', async () => {
  const data = await dataFolder();
  const server = await startTestServer({ data });
  const url = urlOfFolder(data) ?? expect.fail();
  const responses: (() => void)[] = [];
  const receiver = await startReceiver((response) => responses.push(() => response.end()));
  onTestFinished(() => receiver.close());
  const webhooks: string[] = [];
  for (const name of ['ada', 'bob']) {
    const { call } = await server.signUp(`${name}@example.com`);
    const { status, body } = await call('POST', '/api/v1/webhooks', {
      body: {
        url: receiver.url,
        events: ['vault.created'],
        secret: 'a secret of 32 characters or more',
      },
    });
    expect(status).toBe(201);
    webhooks.push(body.id);
    await newVault(call);
  }
  const [ada = expect.fail(), bob = expect.fail()] = webhooks;
  await receiver.received(2);
  await hold(data, 'SELECT 1 FROM webhook_statistics WHERE webhook_id = $1 FOR UPDATE', ada);
  for (const respond of responses) respond();

  // The deliveries that a transaction has changed which waits for the row.
  const changed = () =>
    query(
      { url },
      `SELECT DISTINCT d.webhook_id AS id FROM deliveries d
         JOIN pg_locks l ON l.locktype = 'transactionid' AND l.transactionid = d.xmax AND l.granted
       WHERE cardinality(pg_blocking_pids(l.pid)) > 0`,
    );
  await expect.poll(changed).toEqual([{ id: ada }]);
  const recorded = () =>
    query({ url }, `SELECT status FROM deliveries WHERE webhook_id = '${bob}'`);
  await expect.poll(recorded).toEqual([{ status: 'succeeded' }]);
  expect(await changed()).toEqual([{ id: ada }]);
});

test('an approval of an app that is being deleted waits for the deletion, and leaves no consent', async () => {
  const data = await dataFolder();
  const server = await startOAuthServer({ data });
  const url = urlOfFolder(data) ?? expect.fail();
  const account = await server.signUp('ada@example.com');
  const app = await server.register();
  const browser = new Browser(server);
  const asked = authorizationUrl(server, app, { code_challenge: pkce().challenge });
  const { email, password } = account;
  const page = await browser.submit(await browser.open(asked), { email, password });
  expect(page.html).toContain('name="scope"');
  const release = await hold(data, 'DELETE FROM oauth_clients WHERE id = $1', app.id);
  const approval = browser.submit(page, {});
  await untilWaiting(url, 1);
  await release('COMMIT');
  expect((await approval).leaves?.searchParams.has('code')).not.toBe(true);
  const rows = 'SELECT id FROM consents UNION ALL SELECT id FROM oauth_grants';
  expect(await query({ url }, rows)).toEqual([]);
});
