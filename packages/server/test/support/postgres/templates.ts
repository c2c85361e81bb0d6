import { systemClock } from '../../../src/lib/clock.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openPostgres } from '../../../src/store/postgres/driver.ts';
import { command, emptyTemplate, migratedTemplate, urlOf } from './databases.ts';

export async function prepareTemplates(): Promise<void> {
  await command(`CREATE DATABASE ${emptyTemplate}`);
  await command(`CREATE DATABASE ${migratedTemplate}`);
  const driver = await openPostgres({ url: urlOf(migratedTemplate) });
  try {
    await migrate(driver, { clock: systemClock });
  } finally {
    await driver.close();
  }
}
