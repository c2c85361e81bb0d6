// A process that uses a data folder until it is killed. Its first argument names the task.
import { writeSync } from 'node:fs';
import { openSqlite, type SqliteDriver } from '../../src/store/sqlite/driver.ts';

const [, , task, folder = ''] = process.argv;

/**
 * Writes a line synchronously, so that no line is late. Uses the file descriptor, because opening
 * `process.stdout` makes it non-blocking: a write to a full pipe would then fail instead of waiting.
 */
const say = (line: string) => writeSync(1, `${line}\n`);

const put = (driver: SqliteDriver, key: string, value: Uint8Array | number) =>
  driver.transaction((queries) =>
    queries.run('INSERT INTO entries (key, value) VALUES (@key, @value)', { key, value }),
  );

/** Writes pairs of rows endlessly, eight transactions at a time, and prints the durable ones. */
async function write(driver: SqliteDriver): Promise<void> {
  let last = 0;
  const writePair = async (): Promise<never> => {
    for (;;) {
      last += 1;
      const value = last;
      await driver.transaction(async (queries) => {
        const insert = 'INSERT INTO entries (key, value) VALUES (@key, @value)';
        await queries.run(insert, { key: `left ${value}`, value });
        await queries.run(insert, { key: `right ${value}`, value });
      });
      say(`${value}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, writePair));
}

const describeError = (error: Error & { code?: string }): string =>
  error.cause instanceof Error
    ? `${error.name}: ${describeError(error.cause)}`
    : (error.code ?? error.name);

/** For a process with a file size limit: prints the result of each transaction. */
async function writeTooMuch(driver: SqliteDriver): Promise<void> {
  // The first large transaction fails at the commit. The second does not fit into the cache and fails earlier.
  for (const size of [3, 20]) {
    const outcomes = await Promise.allSettled([
      put(driver, `before ${size}`, 1),
      put(driver, `large ${size}`, new Uint8Array(size * 1024 * 1024)),
      put(driver, `after ${size}`, 1),
    ]);
    for (const outcome of outcomes) {
      say(outcome.status === 'fulfilled' ? 'written' : describeError(outcome.reason));
    }
  }
  await put(driver, 'at last', 1);
  say(`damage: ${driver.damage?.message ?? 'none'}`);
  const rows = await driver.reader.all<{ key: string }>('SELECT key FROM entries ORDER BY key');
  say(rows.map(({ key }) => key).join());
  await driver.close();
}

/** For a process with a file size limit: leaves rows in the WAL that do not fit into the database file. */
async function closeWithoutRoom(driver: SqliteDriver): Promise<void> {
  await put(driver, 'second half', new Uint8Array(700 * 1024));
  await driver.close();
  say(`failed checkpoints: ${driver.statistics.failedCheckpoints}`);
}

const driver = await openSqlite({ folder });
if (task === 'write') await write(driver);
if (task === 'write-too-much') await writeTooMuch(driver);
if (task === 'close-without-room') await closeWithoutRoom(driver);
if (task === 'hold') {
  say('open');
  setInterval(() => {}, 60_000);
}
