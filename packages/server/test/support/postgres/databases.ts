import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Set by the global setup of `npm run test:postgres`. */
const clusterUrl = process.env.TEST_POSTGRES_URL;

/** Whether this run tests PostgreSQL in the place of SQLite. */
export const testsPostgres = clusterUrl !== undefined;

/** The databases that others are copied from. */
export const emptyTemplate = 'vault_empty';
export const migratedTemplate = 'vault_migrated';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates a database: without tables, or with those of this version. */
export async function createDatabase(
  template: typeof emptyTemplate | typeof migratedTemplate,
): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  // Copying the files takes half the time of writing each page to the log, which is the default.
  await command(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return {
    url: urlOf(name),
    drop: () => command(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** The databases in the place of data folders. They live as long as the cluster. */
const ofFolders = new Map<string, string>();
const creations = new Map<string, Promise<TestDatabase>>();

/**
 * Returns the database in the place of a data folder: of `:memory:` a new one, of another folder always the
 * same one. Returns undefined when SQLite is tested.
 */
export async function databaseOf(folder: string): Promise<TestDatabase | undefined> {
  if (!testsPostgres) return undefined;
  if (folder === ':memory:') return createDatabase(migratedTemplate);
  const creating = creations.get(folder) ?? createDatabase(migratedTemplate);
  creations.set(folder, creating);
  const { url } = await creating;
  ofFolders.set(folder, url);
  return { url, drop: async () => undefined };
}

/** Returns the database in the place of a data folder; undefined when the folder has its own. */
export function urlOfFolder(folder: string): string | undefined {
  return ofFolders.get(folder);
}

export function urlOf(database: string): string {
  const url = new URL(clusterUrl ?? '');
  url.pathname = database;
  return url.href;
}

/** Runs a command for the whole cluster, or in one database. */
export async function command(sql: string, database = 'postgres'): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
