import type { KeyObject } from 'node:crypto';
import { OperatorError } from '../lib/operator-error.ts';
import type { Driver, Queries, SqlParameters, SqlValue } from './driver.ts';
import {
  createSealer,
  masterKeyId,
  plainSealer,
  type SealedColumn,
  type Sealer,
  sealedColumns,
} from './sealing.ts';

/** How the secrets of a database are stored. */
export interface SealingState {
  /** Id of the master key of all secrets; null when they are plain. */
  readonly keyId: string | null;
  /**
   * Whether free space of the file may still contain earlier forms of the secrets: plain, or sealed with
   * an earlier key.
   */
  readonly hasRemnants: boolean;
}

/** A warning for production without a master key. */
export const unsealedWarning =
  'The stored secrets are not sealed: a copy of the database or of a backup reveals the keys that sign access tokens, and the secrets of webhooks. Set DOCUMENT_VAULT_MASTER_KEY, or --master-key-file.';

export async function readSealingState(queries: Queries): Promise<SealingState> {
  const row = await queries.get<{ keyId: string; hasRemnants: number }>(
    'SELECT key_id AS "keyId", has_remnants AS "hasRemnants" FROM sealing WHERE id = 1',
  );
  return { keyId: row?.keyId ?? null, hasRemnants: row?.hasRemnants === 1 };
}

/**
 * Prepares the secrets of a database for this master key. Seals an unsealed database in one transaction.
 *
 * @param masterKey null without a key
 * @returns the sealer, and the number of values that this call sealed
 * @throws OperatorError when the database is sealed with another key
 */
export async function openSealer(
  driver: Driver,
  masterKey: KeyObject | null,
): Promise<{ readonly sealer: Sealer; readonly newlySealed: number }> {
  const current = await currentSealer(driver.reader, masterKey);
  if (current) return { sealer: current, newlySealed: 0 };
  const sealer = createSealer(masterKey);
  return { sealer, newlySealed: await reseal(driver, plainSealer, sealer) };
}

/**
 * Returns the sealer of the stored secrets; undefined when they are plain and this master key has yet to
 * seal them.
 *
 * @throws OperatorError when they are sealed with another key
 */
export async function currentSealer(
  queries: Queries,
  masterKey: KeyObject | null,
): Promise<Sealer | undefined> {
  const sealer = createSealer(masterKey);
  const { keyId } = await readSealingState(queries);
  if (keyId === sealer.keyId) return sealer;
  if (keyId !== null) refuseOtherKey(keyId, sealer.keyId);
  return undefined;
}

function refuseOtherKey(needed: string, given: string | null): never {
  throw new OperatorError(
    given === null
      ? `The stored secrets are sealed with master key ${needed}, and no master key is set. Set DOCUMENT_VAULT_MASTER_KEY, or name the key's file with --master-key-file.`
      : `The stored secrets are sealed with master key ${needed}; the key that is set is ${given}. Set key ${needed}. To change the key, use document-vault master-key rotate.`,
  );
}

/**
 * Replaces the master key in one transaction.
 *
 * @param to null: stores the secrets plain
 * @returns the number of rewritten values
 * @throws OperatorError when the database is not sealed with `from`, or `to` is the same key
 */
export async function changeMasterKey(
  driver: Driver,
  from: KeyObject | null,
  to: KeyObject | null,
): Promise<number> {
  const { keyId } = await readSealingState(driver.reader);
  if (keyId === null) {
    throw new OperatorError(
      'The stored secrets are not sealed. Start the server with a master key: it seals them.',
    );
  }
  if (from === null || masterKeyId(from) !== keyId) {
    refuseOtherKey(keyId, from && masterKeyId(from));
  }
  if (to !== null && masterKeyId(to) === keyId) {
    throw new OperatorError(`The new master key is the current one, ${keyId}. Name another key.`);
  }
  return reseal(driver, createSealer(from), createSealer(to));
}

/** What a database lost with its master key. */
export interface AbandonedSecrets {
  readonly keyId: string;
  /** Webhooks that were switched off, because their secret and their header values are lost. */
  readonly webhooks: number;
  /** Sessions that were ended. */
  readonly sessions: number;
}

/** @throws OperatorError when no secret is lost: the database is not sealed, or `masterKey` opens it */
export async function lostKeyId(queries: Queries, masterKey: KeyObject | null): Promise<string> {
  const { keyId } = await readSealingState(queries);
  if (keyId === null) throw new OperatorError('The stored secrets are not sealed.');
  if (masterKey !== null && masterKeyId(masterKey) === keyId) {
    throw new OperatorError(
      `The master key that is set, ${keyId}, opens the stored secrets. To replace it, use document-vault master-key rotate or remove.`,
    );
  }
  return keyId;
}

/**
 * Removes every secret that a lost master key has sealed, in one transaction. The next start makes new
 * signing keys and seals with the key it is given. Webhooks are switched off until their owners set a new
 * secret.
 *
 * @throws OperatorError when no secret is lost
 */
export async function abandonSecrets(
  driver: Driver,
  masterKey: KeyObject | null,
  now: number,
): Promise<AbandonedSecrets> {
  const keyId = await lostKeyId(driver.reader, masterKey);
  return driver.transaction(async (queries) => {
    // Refresh tokens are derived with a secret that is lost.
    const sessions = await queries.run(
      '/* all rows */ UPDATE sessions SET ended_at = @now WHERE ended_at IS NULL',
      { now },
    );
    await queries.run('/* all rows */ DELETE FROM refresh_tokens');
    const webhooks = await queries.run(
      '/* all rows */ UPDATE webhooks SET active = 0, previous_secret_expires_at = NULL, updated_at = @now',
      { now },
    );
    for (const column of Object.keys(sealedColumns) as SealedColumn[]) {
      const { table, name, lost } = partsOf(column);
      await queries.run(
        lost === 'row'
          ? `/* all rows */ DELETE FROM ${table}`
          : `/* all rows */ UPDATE ${table} SET ${name} = NULL`,
      );
    }
    await queries.run('DELETE FROM sealing WHERE id = 1');
    return { keyId, webhooks, sessions };
  });
}

function reseal(driver: Driver, from: Sealer, to: Sealer): Promise<number> {
  return driver.transaction(async (queries) => {
    let count = 0;
    for await (const { column, row, stored } of sealedValues(queries)) {
      const value = to.seal(from.open(stored, column, row), column, row);
      const { table, name, keys } = partsOf(column);
      const same = keys.map((key, index) => `${key} = @key${index}`);
      await queries.run(`UPDATE ${table} SET ${name} = @value WHERE ${same.join(' AND ')}`, {
        value,
        ...keyParameters(row),
      });
      count += 1;
    }
    await queries.run('DELETE FROM sealing WHERE id = 1');
    if (to.keyId !== null) {
      // A database that never held a secret has no remnants.
      await queries.run(
        'INSERT INTO sealing (id, key_id, has_remnants) VALUES (1, @keyId, @hasRemnants)',
        { keyId: to.keyId, hasRemnants: count > 0 ? 1 : 0 },
      );
    }
    return count;
  });
}

export interface SealedValue {
  readonly column: SealedColumn;
  /** The row's primary key. */
  readonly row: readonly SqlValue[];
  readonly stored: Uint8Array;
}

/** Rows per query. An outcome can be as large as a response. */
const batch = 50;

/** Iterates over all stored secrets, including plain ones. */
export async function* sealedValues(queries: Queries): AsyncGenerator<SealedValue> {
  for (const column of Object.keys(sealedColumns) as SealedColumn[]) {
    const { table, name, keys } = partsOf(column);
    const list = keys.join(', ');
    const select = (where: string) =>
      `/* all rows */ SELECT ${list}, ${name} AS stored FROM ${table} WHERE ${name} IS NOT NULL ${where}
       ORDER BY ${list} LIMIT ${batch}`;
    const beyond = `AND (${list}) > (${keys.map((_, index) => `@key${index}`).join(', ')})`;
    let last: readonly SqlValue[] | undefined;
    do {
      const rows: Record<string, SqlValue>[] = last
        ? await queries.all(select(beyond), keyParameters(last))
        : await queries.all(select(''));
      for (const found of rows) {
        const row = keys.map((key) => found[key] ?? null);
        yield { column, row, stored: found.stored as Uint8Array };
      }
      last = rows.length < batch ? undefined : keys.map((key) => rows.at(-1)?.[key] ?? null);
    } while (last);
  }
}

function partsOf(column: SealedColumn) {
  const [table = '', name = ''] = column.split('.');
  const { key, lost } = sealedColumns[column];
  return { table, name, keys: key as readonly string[], lost };
}

function keyParameters(row: readonly SqlValue[]): SqlParameters {
  return Object.fromEntries(row.map((value, index) => [`key${index}`, value]));
}
