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
import {
  type Caller,
  type Reply,
  startTestServer,
  type TestServerOptions,
} from '../test/support/server.ts';

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
  // Null for a statement without rows.
  expect(rowCount ?? 1).toBe(1);
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

/** Starts a server with a webhook of all accounts, and two of these accounts. */
async function startWithWebhookOfAll(options: TestServerOptions = {}) {
  const server = await startWithAdministrator(options);
  const url = urlOfFolder(server.data) ?? expect.fail();
  const { status, body } = await server.admin('POST', '/api/v1/webhooks', {
    body: {
      url: 'http://127.0.0.1:1/',
      accounts: 'all',
      active: false,
      events: ['vault.created'],
      secret: 'a secret of 32 characters or more',
    },
  });
  expect(status).toBe(201);
  const [ada, bob] = await Promise.all(
    ['ada', 'bob'].map(async (name) => (await server.signUp(`${name}@example.com`)).call),
  );
  return {
    ...server,
    url,
    ada: ada ?? expect.fail(),
    bob: bob ?? expect.fail(),
    statistics: async () => (await server.admin('GET', `/api/v1/webhooks/${body.id}`)).body.stats,
  };
}

test('two accounts whose changes one webhook receives do not wait for each other', async () => {
  const { data, url, ada, bob, statistics } = await startWithWebhookOfAll();
  // The last statement of a transaction with an Idempotency-Key waits for this lock.
  const release = await hold(data, 'LOCK TABLE idempotency_outcomes IN SHARE MODE');
  const headers = { 'idempotency-key': 'one' };
  const waiting = ada('POST', '/api/v1/vaults', { headers, body: { name: 'Taxes' } });
  await untilWaiting(url, 1);
  expect((await newVaultOf(bob)).status).toBe(201);
  await untilWaiting(url, 1);
  expect(await statistics()).toMatchObject({ totalDeliveries: 1 });
  await release();
  expect((await waiting).status).toBe(201);
  expect(await statistics()).toMatchObject({ totalDeliveries: 2 });
});

test('two accounts whose changes a full queue drops do not wait for each other', async () => {
  const { data, url, ada, bob, statistics } = await startWithWebhookOfAll({
    webhookDeliveries: { free: 2, paid: 2, enterprise: 2 },
  });
  expect((await newVaultOf(bob)).status).toBe(201);
  const release = await hold(data, 'LOCK TABLE idempotency_outcomes IN SHARE MODE');
  const headers = { 'idempotency-key': 'one' };
  const waiting = ada('POST', '/api/v1/vaults', { headers, body: { name: 'Taxes' } });
  await untilWaiting(url, 1);
  expect((await newVaultOf(bob)).status).toBe(201);
  await untilWaiting(url, 1);
  await release();
  expect((await waiting).status).toBe(201);
  expect(await statistics()).toMatchObject({ totalDeliveries: 1, droppedDeliveries: 2 });
});

test('120 changes of two accounts wait for no row of the statistics of a webhook', async () => {
  const { data, url, ada, bob, statistics } = await startWithWebhookOfAll();
  const release = await hold(data, 'SELECT 1 FROM webhook_statistics FOR UPDATE');
  for (let made = 0; made < 60; made += 1) {
    for (const call of [ada, bob]) expect((await newVaultOf(call)).status).toBe(201);
  }
  expect(await statistics()).toMatchObject({ totalDeliveries: 120 });
  await release();
  // The next change counts what has waited.
  expect((await newVaultOf(ada)).status).toBe(201);
  expect(await query({ url }, 'SELECT 1 FROM uncounted_deliveries')).toEqual([]);
  expect(await statistics()).toMatchObject({ totalDeliveries: 121 });
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
