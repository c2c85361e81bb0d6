import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { OperatorError } from '../src/lib/operator-error.ts';
import type { Queries } from '../src/store/driver.ts';
import { openPostgres, type PostgresDriver } from '../src/store/postgres/driver.ts';
import { poolSize, problemOf } from '../src/store/postgres/pool.ts';
import { CommitUnknownError, TransactionLostError } from '../src/store/store-errors.ts';
import { driverSuite } from '../test/store/driver.suite.ts';
import { passwordUser } from '../test/support/postgres/cluster.ts';
import {
  command,
  createDatabase,
  emptyTemplate,
  migratedTemplate,
  urlOf,
} from '../test/support/postgres/databases.ts';
import { openTestPostgres } from '../test/support/store/driver.ts';

driverSuite('PostgreSQL', () => openTestPostgres(emptyTemplate), { bytes: 'BYTEA' });

describe('texts with NUL', () => {
  let driver: PostgresDriver;
  beforeEach(async () => {
    driver = await openTestPostgres(emptyTemplate);
    await driver.transaction((queries) => queries.run('CREATE TABLE texts (text TEXT)'));
  });
  afterEach(() => driver.close());

  test('a change with NUL rejects before PostgreSQL gets it, and is rolled back', async () => {
    const change = driver.transaction(async (queries) => {
      await queries.run("INSERT INTO texts VALUES ('a')");
      await queries.run('INSERT INTO texts VALUES (@text)', { text: 'a\0b' });
    });
    await expect(change).rejects.toThrow(TypeError);
    await expect(change).rejects.toThrow('@text');
    expect(await driver.reader.all('SELECT text FROM texts')).toEqual([]);
  });

  test('a read with NUL finds nothing, also inside a transaction that goes on', async () => {
    const sql = 'SELECT text FROM texts WHERE text = @text OR text IS NOT NULL';
    const seen = await driver.transaction(async (queries) => {
      await queries.run("INSERT INTO texts VALUES ('a')");
      return queries.all(sql, { text: '\0' });
    });
    expect(seen).toEqual([]);
    expect(await driver.reader.get(sql, { text: '\0' })).toBeUndefined();
    expect(await driver.reader.all(sql, { text: 'a' })).toEqual([{ text: 'a' }]);
  });
});

describe('conflicts', () => {
  let driver: PostgresDriver;
  beforeEach(async () => {
    driver = await openTestPostgres(emptyTemplate);
    await driver.transaction(async (queries) => {
      await queries.run('CREATE TABLE counters (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)');
      await queries.run('INSERT INTO counters VALUES (1, 0), (2, 0)');
    });
  });
  afterEach(() => driver.close());

  const counterOf = async (id: number) =>
    (
      await driver.reader.get<{ value: number }>('SELECT value FROM counters WHERE id = @id', {
        id,
      })
    )?.value;

  test('concurrent changes of a row that was read with a lock lose no update', async () => {
    const increment = () =>
      driver.transaction(async (queries) => {
        const row = await queries.get<{ value: number }>(
          `SELECT value FROM counters WHERE id = 1 ${queries.dialect.lock()}`,
        );
        const value = (row?.value ?? 0) + 1;
        await queries.run('UPDATE counters SET value = @value WHERE id = 1', { value });
      });
    await Promise.all(Array.from({ length: 20 }, increment));
    expect(await counterOf(1)).toBe(20);
  });

  test('transactions that wait for each other run again, and both take effect once', async () => {
    let attempts = 0;
    let reached = 0;
    let bothReached: () => void;
    const meeting = new Promise<void>((resolve) => {
      bothReached = resolve;
    });
    const change = (first: number, second: number) =>
      driver.transaction(async (queries) => {
        attempts += 1;
        const add = 'UPDATE counters SET value = value + 1 WHERE id = @id';
        await queries.run(add, { id: first });
        reached += 1;
        if (reached === 2) bothReached();
        await meeting;
        await queries.run(add, { id: second });
      });
    await Promise.all([change(1, 2), change(2, 1)]);
    expect([await counterOf(1), await counterOf(2)]).toEqual([2, 2]);
    expect(attempts).toBe(3);
  });

  test('a violated unique key runs the transaction again, at most five times', async () => {
    let attempts = 0;
    const insertion = driver.transaction(async (queries) => {
      attempts += 1;
      await queries.run('INSERT INTO counters VALUES (1, 0)');
    });
    await expect(insertion).rejects.toMatchObject({ code: '23505' });
    expect(attempts).toBe(5);
  });

  test('another error of the database does not run the transaction again', async () => {
    let attempts = 0;
    const change = driver.transaction(async (queries) => {
      attempts += 1;
      await queries.run('UPDATE counters SET value = 1 / (value - value)');
    });
    await expect(change).rejects.toMatchObject({ code: '22012' });
    expect(attempts).toBe(1);
  });

  test('exclusively runs one work at a time', async () => {
    const order: string[] = [];
    const work = (name: string) =>
      driver.exclusively(async () => {
        order.push(`${name} begins`);
        await driver.reader.get('SELECT pg_sleep(0.05)');
        order.push(`${name} ends`);
      });
    await Promise.all([work('a'), work('b')]);
    const [first] = order[0]?.split(' ') ?? [];
    const second = first === 'a' ? 'b' : 'a';
    expect(order).toEqual([
      `${first} begins`,
      `${first} ends`,
      `${second} begins`,
      `${second} ends`,
    ]);
  });
});

describe('lost connections', () => {
  let driver: PostgresDriver;
  beforeEach(async () => {
    driver = await openTestPostgres(emptyTemplate);
    await driver.transaction((queries) => queries.run('CREATE TABLE texts (text TEXT)'));
  });
  afterEach(() => driver.close());

  test('exclusively rejects when the connection that has its lock ends before the work', async () => {
    const work = Promise.withResolvers<void>();
    const running = driver.exclusively(async () => {
      const lock = await driver.reader.get<{ pid: number }>(
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      await terminate(lock?.pid ?? 0);
      await work.promise;
    });
    await expect(running).rejects.toThrow(OperatorError);
    work.resolve();
  });

  const texts = () => driver.reader.all('SELECT text FROM texts');
  const ownProcess = async (queries: Queries) =>
    (await queries.get<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid ?? 0;
  const terminate = (pid: number) =>
    driver.reader.get('SELECT pg_terminate_backend(@pid::int)', { pid });

  test('a transaction whose connection ends rejects, and the next one connects again', async () => {
    const change = driver.transaction(async (queries) => {
      await queries.run("INSERT INTO texts VALUES ('lost')");
      await terminate(await ownProcess(queries));
      await queries.run("INSERT INTO texts VALUES ('too late')");
    });
    await expect(change).rejects.toThrow();
    expect(await texts()).toEqual([]);
    await driver.transaction((queries) => queries.run("INSERT INTO texts VALUES ('kept')"));
    expect(await texts()).toEqual([{ text: 'kept' }]);
  });

  test('a connection that ends while it is idle is replaced', async () => {
    const pid = await driver.transaction(ownProcess);
    await terminate(pid);
    expect(await driver.transaction(ownProcess)).not.toBe(pid);
  });

  test('a commit whose connection ends before it rejects and stores nothing', async () => {
    let attempts = 0;
    const change = driver.transaction(async (queries) => {
      attempts += 1;
      await queries.run("INSERT INTO texts VALUES ('lost')");
      await terminate(await ownProcess(queries));
    });
    await expect(change).rejects.toThrow(TransactionLostError);
    expect(attempts).toBe(1);
    expect(await texts()).toEqual([]);
  });

  test('a commit whose response is lost resolves when PostgreSQL has committed', async () => {
    const { prototype } = pg.Client;
    const { query } = prototype;
    onTestFinished(() => {
      prototype.query = query;
    });
    let commits = 0;
    prototype.query = function lossy(this: pg.Client, ...call: unknown[]) {
      const result: unknown = Reflect.apply(query, this, call);
      if (call[0] !== 'COMMIT') return result;
      commits += 1;
      return Promise.resolve(result).then(() => {
        throw new Error('Connection terminated unexpectedly');
      });
    } as typeof query;
    await driver.transaction((queries) => queries.run("INSERT INTO texts VALUES ('kept')"));
    expect(commits).toBe(1);
    prototype.query = query;
    expect(await texts()).toEqual([{ text: 'kept' }]);
  });

  test('commits that lose all connections of the pool at once resolve too', async () => {
    const { prototype } = pg.Client;
    const { query } = prototype;
    onTestFinished(() => {
      prototype.query = query;
    });
    const allSent = Promise.withResolvers<void>();
    let commits = 0;
    prototype.query = function lossy(this: pg.Client, ...call: unknown[]) {
      const result: unknown = Reflect.apply(query, this, call);
      if (call[0] !== 'COMMIT') return result;
      commits += 1;
      if (commits === poolSize) allSent.resolve();
      return Promise.all([result, allSent.promise]).then(() => {
        throw new Error('Connection terminated unexpectedly');
      });
    } as typeof query;
    const insert = () =>
      driver.transaction((queries) => queries.run("INSERT INTO texts VALUES ('kept')"));
    await Promise.all(Array.from({ length: poolSize }, insert));
    prototype.query = query;
    expect(await texts()).toHaveLength(poolSize);
  });
});

test('a migration that takes longer than other statements may is not ended', async () => {
  const driver = await openTestPostgres(emptyTemplate);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(async () => {
    vi.useRealTimers();
    await driver.close();
  });
  await driver.transaction((queries) => queries.run('CREATE SEQUENCE steps'));
  const untilStep = `DO $$ BEGIN
    WHILE (SELECT NOT is_called FROM steps) LOOP PERFORM pg_sleep(0.01); END LOOP;
  END $$`;
  const running = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  const migration = driver.runScript(untilStep, async () => undefined);
  await expect.poll(() => driver.reader.all(running)).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  await driver.transaction((queries) => queries.get("SELECT nextval('steps')"));
  await migration;
});

test('a migration gives way to a transaction that waits for it, and runs again', async () => {
  const driver = await openTestPostgres(emptyTemplate);
  onTestFinished(() => driver.close());
  await driver.transaction(async (queries) => {
    await queries.run('CREATE SEQUENCE attempts');
    for (const table of ['first', 'second']) {
      await queries.run(`CREATE TABLE ${table} (value BIGINT)`);
      await queries.run(`INSERT INTO ${table} VALUES (1)`);
    }
  });
  const locked = `SELECT pid FROM pg_locks
    WHERE relation = 'second'::regclass AND mode = 'AccessExclusiveLock' AND granted`;
  const sql = `SELECT nextval('attempts');
    ALTER TABLE second ADD COLUMN later BIGINT;
    ALTER TABLE first ADD COLUMN later BIGINT;`;
  let runs = 0;
  let migration: Promise<void> | undefined;
  await driver.transaction(async (queries) => {
    runs += 1;
    await queries.run('UPDATE first SET value = 2');
    migration ??= driver.runScript(sql, async () => undefined);
    await expect.poll(() => driver.reader.all(locked)).toHaveLength(1);
    // Each of them has what the other one waits for.
    await queries.run('UPDATE second SET value = 2');
  });
  await migration;
  expect(runs).toBe(1);
  const { attempts } = (await driver.reader.get('SELECT last_value AS attempts FROM attempts')) as {
    attempts: number;
  };
  expect(attempts).toBeGreaterThan(1);
});

test('a migration that violates a key runs once', async () => {
  const driver = await openTestPostgres(emptyTemplate);
  onTestFinished(() => driver.close());
  await driver.transaction(async (queries) => {
    await queries.run('CREATE SEQUENCE attempts');
    await queries.run('CREATE TABLE texts (text TEXT)');
    await queries.run("INSERT INTO texts VALUES ('a'), ('a')");
  });
  const sql = "SELECT nextval('attempts'); CREATE UNIQUE INDEX texts_text ON texts (text)";
  await expect(driver.runScript(sql, async () => undefined)).rejects.toMatchObject({
    code: '23505',
  });
  expect(await driver.reader.get('SELECT last_value AS attempts FROM attempts')).toEqual({
    attempts: 1,
  });
});

test('a read that fails by a deadlock runs five times at most', async () => {
  const driver = await openTestPostgres(emptyTemplate);
  const { prototype } = pg.Client;
  const { query } = prototype;
  onTestFinished(async () => {
    prototype.query = query;
    await driver.close();
  });
  const deadlock = new pg.DatabaseError('deadlock detected', 0, 'error');
  deadlock.code = '40P01';
  let deadlocks = 4;
  prototype.query = function failing(this: pg.Client, ...call: unknown[]) {
    const callback = call.at(-1);
    // The settings of a new connection are sent without callback.
    const isRead = typeof callback === 'function';
    if (deadlocks === 0 || !isRead) return Reflect.apply(query, this, call);
    deadlocks -= 1;
    return setImmediate(() => callback(deadlock));
  } as typeof query;
  const read = () => driver.reader.get('SELECT 1 AS one');
  expect(await read()).toEqual({ one: 1 });
  deadlocks = 5;
  await expect(read()).rejects.toBe(deadlock);
});

test('a commit whose outcome cannot be looked up rejects, and its transaction does not run again', async () => {
  const driver = await openTestPostgres(emptyTemplate);
  const { prototype } = pg.Client;
  const { query } = prototype;
  onTestFinished(async () => {
    prototype.query = query;
    await driver.close();
  });
  await driver.transaction((queries) => queries.run('CREATE TABLE texts (text TEXT)'));
  const lost = new Error('Connection terminated unexpectedly');
  let looks = 0;
  prototype.query = function unreachable(this: pg.Client, ...call: unknown[]) {
    if (String(call[0]).includes('pg_xact_status')) {
      looks += 1;
      const callback = call.at(-1) as (error: Error) => void;
      return setImmediate(() => callback(lost));
    }
    const result: unknown = Reflect.apply(query, this, call);
    return call[0] === 'COMMIT' ? Promise.resolve(result).then(() => Promise.reject(lost)) : result;
  } as typeof query;
  let attempts = 0;
  const change = driver.transaction((queries) => {
    attempts += 1;
    return queries.run("INSERT INTO texts VALUES ('kept')");
  });
  await expect(change).rejects.toThrow(CommitUnknownError);
  expect({ attempts, looks }).toEqual({ attempts: 1, looks: 10 });
  prototype.query = query;
  expect(await driver.reader.all('SELECT text FROM texts')).toEqual([{ text: 'kept' }]);
});

describe('openPostgres', () => {
  const refusal = (url: string) =>
    expect(openPostgres({ url })).rejects.toMatchObject({ name: 'OperatorError' });
  const messageOf = (url: string) =>
    openPostgres({ url }).then(
      async (driver) => {
        await driver.close();
        return '';
      },
      (error: Error) => error.message,
    );

  test('openPostgres rejects a database that does not exist, and names neither user nor password', async () => {
    const url = new URL(urlOf('nowhere'));
    url.password = 'a-secret';
    await refusal(url.href);
    const message = await messageOf(url.href);
    expect(message).toContain('does not exist');
    expect(message).not.toContain('a-secret');
  });

  test.each([
    ['options', '-c default_transaction_read_only=off'],
    ['statement_timeout', '0'],
    ['lock_timeout', '0'],
    ['idle_in_transaction_session_timeout', '0'],
    ['query_timeout', '1'],
    ['client_encoding', 'LATIN1'],
    ['user', 'somebody'],
  ])('openPostgres rejects a URL with the parameter %s=%s', async (name, value) => {
    const url = new URL(await databaseLike(emptyTemplate));
    url.searchParams.set(name, value);
    await refusal(url.href);
    const message = await messageOf(url.href);
    expect(message).toContain(`has the parameter ${name}.`);
    if (name === 'options') expect(message).not.toContain(value);
  });

  test('a URL with a name and sslmode changes neither the time limits nor what readers may do', async () => {
    const url = new URL(await databaseLike(migratedTemplate));
    url.searchParams.set('sslmode', 'disable');
    url.searchParams.set('application_name', 'vault-1');
    const driver = await openPostgres({ url: url.href });
    onTestFinished(() => driver.close());
    const settings = `SELECT current_setting('application_name') AS name, current_setting('jit') AS jit,
      current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
      current_setting('idle_in_transaction_session_timeout') AS idle,
      current_setting('default_transaction_read_only') AS "readOnly"`;
    const expected = { name: 'vault-1', jit: 'off', statement: '15s', lock: '5s', idle: '10s' };
    expect(await driver.reader.get(settings)).toEqual({ ...expected, readOnly: 'on' });
    const written = await driver.transaction((queries) => queries.get(settings));
    expect(written).toEqual({ ...expected, readOnly: 'off' });
    await expect(driver.reader.run('DELETE FROM users')).rejects.toMatchObject({ code: '25006' });
  });

  test('openPostgres rejects a server that cannot be reached', async () => {
    expect(await messageOf('postgres://nobody@127.0.0.1:1/none')).toContain('cannot be reached');
  });

  test('openPostgres names the host of the parameter when the server cannot be reached', async () => {
    const url = 'postgres:///vault?host=/missing';
    await expect(openPostgres({ url })).rejects.toThrow(/^PostgreSQL at \/missing: It cannot/);
  });

  test('openPostgres rejects another encoding than UTF-8', async () => {
    await command(
      `CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    onTestFinished(() => command('DROP DATABASE latin'));
    expect(await messageOf(urlOf('latin'))).toContain('encoding LATIN1');
  });

  test.each([
    ['default_transaction_read_only', 'on', 'read-only'],
    ['synchronous_commit', 'off', 'synchronous_commit is off'],
  ])('openPostgres rejects a database with %s = %s', async (setting, value, reason) => {
    await command(`CREATE DATABASE wrong_setting`);
    onTestFinished(() => command('DROP DATABASE wrong_setting'));
    await command(`ALTER DATABASE wrong_setting SET ${setting} = ${value}`);
    expect(await messageOf(urlOf('wrong_setting'))).toContain(reason);
  });

  /** Creates a database of its own: a connection to a template would keep other tests from copying it. */
  async function databaseLike(template: Parameters<typeof createDatabase>[0]): Promise<string> {
    const { url, drop } = await createDatabase(template);
    onTestFinished(drop);
    return url;
  }

  /** Returns the URL of a database for another user. */
  function urlAs(database: string, user: string, password = ''): string {
    const url = new URL(database);
    url.username = user;
    url.password = password;
    return url.href;
  }

  async function createRole(name: string, options = ''): Promise<void> {
    await command(`CREATE ROLE ${name} LOGIN ${options}`);
    onTestFinished(() => command(`DROP ROLE ${name}`));
  }

  test('openPostgres rejects a wrong password, and accepts the right one', async () => {
    await createRole(passwordUser, "PASSWORD 'right' SUPERUSER");
    const url = await databaseLike(emptyTemplate);
    expect(await messageOf(urlAs(url, passwordUser, 'wrong'))).toContain('The password is wrong');
    expect(await messageOf(urlAs(url, passwordUser, 'right'))).toBe('');
  });

  test('openPostgres rejects a user that does not exist', async () => {
    expect(await messageOf(urlAs(await databaseLike(emptyTemplate), 'unknown'))).toContain(
      'The user does not exist',
    );
  });

  test('openPostgres rejects a user that can create no extensions, unless they exist', async () => {
    await createRole('reader');
    await command('CREATE DATABASE without_extensions');
    onTestFinished(() => command('DROP DATABASE without_extensions'));
    expect(await messageOf(urlAs(urlOf('without_extensions'), 'reader'))).toContain(
      'CREATE EXTENSION btree_gin; CREATE EXTENSION pg_trgm;',
    );
    await command(
      'CREATE EXTENSION btree_gin; CREATE EXTENSION pg_trgm; REVOKE CREATE ON SCHEMA public FROM PUBLIC',
      'without_extensions',
    );
    expect(await messageOf(urlAs(urlOf('without_extensions'), 'reader'))).toContain(
      'The user may not create tables',
    );
    expect(await messageOf(urlAs(await databaseLike(migratedTemplate), 'reader'))).toBe('');
  });

  test('openPostgres rejects PostgreSQL 14', () => {
    const usable: Parameters<typeof problemOf>[0] = {
      ...{ version: '15.4', versionNumber: 150_004, encoding: 'UTF8', commits: 'on' },
      ...{ isStandby: 'false', readOnly: 'off', available: 2, created: 2 },
      ...{ mayExtend: 'true', hasTables: 'true', mayIdentify: 'true' },
    };
    expect(problemOf(usable)).toBeUndefined();
    expect(problemOf({ ...usable, version: '14.9', versionNumber: 140_009 })).toBe(
      'PostgreSQL 14.9 is too old. 15 or newer is required.',
    );
    expect(problemOf({ ...usable, available: 0 })).toContain('postgresql-contrib');
    expect(problemOf({ ...usable, isStandby: 'true' })).toContain('standby');
    expect(problemOf({ ...usable, mayIdentify: 'false' })).toContain('pg_control_system()');
  });

  test('openPostgres rejects a server without free connections', async () => {
    await createRole('limited', 'CONNECTION LIMIT 0');
    expect(await messageOf(urlAs(await databaseLike(emptyTemplate), 'limited'))).toContain(
      'too many connections',
    );
  });
});

describe('transactions on one row', () => {
  test('50 transactions on one row leave connections for another one', async () => {
    const driver = await openTestPostgres(emptyTemplate);
    onTestFinished(() => driver.close());
    await driver.transaction(async (queries) => {
      await queries.run('CREATE TABLE counters (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)');
      await queries.run('INSERT INTO counters VALUES (1, 0)');
    });
    let ended = 0;
    const increments = Array.from({ length: 50 }, () =>
      driver.transaction(async (queries) => {
        await queries.run('UPDATE counters SET value = value + 1 WHERE id = 1');
        await queries.get('SELECT pg_sleep(0.02)');
        ended += 1;
      }, 'row 1'),
    );
    await driver.transaction((queries) => queries.run('INSERT INTO counters VALUES (2, 0)'));
    expect(ended).toBeLessThan(10);
    await Promise.all(increments);
    expect(await driver.reader.get('SELECT value FROM counters WHERE id = 1')).toEqual({
      value: 50,
    });
  });
});
