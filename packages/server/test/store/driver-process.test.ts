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

/** `exit` comes to the code and the signal it ended with. */
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

describe('a process that is killed', () => {
  test('has kept everything it said was done, and nothing by halves', async () => {
    await createEntries();
    const said: number[] = [];
    const { process: writer, lines, exit } = start(process.execPath, [child, 'write', folder]);
    for await (const line of lines) {
      said.push(Number(line));
      // What it says after the signal was sent and before it arrives counts as well.
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

  test('releases its data folder, which nobody else could open until then', async () => {
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

describe('a data folder', () => {
  test('belongs to one driver inside a process too, until that is closed', async () => {
    const first = await openSqlite({ folder });
    await expect(openSqlite({ folder })).rejects.toThrow(DatabaseInUseError);
    await expect(first.reader.get('SELECT 1 AS one')).resolves.toEqual({ one: 1 });
    await first.close();
    const second = await openSqlite({ folder });
    await second.close();
  });

  test('is free again after opening it has failed', async () => {
    const inTheWay = join(folder, 'document-vault.db');
    await mkdir(inTheWay);
    await expect(openSqlite({ folder })).rejects.toThrow('EISDIR');
    await rm(inTheWay, { recursive: true });
    const driver = await openSqlite({ folder });
    await driver.close();
  });
});

describe.skipIf(process.platform === 'win32')('an I/O error', () => {
  /** Its files may grow to 1 MiB; ignored, the signal becomes an error of the write that goes beyond. */
  const startLimited = (task: string) => {
    const limited = 'trap "" XFSZ; ulimit -f 2048; exec "$0" "$@"';
    return start('sh', ['-c', limited, process.execPath, child, task, folder]);
  };

  test('fails those that share a commit with it, and the driver goes on', async () => {
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

  test('keeps nobody from closing: the WAL holds what the file has no room for', async () => {
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
