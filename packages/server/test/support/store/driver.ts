import { TestClock } from '../../../src/lib/clock.ts';
import type { DatabaseStatus, Driver } from '../../../src/store/driver.ts';
import { migrate, type ScriptRunner } from '../../../src/store/migrations.ts';
import { openPostgres } from '../../../src/store/postgres/driver.ts';
import { openSqlite } from '../../../src/store/sqlite/driver.ts';
import { createDatabase, migratedTemplate, testsPostgres } from '../postgres/databases.ts';

/** Opens a temporary database with the tables of this version. Closing it deletes it. */
export async function openTestDriver(
  clock = new TestClock(),
): Promise<Driver & ScriptRunner & DatabaseStatus> {
  if (testsPostgres) return openTestPostgres(migratedTemplate);
  const driver = await openSqlite({ folder: ':memory:' });
  await migrate(driver, { clock });
  return driver;
}

/** Opens a copy of a template. Closing it drops the database. */
export async function openTestPostgres(
  template: Parameters<typeof createDatabase>[0],
): Promise<Awaited<ReturnType<typeof openPostgres>>> {
  const database = await createDatabase(template);
  const driver = await openPostgres({ url: database.url });
  const close = driver.close.bind(driver);
  let closing: Promise<void> | undefined;
  driver.close = () => {
    closing ??= close().then(() => database.drop());
    return closing;
  };
  return driver;
}
