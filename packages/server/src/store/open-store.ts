import type { KeyObject } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { DatabaseStatus } from './driver.ts';
import { eraseRemnants, RemnantsError } from './maintenance/remnants.ts';
import { openSealer, readSealingState } from './sealed-rows.ts';
import { openSqlite, type SqliteDriver } from './sqlite/driver.ts';
import { migrate } from './sqlite/migrations.ts';
import { createStore, type Store } from './store.ts';

export interface OpenOptions {
  /** The data folder, or `:memory:`. */
  readonly folder: string;
  readonly clock: Clock;
  /** Seals the stored secrets; null: they are stored as they are. */
  readonly masterKey: KeyObject | null;
}

export interface OpenedStore {
  readonly store: Store;
  readonly databaseStatus: DatabaseStatus;
  readonly sealing: {
    /** The master key that the secrets are sealed with; null: they are not. */
    readonly keyId: string | null;
    /** How many secrets this start has sealed. */
    readonly newlySealed: number;
    /** Why earlier forms of them may remain in the file; undefined: none do. */
    readonly remnants: RemnantsError | undefined;
  };
}

/**
 * Opens the store of a data folder with its schema up to date and its secrets sealed as the master key
 * demands.
 *
 * @throws MasterKeyError when the secrets are sealed and the key is missing, or is another one
 * @throws DatabaseInUseError, DatabaseRefusedError, MigrationError
 */
export async function openStore({ folder, clock, masterKey }: OpenOptions): Promise<OpenedStore> {
  let driver: SqliteDriver | undefined;
  try {
    driver = await openSqlite({ folder });
    await migrate(driver, { clock });
    const { sealer, newlySealed } = await openSealer(driver, masterKey);
    let remnants: RemnantsError | undefined;
    if ((await readSealingState(driver.reader)).hasRemnants) {
      // The file is replaced while nothing has it open.
      await driver.close();
      driver = undefined;
      remnants = await tryToErase(folder);
      driver = await openSqlite({ folder });
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

async function tryToErase(folder: string): Promise<RemnantsError | undefined> {
  try {
    await eraseRemnants(folder);
    return undefined;
  } catch (error) {
    if (!(error instanceof RemnantsError)) throw error;
    return error;
  }
}
