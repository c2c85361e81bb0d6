import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';
import type { DatabaseStatus } from './driver.ts';
import { eraseRemnants, RemnantsError } from './maintenance/remnants.ts';
import { hasCurrentSchema, migrate } from './migrations.ts';
import { currentSealer, openSealer, readSealingState } from './sealed-rows.ts';
import type { Sealer } from './sealing.ts';
import { databaseFileIn, openSqlite, type SqliteDriver } from './sqlite/driver.ts';
import { createStore, type Store } from './store.ts';

export interface OpenOptions {
  /** The data folder, or `:memory:`. */
  readonly folder: string;
  /** A PostgreSQL database in the place of the folder. Null: none. */
  readonly databaseUrl: string | null;
  /** The database that `:memory:` starts with. Only tests set it. Default: an empty one. */
  readonly template?: Uint8Array | undefined;
  readonly clock: Clock;
  /** Seals the stored secrets. Null: they are stored plain. */
  readonly masterKey: KeyObject | null;
  /** Called at most once a minute while PostgreSQL refuses further connections. Default: nothing happens. */
  readonly onRefusedConnection?: ((error: Error) => void) | undefined;
  /** Called for the first failed checkpoint of a data folder. Default: nothing happens. */
  readonly onCheckpointFailure?: (error: Error) => void;
}

export interface OpenedStore {
  readonly store: Store;
  readonly databaseStatus: DatabaseStatus;
  readonly sealing: {
    /** Id of the master key that sealed the secrets; null when they are plain. */
    readonly keyId: string | null;
    /** Number of secrets that this start sealed. */
    readonly newlySealed: number;
    /** Why the file may still contain earlier forms of the secrets; undefined when it does not. */
    readonly remnants: RemnantsError | undefined;
  };
}

/**
 * Opens the store of a data folder or of a PostgreSQL database. Migrates its schema and seals its secrets as the
 * master key requires.
 *
 * @throws OperatorError when the secrets are sealed with a missing or another key
 * @throws DatabaseInUseError, MigrationError
 */
export async function openStore(options: OpenOptions): Promise<OpenedStore> {
  const { databaseUrl } = options;
  return databaseUrl === null ? openFolder(options) : openShared(databaseUrl, options);
}

/** One process at a time migrates and seals. */
async function openShared(
  url: string,
  { clock, masterKey, onRefusedConnection }: OpenOptions,
): Promise<OpenedStore> {
  const { openPostgres } = await import('./postgres/driver.ts');
  const driver = await openPostgres({ url, onRefusal: onRefusedConnection });
  try {
    return await driver.exclusively(async () => {
      await migrate(driver, { clock });
      await driver.adoptEvents();
      const { sealer, newlySealed } = await openSealer(driver, masterKey);
      // A command that needs the database alone, such as `master-key rotate`, notices this process from now on.
      await driver.wakeUps.open();
      return {
        store: createStore(driver, sealer),
        databaseStatus: driver,
        sealing: { keyId: sealer.keyId, newlySealed, remnants: undefined },
      };
    });
  } catch (error) {
    await driver.close();
    throw error;
  }
}

async function openFolder(options: OpenOptions): Promise<OpenedStore> {
  const { folder, template, clock, masterKey, onCheckpointFailure } = options;
  let driver: SqliteDriver | undefined;
  try {
    driver = await openSqlite({ folder, template, onCheckpointFailure });
    await migrate(driver, { clock });
    const { sealer, newlySealed } = await openSealer(driver, masterKey);
    let remnants: RemnantsError | undefined;
    if ((await readSealingState(driver.reader)).hasRemnants) {
      // The file can only be replaced while it is closed.
      await driver.close();
      driver = undefined;
      remnants = await tryToErase(folder);
      driver = await openSqlite({ folder, onCheckpointFailure });
    }
    return {
      store: createStore(driver, sealer),
      databaseStatus: driver,
      sealing: { keyId: sealer.keyId, newlySealed, remnants },
    };
  } catch (error) {
    await driver?.close();
    throw error;
  }
}

/**
 * Opens the store of a data folder for a command, also beside a running server. Only a missing database,
 * an older schema or unsealed secrets need the folder without a server: they are prepared first.
 *
 * @throws OperatorError when the secrets are sealed with a missing or another key
 * @throws DatabaseInUseError when the database has to be prepared while a server runs
 * @throws MigrationError
 */
export async function openStoreBeside(options: OpenOptions): Promise<Store> {
  for (;;) {
    const prepared = await openPrepared(options);
    if (prepared) return prepared;
    const { store } = await openStore(options);
    await store.close();
  }
}

/** Returns undefined when the database has to be prepared. */
async function openPrepared(options: OpenOptions): Promise<Store | undefined> {
  const { folder, databaseUrl, masterKey } = options;
  // Servers and commands share this database at any time.
  if (databaseUrl !== null) return (await openStore(options)).store;
  if (!existsSync(databaseFileIn(folder))) return undefined;
  const driver = await openSqlite({ folder, use: 'beside' });
  let sealer: Sealer | undefined;
  try {
    const isCurrent = await hasCurrentSchema(driver.reader);
    sealer = isCurrent ? await currentSealer(driver.reader, masterKey) : undefined;
  } finally {
    if (!sealer) await driver.close();
  }
  return sealer && createStore(driver, sealer);
}

async function tryToErase(folder: string): Promise<RemnantsError | undefined> {
  try {
    await eraseRemnants(folder);
    return undefined;
  } catch (error) {
    if (!(error instanceof RemnantsError)) throw error;
    return error;
  }
}
