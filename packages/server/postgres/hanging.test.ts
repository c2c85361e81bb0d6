import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openPostgres, type PostgresDriver } from '../src/store/postgres/driver.ts';
import { CommitUnknownError } from '../src/store/store-errors.ts';
import { createDatabase, emptyTemplate } from '../test/support/postgres/databases.ts';

// A database that accepts connections and bytes, and sends nothing. The driver connects to it through a proxy.

/** Listens in the place of PostgreSQL until the test ends. From `hang` on, it passes no bytes to it. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>();
  let hangs = false;
  let held = 0;
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [client, database].map((each) => each.destroy()));
    }
    client.on('data', (bytes) => {
      if (hangs) held += 1;
      else database.write(bytes);
    });
    database.on('data', (bytes) => client.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    hang: () => {
      hangs = true;
    },
    /** Chunks of bytes that have arrived since. */
    held: () => held,
  };
}

let proxy: Awaited<ReturnType<typeof startProxy>>;
let driver: PostgresDriver;
beforeEach(async () => {
  const database = await createDatabase(emptyTemplate);
  onTestFinished(database.drop);
  proxy = await startProxy(new URL(database.url));
  driver = await openPostgres({ url: proxy.url });
  onTestFinished(async () => {
    vi.useRealTimers();
    await driver.close();
  });
});

const one = 'SELECT 1 AS one';

/** Returns the message with which a call rejects within a turn after 20 seconds, and the number of sent queries. */
async function outcomeOf(call: () => Promise<unknown>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  proxy.hang();
  const outcome = call().then(String, (error: Error) => error.message);
  // Not by `expect.poll`, which advances the timers.
  while (proxy.held() === 0) await new Promise(setImmediate);
  vi.advanceTimersByTime(19_999);
  const turn = () => new Promise((resolve) => setImmediate(resolve, 'pending'));
  expect(await Promise.race([outcome, turn()])).toBe('pending');
  vi.advanceTimersByTime(1);
  // The next attempt of a call that is repeated would wait for ever: its timer does not advance.
  const later = turn().then(turn).then(turn);
  return Promise.race([outcome, later]);
}

test('a read rejects after 20 seconds when the database hangs, and is not sent again', async () => {
  await driver.reader.get(one);
  expect(await outcomeOf(() => driver.reader.get(one))).toBe('Query read timeout');
  expect(proxy.held()).toBe(1);
});

test('a transaction rejects after 20 seconds when the database hangs, and does not run again', async () => {
  await driver.transaction((queries) => queries.get(one));
  let attempts = 0;
  const outcome = await outcomeOf(() =>
    driver.transaction((queries) => {
      attempts += 1;
      return queries.get(one);
    }),
  );
  expect(outcome).toMatch(/^(Query read timeout|Connection terminated)/);
  expect(attempts).toBe(1);
});

test('a commit rejects after one look for its outcome when the database hangs', async () => {
  await driver.transaction((queries) => queries.get(one));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const outcome = driver
    .transaction(async (queries) => {
      await queries.get(one);
      proxy.hang();
    })
    .then(String, (error: unknown) => error);
  // Each is sent after the time limit of the one before: COMMIT, then the look.
  for (const sent of [1, 2]) {
    while (proxy.held() < sent) await new Promise(setImmediate);
    vi.advanceTimersByTime(30_000);
  }
  expect(await outcome).toBeInstanceOf(CommitUnknownError);
  expect(proxy.held()).toBe(2);
});

test('every connection sends keepalive probes after 10 idle seconds, the one that listens too', async () => {
  const setKeepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
  onTestFinished(() => setKeepAlive.mockRestore());
  const other = await openPostgres({ url: proxy.url });
  onTestFinished(() => other.close());
  await other.reader.get(one);
  await other.wakeUps.open();
  const kept = setKeepAlive.mock.calls.filter(([, delay]) => delay === 10_000);
  // Two look for a pooler, one reads, one writes, one listens.
  expect(kept).toEqual(Array(5).fill([true, 10_000]));
});
