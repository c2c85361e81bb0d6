import { expect, test } from 'vitest';
import { leastIdAt } from '../src/lib/ids.ts';
import type { CommitPosition } from '../src/store/rows/webhooks/events.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { openDatabase } from '../test/support/delivery/database.ts';
import { command, databaseOf } from '../test/support/postgres/databases.ts';
import { newVault } from '../test/support/resources.ts';
import { startTestServer } from '../test/support/server.ts';

/** Ends a transaction without a commit. */
class Undone extends Error {}

test('a reader misses no event of 24 writers, and reads none twice', async () => {
  const database = await openDatabase();
  const { store } = database;
  const userId = await database.addUser();
  const { instanceId } = (await store.users.find(userId)) ?? expect.fail();
  const expected = new Set<string>();

  /** Records an event, and commits after up to 60 ms: later than writers that began after it. */
  async function write(n: number): Promise<void> {
    // The lesser ids are recorded last.
    const id = leastIdAt('evt', 100_000 - n).padEnd(36, '7');
    const event = { id, userId, instanceId, type: 'vault.created', body: `${n}`, test: false };
    const isUndone = n % 20 === 0;
    const writing = store.transaction(async (tx) => {
      await tx.events.insert(event);
      for (let waits = 0; waits < (n * 7) % 13; waits += 1) await tx.users.find(userId);
      if (isUndone) throw new Undone();
    });
    await writing.catch((error) => {
      if (!(error instanceof Undone)) throw error;
    });
    if (!isUndone) expected.add(id);
  }

  let isWriting = true;
  let after: CommitPosition = await store.events.end();
  async function writer(first: number): Promise<void> {
    for (let n = first; n < 1_200; n += 24) await write(n);
  }
  const found: string[] = [];
  async function read(): Promise<number> {
    const filter = { userId, types: undefined, after, pageSize: 50 };
    const { rows, position } = await store.events.committed(filter);
    found.push(...rows.map(({ id }) => id));
    after = position;
    return found.length;
  }
  async function reader(): Promise<void> {
    while (isWriting) await read();
  }
  const reading = reader();
  await Promise.all(Array.from({ length: 24 }, (_, first) => writer(first)));
  isWriting = false;
  await reading;
  await expect.poll(read).toBe(1_140);
  expect(new Set(found)).toEqual(expected);
  await database.close();
});

test('a cursor lists the events of requests in the order of their commits', async () => {
  const { developer } = await startTestServer();
  const page = async (query: string) => (await developer('GET', `/api/v1/events?${query}`)).body;
  let { cursor } = await page('pageSize=1');
  const names = ['1', '2', '3', '4'];
  for (const name of names) await newVault(developer, { name });
  const found: string[] = [];
  // Transactions of other databases keep events back while they run.
  await expect
    .poll(async () => {
      const next = await page(`type=vault.created&pageSize=2&after=${cursor}`);
      for (const event of next.data) found.push(event.data.object.name);
      cursor = next.cursor;
      return found;
    })
    .toEqual(names);
});

test('events of a dump from a server with more transactions are settled at the next start', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  await newVault(first.developer, { name: 'Taxes' });
  await first.close();
  const { url } = (await databaseOf(data)) ?? expect.fail();
  await command('UPDATE events SET tx = tx + 1000000000', new URL(url).pathname.slice(1));
  const { developer, store } = await startTestServer({ data });
  const committed = () =>
    store.events.committed({
      userId: null,
      types: ['vault.created'],
      after: { tx: -1, number: 0 },
      pageSize: 10,
    });
  expect((await developer('GET', '/api/v1/events?type=vault.created')).body.data).toHaveLength(1);
  expect((await committed()).rows).toHaveLength(1);
});
