import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startWithAdministrator } from '../test/support/administrator.ts';
import { urlOfFolder } from '../test/support/postgres/databases.ts';

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
