import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startWithAdministrator } from '../test/support/administrator.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { query } from '../test/support/postgres/cluster.ts';
import { urlOfFolder } from '../test/support/postgres/databases.ts';
import { newVault } from '../test/support/resources.ts';
import { startTestServer } from '../test/support/server.ts';

// What a transaction waits for. Another connection has locks, as another process would.

/** Begins a transaction that runs a statement, and ends with the test. */
async function hold(data: string, sql: string, ...values: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: urlOfFolder(data) });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  const { rowCount } = await client.query(sql, [...values]);
  expect(rowCount).toBe(1);
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
