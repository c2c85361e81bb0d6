import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { endingOf } from '../../src/cli/errors.ts';
import { commands } from '../../src/cli/program.ts';
import { describeOptions } from '../../src/config/options.ts';
import { version } from '../../src/lib/version.ts';
import { MigrationError } from '../../src/store/migrations.ts';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { command } from '../support/command-line.ts';
import { dataFolder, inDatabase, rowsIn } from '../support/data-folder.ts';

const ada = ['--email', 'ada@example.com', '--name', 'Ada'];
const key = ['--user', 'ada@example.com', '--name', 'CI', '--scopes'];

describe('wrong arguments end with 2 and one line for each of them', () => {
  test.each<[string[], RegExp]>([
    [['usr'], /^Unknown command 'usr'\. Did you mean user\?$/],
    [['nothing'], /^Unknown command 'nothing'\. See document-vault --help\.$/],
    [['user', 'lst'], /^Unknown command 'user lst'\. Did you mean user list\?$/],
    [['user', 'list', '--jsn'], /^Unknown option '--jsn'\. Did you mean --json\?$/],
    [['user', 'list', 'all'], /^Too many arguments for 'user list': all\.$/],
    [['user', 'create', '--name', 'Ada'], /^Missing --email <address>\.$/],
    [['user', 'create', '--email'], /^Option '--email <value>' argument missing\.$/],
    [
      ['user', 'create', '--email', 'ada', '--name', 'Ada'],
      /^--email must be an email address in ASCII, with an international domain in punycode\.$/,
    ],
    [
      ['user', 'create', '--email', 'ada@example.com', '--name', ' '],
      /^--name must not be empty\.$/,
    ],
    [
      ['user', 'create', '--email', 'ada', '--name', ' ', '--password-stdin'],
      /^--email must be an email address in ASCII, with an international domain in punycode\.\nThe password must have at least 12 characters\.\n--name must not be empty\.$/,
    ],
    [
      ['user', 'create', ...ada, '--role', 'root'],
      /^--role <role> must be one of user, admin, not 'root'\.$/,
    ],
    [
      ['user', 'create', ...ada, '--tier', 'gold'],
      /^--tier <tier> must be one of .*, not 'gold'\.$/,
    ],
    [
      ['user', 'create', ...ada, '--password-stdin'],
      /^The password must have at least 12 characters\.$/,
    ],
    [['user', 'set-tier', 'ada@example.com'], /^Missing <tier>\.$/],
    [
      ['user', 'set-tier', 'ada@example.com', 'gold'],
      /^<tier> must be one of free, paid, enterprise, not 'gold'\.$/,
    ],
    [['user', 'delete', 'ada@example.com'], /Pass --yes to delete without confirmation\.$/],
    [
      ['key', 'create', '--user', 'ada@example.com', '--name', 'CI'],
      /^--scopes must name what the key may do\. The scopes are vaults:read, .*, admin:\*\. /,
    ],
    [['key', 'create', ...key, 'vaults:reed'], /^--scopes must be one of vaults:read, /],
    [['key', 'create', ...key, ''], /^--scopes must be one of /],
    [['key', 'create', ...key, 'users:read,users:read'], /^--scopes must not have equal items/],
    [
      ['key', 'create', ...key, 'users:read', '--expires', 'soon'],
      /^--expires must be a timestamp such as 2026-03-02T09:17:30Z\.$/,
    ],
    [['key', 'revoke'], /^Missing <key-id>\.$/],
    [['keys', 'rotat'], /^Unknown command 'keys rotat'\. Did you mean keys rotate\?$/],
    [['backup'], /^Missing <file>\.$/],
    [['restore', 'a', 'b'], /^Too many arguments for 'restore': b\.$/],
    [['doctor', '--data', ':memory:'], /^--data :memory: names no stored database/],
    [['doctor', '--data'], /^Option '--data <value>' argument missing\.$/],
    [['doctor', '--json=yes'], /^Option '--json' does not take an argument\.$/],
    [['doctor', '--data', '--json'], /^Option '--data' argument is ambiguous\.$/],
    [
      ['start', '--prot', '1'],
      /^The configuration is not valid:\n {2}--prot: there is no such flag\n {2}1: /,
    ],
    [['--port', 'x'], /^The configuration is not valid:\n {2}--port: 'x' is not a whole number/],
    [
      ['--data', './data', 'doctor'],
      /^The configuration is not valid:\n {2}doctor: there is no such command$/,
    ],
  ])('%j', async (argv, message) => {
    const { code, out, err } = await command(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  test('an invalid environment variable ends with 2 too', async () => {
    const { code, err } = await command(['doctor'], { env: { DOCUMENT_VAULT_PORT: 'x' } });
    expect(code).toBe(2);
    expect(err).toMatch(/DOCUMENT_VAULT_PORT: 'x' is not/);
  });
});

describe('folder without a database', () => {
  test.each([
    [['user', 'list']],
    [['user', 'set-tier', 'ada@example.com', 'paid']],
    [['user', 'suspend', 'ada@example.com']],
    [['user', 'resume', 'ada@example.com']],
    [['user', 'delete', 'ada@example.com', '--yes']],
    [['key', 'create', ...key, 'vaults:read']],
    [['key', 'list']],
    [['key', 'revoke', 'key_1']],
    [['keys', 'rotate']],
    [['development-account', 'remove', '--yes']],
    [['development-account', 'keep']],
    [['backup', 'copy.db']],
    [['doctor']],
  ])('%j reports it and does not create it', async (argv) => {
    const data = join(await dataFolder(), 'none');
    const message = `${data} contains no database. Start a server with this folder once, or name another folder with --data.`;
    expect(await command([...argv, '--data', data])).toMatchObject({
      code: 1,
      out: '',
      err: message,
    });
    const env = { DOCUMENT_VAULT_DATA: data };
    expect(await command(argv, { env })).toMatchObject({ code: 1, out: '', err: message });
    expect(existsSync(data)).toBe(false);
  });
});

test('a file that is no database is reported with its name', async () => {
  const data = await dataFolder();
  await writeFile(
    join(data, databaseFile),
    'no database at all, but long enough to have a header\n'.repeat(20),
  );
  const { code, err } = await command(['user', 'list', '--data', data]);
  expect(code).toBe(1);
  expect(err).toBe(
    `${join(data, databaseFile)} cannot be read as a database: file is not a database.`,
  );
});

test('a database with an older schema is reported before anything is read', async () => {
  const data = await dataFolder();
  await command(['user', 'create', ...ada, '--data', data]);
  inDatabase(data, (database) => database.exec('DELETE FROM schema_migrations'));
  expect(await command(['user', 'list', '--data', data])).toMatchObject({
    code: 1,
    out: '',
    err: `The database in ${data} has the schema of an older version. Start the server once to update it.`,
  });
});

test('a change that the database rejects ends with 1 and names the cause', async () => {
  const data = await dataFolder();
  await command(['user', 'create', ...ada, '--data', data]);
  inDatabase(data, (database) =>
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON events
      BEGIN SELECT RAISE(ABORT, 'disk full'); END`),
  );
  const argv = ['user', 'create', '--email', 'b@example.com', '--name', 'B', '--data', data];
  expect(await command(argv)).toMatchObject({
    code: 1,
    out: '',
    err: 'The database failed: disk full.',
  });
  expect(rowsIn(data, 'users')).toBe(1);
});

test('a database file that cannot be opened ends with 1 and names the user to run as', () => {
  // Made here, because root can open every file.
  const error = new Database.SqliteError('unable to open database file', 'SQLITE_CANTOPEN');
  expect(endingOf(error)).toEqual({
    exitCode: 1,
    message:
      'The database cannot be opened. Run the server and its commands as the user who owns the files in the data folder.',
  });
});

test('a migration that fails ends with 1 and names the cause', () => {
  const error = new MigrationError('The migration 0002_pets failed and was rolled back.', {
    cause: new Error('database or disk is full'),
  });
  expect(endingOf(error)).toEqual({
    exitCode: 1,
    message: 'The migration 0002_pets failed and was rolled back. (database or disk is full)',
  });
});

describe('wrong file type', () => {
  test('a data folder that is a file is reported in one sentence', async () => {
    const folder = await dataFolder();
    await writeFile(join(folder, 'data'), '');
    const argv = ['user', 'create', ...ada, '--data', join(folder, 'data')];
    const { code, err } = await command(argv);
    expect(code).toBe(1);
    expect(err).toMatch(/^\/.* is a file\. Name a folder with --data\.$/);
  });

  test('a database that is a folder is reported in one sentence', async () => {
    const folder = await dataFolder();
    await mkdir(join(folder, databaseFile));
    const file = join(folder, databaseFile);
    const { code, err } = await command(['key', 'list', '--data', folder]);
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^${file} cannot be read as a database: [^\\n]+\\.$`));
  });
});

describe('help', () => {
  test.each(commands.map(({ name }) => [name]))('of %s names its options', async (name) => {
    const row = commands.find((one) => one.name === name);
    const { code, out, err } = await command([...name.split(' '), '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^Usage: document-vault ${name} `));
    for (const option of Object.keys(row?.options ?? {})) expect(out).toContain(`  --${option} `);
    for (const line of row?.examples ?? []) expect(out).toContain(`  $ ${line}`);
    if (name !== 'start') expect(out).toContain('--json');
    expect(await command(['help', ...name.split(' ')])).toMatchObject({ code: 0, out });
  });

  test('of the program lists every command and every option of the configuration', async () => {
    const { code, out } = await command(['--help']);
    expect(code).toBe(0);
    for (const { name } of commands) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    for (const { flags, description } of describeOptions()) {
      expect(out).toContain(flags.join(', '));
      expect(out).toContain(description);
    }
  });

  test('of a group lists its commands; without a command the exit code is 2', async () => {
    for (const group of ['user', 'key', 'client', 'keys', 'master-key', 'development-account']) {
      const { code, out, err } = await command([group]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`Usage: document-vault ${group}`);
      expect(await command([group, '--help'])).toMatchObject({ code: 0, out: err, err: '' });
    }
  });

  test('--version prints the version', async () => {
    expect(await command(['--version'])).toMatchObject({ code: 0, out: version, err: '' });
  });
});
