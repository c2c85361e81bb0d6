import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestClock } from '../../../src/lib/clock.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { databaseFileIn, openSqlite } from '../../../src/store/sqlite/driver.ts';

let loading: Promise<Uint8Array> | undefined;

/** Returns the file of a migrated database without rows. It is made once per worker. */
export function emptyDatabase(): Promise<Uint8Array> {
  loading ??= makeDatabase();
  return loading;
}

async function makeDatabase(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-empty-'));
  try {
    const driver = await openSqlite({ folder });
    await migrate(driver, { clock: new TestClock() }).finally(() => driver.close());
    return await readFile(databaseFileIn(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}
