import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Checkpointer } from '../../src/store/sqlite/checkpointer.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { writerSettings } from '../../src/store/sqlite/settings.ts';
import { dataFolder } from '../support/data-folder.ts';

const options = { readonly: false, busyTimeout: 1000, settings: writerSettings('full') };
let file: string;
let connection: Connection;
let checkpointer: Checkpointer;

beforeEach(async () => {
  file = join(await dataFolder(), 'test.db');
  connection = new Connection(file, options);
  connection.script(
    'CREATE TABLE entries (value BLOB); INSERT INTO entries VALUES (ZEROBLOB(1000000))',
  );
  checkpointer = new Checkpointer(file, options);
});

afterEach(async () => {
  await checkpointer.close();
  connection.close();
});

test('a checkpoint writes the WAL into the database file, while the event loop runs', async () => {
  const before = (await stat(file)).size;
  const checkpoint = checkpointer.checkpoint().then(() => 'checkpoint');
  expect(await Promise.race([checkpoint, setImmediate('turn')])).toBe('turn');
  await checkpoint;
  expect((await stat(file)).size).toBeGreaterThan(before + 1_000_000 - 8192);
});

test('a file that cannot be opened rejects every checkpoint', async () => {
  const late = new Checkpointer(join(file, 'late.db'), options);
  for (const _ of [1, 2]) await expect(late.checkpoint()).rejects.toThrow('unable to open');
  await late.close();
});

test('a file that is not a database rejects with the SqliteError of the thread', async () => {
  await writeFile(`${file}.txt`, 'no database at all '.repeat(1000));
  const other = new Checkpointer(`${file}.txt`, options);
  const failure = await other.checkpoint().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Database.SqliteError);
  expect(failure).toMatchObject({ code: 'SQLITE_NOTADB' });
  await other.close();
});
