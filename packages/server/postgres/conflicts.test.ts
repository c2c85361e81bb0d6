import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Cluster, query, startCluster } from '../test/support/postgres/cluster.ts';
import { faultOf } from '../test/support/postgres/conflicts.ts';

// What `ISOLATION=serializable npm run test:postgres` reports.

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ isSerializable: true });
  await query(cluster, 'CREATE TABLE counters (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)');
  await query(cluster, 'INSERT INTO counters VALUES (1, 0), (2, 0)');
});

afterAll(() => cluster.remove());

async function begin(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  // The first statement takes the snapshot.
  await client.query('SELECT pg_sleep(0)');
  return client;
}

/** Returns the faults of the conflicts that work causes, one for each conflict. */
async function faultsOf(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const before = await cluster.conflicts();
  await expect(work()).rejects.toMatchObject({ code: '40001' });
  return (await cluster.conflicts()).slice(before.length).map(faultOf);
}

const read = (id: number) => `SELECT value FROM counters WHERE id = ${id}`;
const lock = (id: number) => `${read(id)} FOR NO KEY UPDATE`;
const write = (id: number) => `UPDATE counters SET value = 5 WHERE id = ${id}`;

test('a change of a row that was read without a lock is reported', async () => {
  const faults = await faultsOf(async () => {
    const [first, second] = [await begin(), await begin()];
    for (const client of [first, second]) await client.query(read(1));
    await first.query(write(1));
    await first.query('COMMIT');
    await second.query(write(1));
  });
  expect(faults).toEqual([write(1)]);
});

test('a change of a row that was locked when it was read is not reported', async () => {
  const faults = await faultsOf(async () => {
    const [first, second] = [await begin(), await begin()];
    await first.query(lock(1));
    await first.query(write(1));
    await first.query('COMMIT');
    await second.query(lock(1));
  });
  expect(faults).toEqual([undefined]);
});

test('a change that adds to the value of a row is not reported', async () => {
  const faults = await faultsOf(async () => {
    const [first, second] = [await begin(), await begin()];
    for (const client of [first, second]) {
      await client.query('UPDATE counters SET value = value + 1 WHERE id = 1');
      await client.query('COMMIT');
    }
  });
  expect(faults).toEqual([undefined]);
});

test('a change by a trigger is reported by the statement of the trigger', async () => {
  await query(cluster, 'CREATE TABLE notes (id BIGINT)');
  await query(
    cluster,
    `CREATE FUNCTION count_notes() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN ${write(2)}; RETURN NULL; END $$`,
  );
  await query(
    cluster,
    'CREATE TRIGGER count_notes AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION count_notes()',
  );
  const faults = await faultsOf(async () => {
    const [first, second] = [await begin(), await begin()];
    await first.query(write(2));
    await first.query('COMMIT');
    await second.query('INSERT INTO notes VALUES (1)');
  });
  expect(faults).toEqual([write(2)]);
});

test('a change after a read without a lock of a row that another transaction changes is reported', async () => {
  const faults = await faultsOf(async () => {
    const [first, second] = [await begin(), await begin()];
    await first.query(read(1));
    await second.query(read(2));
    await first.query(write(2));
    await second.query(write(1));
    await first.query('COMMIT');
    await second.query('COMMIT');
  });
  expect(faults).toEqual([read(2)]);
});

test('a read/write dependency of transactions that read only locked rows is not reported', () => {
  const reason = 'read/write dependencies among transactions';
  expect(faultOf({ reason, statements: [lock(1), write(1), 'COMMIT'] })).toBeUndefined();
  expect(faultOf({ reason, statements: [lock(1), read(2), write(1)] })).toBe(read(2));
});
