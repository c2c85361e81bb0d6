import type { KeyObject } from 'node:crypto';
import { eraseRemnants, RemnantsError } from '../../store/maintenance/remnants.ts';
import { changeMasterKey, readSealingState } from '../../store/sealed-rows.ts';
import { masterKeyId } from '../../store/sealing.ts';
import { openSqlite } from '../../store/sqlite/driver.ts';
import { migrate } from '../../store/sqlite/migrations.ts';
import { type Context, configOf, type DataOption, dataFolder } from '../workplace.ts';

export interface Replacement {
  readonly before: string;
  /** null: the secrets are not sealed any more. */
  readonly after: string | null;
  /** How many secrets were stored anew. */
  readonly secrets: number;
}

/**
 * Replaces the master key of a data folder that no server uses.
 *
 * @throws MasterKeyError, DatabaseInUseError nothing is changed
 */
export async function replaceMasterKey(
  context: Context,
  options: DataOption,
  to: KeyObject | null,
): Promise<Replacement> {
  const folder = dataFolder(context, options);
  const { masterKey: from } = configOf(context, options);
  const driver = await openSqlite({ folder });
  let replacement: Replacement;
  try {
    await migrate(driver, { clock: context.clock });
    const { keyId } = await readSealingState(driver.reader);
    const secrets = await changeMasterKey(driver, from, to);
    replacement = { before: keyId ?? '', after: to && masterKeyId(to), secrets };
  } finally {
    await driver.close();
  }
  if (to === null) return replacement;
  try {
    await eraseRemnants(folder);
  } catch (error) {
    // The key is replaced nevertheless, and the command reports that.
    if (!(error instanceof RemnantsError)) throw error;
    context.terminal.complain(error.message);
  }
  return replacement;
}
