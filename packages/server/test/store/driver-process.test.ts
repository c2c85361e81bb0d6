import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import { DatabaseInUseError } from '../../src/store/sqlite/errors.ts';

const child = fileURLToPath(new URL('./driver-child.ts', import.meta.url));

let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
});

afterEach(async () => {
  for (const process of children.splice(0)) process.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Starts a process. `exit` resolves to its exit code and signal. */
function start(command: string, args: readonly string[]) {
  const started = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(started);
  const exit = once(started, 'exit');
  return { process: started, exit, lines: createInterface({ input: started.stdout }) };
}

async function createEntries(): Promise<void> {
  const driver = await openSqlite({ folder });
  await driver.transaction((queries) =>
    queries.run('CREATE TABLE entries (key TEXT PRIMARY KEY, value ANY) STRICT'),
  );
  await driver.close();
}

describe('killed process', () => {
  test('SIGKILL loses no resolved transaction and leaves none half done', async () => {
    await createEntries();
    const said: number[] = [];
    const { process: writer, lines, exit } = start(process.execPath, [child, 'write', folder]);
    for await (const line of lines) {
      said.push(Number(line));
      // Lines that the process writes before the signal arrives count too.
      if (said.length === 500) writer.kill('SIGKILL');
    }
    expect(await exit).toEqual([null, 'SIGKILL']);
    expect(said.length).toBeGreaterThanOrEqual(500);

    const driver = await openSqlite({ folder });
    const rows = await driver.reader.all<{ key: string; value: number }>('SELECT * FROM entries');
    const keys = new Set(rows.map(({ key }) => key));
    expect(said.filter((value) => !keys.has(`left ${value}`))).toEqual([]);
    expect(rows.filter(({ value }) => !keys.has(`left ${value}`))).toEqual([]);
    expect(rows.filter(({ value }) => !keys.has(`right ${value}`))).toEqual([]);
    expect(await driver.reader.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    await driver.close();
  });

  test('openSqlite throws DatabaseInUseError until the process that locks the folder is killed', async () => {
    const { process: holder, lines, exit } = start(process.execPath, [child, 'hold', folder]);
    await once(lines, 'line');
    await expect(openSqlite({ folder })).rejects.toThrow(DatabaseInUseError);
    await expect(openSqlite({ folder })).rejects.toThrow(folder);
    holder.kill('SIGKILL');
    await exit;
    const driver = await openSqlite({ folder });
    await driver.close();
  });
});

describe('data folder', () => {
  test('a second openSqlite in one process throws DatabaseInUseError until the first is closed', async () => {
    const first = await openSqlite({ folder });
    await expect(openSqlite({ folder })).rejects.toThrow(DatabaseInUseError);
    await expect(first.reader.get('SELECT 1 AS one')).resolves.toEqual({ one: 1 });
    await first.close();
    const second = await openSqlite({ folder });
    await second.close();
  });

  test('a failed openSqlite releases the lock of the folder', async () => {
    const inTheWay = join(folder, 'document-vault.db');
    await mkdir(inTheWay);
    await expect(openSqlite({ folder })).rejects.toThrow('EISDIR');
    await rm(inTheWay, { recursive: true });
    const driver = await openSqlite({ folder });
    await driver.close();
  });
});

describe.skipIf(process.platform === 'win32')('I/O error', () => {
  /** Starts a process whose files may grow to 1 MiB. It ignores SIGXFSZ, so that larger writes fail. */
  const startLimited = (task: string) => {
    const limited = 'trap "" XFSZ; ulimit -f 2048; exec "$0" "$@"';
    return start('sh', ['-c', limited, process.execPath, child, task, folder]);
  };

  test('an I/O error rejects all transactions of its commit, and later ones succeed', async () => {
    await createEntries();
    const { lines, exit } = startLimited('write-too-much');
    const said: string[] = [];
    for await (const line of lines) said.push(line);
    expect(said).toEqual([
      'TransactionLostError: SQLITE_IOERR_WRITE',
      'TransactionLostError: SQLITE_IOERR_WRITE',
      'TransactionLostError: SQLITE_IOERR_WRITE',
      'TransactionLostError: SQLITE_IOERR_WRITE',
      'SQLITE_IOERR_WRITE',
      'written',
      'damage: none',
      'after 20,at last',
    ]);
    expect(await exit).toEqual([0, null]);
  });

  test('close succeeds when the file has no room, and the next start reads the rows from the WAL', async () => {
    await createEntries();
    const before = await openSqlite({ folder });
    const value = new Uint8Array(700 * 1024);
    const insert = 'INSERT INTO entries (key, value) VALUES (@key, @value)';
    await before.transaction((queries) => queries.run(insert, { key: 'first half', value }));
    await before.close();

    const { lines, exit } = startLimited('close-without-room');
    expect(await once(lines, 'line')).toEqual(['failed checkpoints: 1']);
    expect(await exit).toEqual([0, null]);
    const driver = await openSqlite({ folder });
    expect(await driver.reader.all('SELECT key, LENGTH(value) AS size FROM entries')).toEqual([
      { key: 'first half', size: value.length },
      { key: 'second half', size: value.length },
    ]);
    await driver.close();
  });
});
