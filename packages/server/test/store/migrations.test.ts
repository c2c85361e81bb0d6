import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestClock } from '../../src/lib/clock.ts';
import {
  type Migration,
  MigrationError,
  migrate,
  pendingMigrations,
  readMigrations,
} from '../../src/store/migrations.ts';
import { openSqlite, type SqliteDriver } from '../../src/store/sqlite/driver.ts';

const clock = new TestClock();

function migration(version: number, name: string, sql: string): Migration {
  return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

const first = migration(
  1,
  'people',
  'CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT) STRICT;',
);
const second = migration(
  2,
  'pets',
  `CREATE TABLE pets (
     id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES people (id) ON DELETE CASCADE
   ) STRICT;
   -- A comment; with a semicolon.
   CREATE TRIGGER named AFTER INSERT ON people BEGIN
     UPDATE people SET name = coalesce(name, 'unknown') WHERE id = new.id;
   END;
   INSERT INTO people (id) VALUES (1);
   INSERT INTO pets (owner) VALUES (1);`,
);

describe('migrate', () => {
  let driver: SqliteDriver;

  beforeEach(async () => {
    driver = await openSqlite({ folder: ':memory:' });
  });

  afterEach(() => driver.close());

  const history = () => driver.reader.all('SELECT * FROM schema_migrations ORDER BY version');
  const tables = async () =>
    (
      await driver.reader.all<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
      )
    ).map(({ name }) => name);

  test('migrate applies and records each migration once', async () => {
    expect(await migrate(driver, { clock, migrations: [first, second] })).toEqual([first, second]);
    expect(await tables()).toEqual(['people', 'pets', 'schema_migrations']);
    expect(await driver.reader.all('SELECT name FROM people')).toEqual([{ name: 'unknown' }]);
    expect(await history()).toEqual([
      { version: 1, name: 'people', checksum: first.checksum, applied_at: clock.now() },
      { version: 2, name: 'pets', checksum: second.checksum, applied_at: clock.now() },
    ]);
    expect(await migrate(driver, { clock, migrations: [first, second] })).toEqual([]);
  });

  test('migrate applies only the migrations after the last applied one', async () => {
    await migrate(driver, { clock, migrations: [first] });
    clock.advance(1000);
    expect(await migrate(driver, { clock, migrations: [first, second] })).toEqual([second]);
    expect(await history()).toMatchObject([
      { applied_at: clock.now() - 1000 },
      { applied_at: clock.now() },
    ]);
  });

  test('migrate rolls back a migration that fails and keeps earlier ones', async () => {
    const broken = migration(2, 'broken', 'CREATE TABLE half (id INTEGER); SELEKT 1;');
    const failing = migrate(driver, { clock, migrations: [first, broken] });
    await expect(failing).rejects.toThrow(MigrationError);
    await expect(failing).rejects.toThrow('0002_broken');
    await expect(failing).rejects.toMatchObject({
      cause: { message: expect.stringContaining('SELEKT') },
    });
    expect(await tables()).toEqual(['people', 'schema_migrations']);
    expect(await history()).toHaveLength(1);
    expect(await migrate(driver, { clock, migrations: [first, second] })).toEqual([second]);
  });

  test('a migration that rebuilds a table keeps the rows that refer to it', async () => {
    const rebuild = migration(
      3,
      'rebuild',
      `CREATE TABLE new_people (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
       INSERT INTO new_people SELECT id, name FROM people;
       DROP TABLE people;
       ALTER TABLE new_people RENAME TO people;`,
    );
    await migrate(driver, { clock, migrations: [first, second, rebuild] });
    expect(await driver.reader.all('SELECT owner FROM pets')).toEqual([{ owner: 1 }]);
    const orphan = driver.transaction((queries) =>
      queries.run('INSERT INTO pets (owner) VALUES (2)'),
    );
    await expect(orphan).rejects.toThrow('FOREIGN KEY');
  });

  test('migrate throws MigrationError for a migration that breaks foreign keys', async () => {
    const careless = migration(3, 'careless', 'DELETE FROM people;');
    const failing = migrate(driver, { clock, migrations: [first, second, careless] });
    await expect(failing).rejects.toMatchObject({
      cause: { message: expect.stringContaining('pets refers to rows of people') },
    });
    expect(await driver.reader.all('SELECT id FROM people')).toEqual([{ id: 1 }]);
    expect(await history()).toHaveLength(2);
  });

  test('migrate throws MigrationError for a migration that ends its own transaction', async () => {
    const meddling = migration(2, 'meddling', 'CREATE TABLE kept (id INTEGER); COMMIT;');
    await expect(migrate(driver, { clock, migrations: [first, meddling] })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('ended its own transaction') },
    });
    expect(await history()).toHaveLength(1);
  });

  test('migrate throws MigrationError for a database of a newer version and leaves it unchanged', async () => {
    await migrate(driver, { clock, migrations: [first, second] });
    await expect(migrate(driver, { clock, migrations: [first] })).rejects.toThrow(
      /0002_pets\. .* is 1\./,
    );
    expect(await history()).toHaveLength(2);
  });

  test('the migrations of this version create only STRICT tables', async () => {
    const taken = await migrate(driver, { clock });
    expect(taken[0]).toMatchObject({ version: 1, name: 'initial' });
    const loose = await driver.reader.all(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'",
    );
    expect(loose).toEqual([]);
  });
});

describe('pendingMigrations', () => {
  const known = [first, second];

  test('pendingMigrations returns the migrations after the applied ones', () => {
    expect(pendingMigrations(known, [])).toEqual(known);
    expect(pendingMigrations(known, [first])).toEqual([second]);
    expect(pendingMigrations(known, known)).toEqual([]);
  });

  test.each([
    ['a changed file', [{ ...first, checksum: 'other' }], /0001_people.*other.*checksum/],
    ['a renamed file', [{ ...first, name: 'persons' }], /0001_persons.*0001_people/],
    ['a missing migration', [second], /lacks 0001_people/],
    ['an unknown migration', [first, second, { ...second, version: 3 }], /0003_pets\. .* is 2\./],
  ])('pendingMigrations throws MigrationError for a history with %s', (_, applied, message) => {
    expect(() => pendingMigrations(known, applied)).toThrow(MigrationError);
    expect(() => pendingMigrations(known, applied)).toThrow(message);
  });
});

describe('readMigrations', () => {
  let path: string;
  let folder: URL;

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
    folder = pathToFileURL(`${path}/`);
  });

  afterEach(() => rm(path, { recursive: true }));

  const write = (name: string, text: string) => writeFile(join(path, name), text);

  test('readMigrations returns the files in the order of their numbers', async () => {
    await write('0002_pets.sql', second.sql);
    await write('0001_people.sql', first.sql);
    await write('README.md', 'no migration');
    expect(await readMigrations(folder)).toEqual([first, second]);
  });

  test('readMigrations computes the same checksum for Windows line ends', async () => {
    await write('0001_people.sql', first.sql);
    await write('0002_pets.sql', second.sql.replaceAll('\n', '\r\n'));
    expect(await readMigrations(folder)).toEqual([first, second]);
  });

  test.each([
    [['0001_a.sql', '0003_c.sql'], '0003_c.sql'],
    [['0001_a.sql', '0001_b.sql'], '0001_b.sql'],
    [['0000_a.sql'], '0000_a.sql'],
    [['0001_a.sql', '2_b.sql'], '2_b.sql'],
    [['0001_A b.sql'], '0001_A b.sql'],
  ])('readMigrations throws MigrationError for the files %j', async (names, culprit) => {
    for (const name of names) await write(name, 'SELECT 1;');
    await expect(readMigrations(folder)).rejects.toThrow(MigrationError);
    await expect(readMigrations(folder)).rejects.toThrow(culprit);
  });
});
