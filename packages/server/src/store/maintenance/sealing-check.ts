import type { KeyObject } from 'node:crypto';
import type { Queries } from '../driver.ts';
import { type ServerMode, serverModeRepository } from '../rows/instance/server-mode.ts';
import {
  readSealingState,
  type SealedValue,
  sealedValues,
  unsealedWarning,
} from '../sealed-rows.ts';
import {
  createSealer,
  keyIdOf,
  masterKeyId,
  plainSealer,
  SealedValueError,
  type Sealer,
} from '../sealing.ts';
import type { Snapshot } from '../snapshot.ts';
import { bounded, type Finding, maxProblems } from './checks.ts';

export interface SealingCheckOptions {
  /** Null: none is set, and no value is opened. */
  readonly masterKey: KeyObject | null;
  /** Production also when the last server that used the database ran in production. */
  readonly mode: ServerMode;
}

/** Checks that every stored secret has the form that the database claims, and opens with the master key. */
export async function examineSealing(
  snapshot: Snapshot,
  options: SealingCheckOptions,
): Promise<Finding> {
  const name = 'sealing';
  try {
    return { name, ...(await examineValues(snapshot, options)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const title = 'Every stored secret is sealed, or none is';
    return { name, title, problems: [`the check failed: ${reason}`] };
  }
}

async function examineValues(
  { reader }: Snapshot,
  { masterKey, mode }: SealingCheckOptions,
): Promise<Omit<Finding, 'name'>> {
  const { keyId, hasRemnants } = await readSealingState(reader);
  const given = masterKey && masterKeyId(masterKey);
  const opens = keyId === null || keyId === given;
  const sealer = createSealer(keyId === null ? null : masterKey);
  const problems: string[] = [];
  if (!opens && given !== null) {
    problems.push(`they are sealed with master key ${keyId}, and the key that is set is ${given}`);
  }
  // The files of PostgreSQL belong to its operator.
  if (hasRemnants && reader.dialect.name === 'sqlite') {
    problems.push(
      'free space of the file may contain earlier forms of the secrets: start the server once, with as much free disk space as the database has',
    );
  }
  let count = 0;
  for await (const value of sealedValues(reader)) {
    const problem = opens ? openingProblem(sealer, value) : keyProblem(keyId, value);
    if (problem !== undefined && problems.length <= maxProblems) problems.push(problem);
    count += 1;
  }
  return {
    title: `The stored secrets (${count}) ${conditionOf(keyId, opens)}`,
    problems: bounded(problems),
    warnings: keyId === null ? warningsOf(given, [mode, await usedMode(reader)]) : [],
  };
}

function openingProblem(sealer: Sealer, { column, row, stored }: SealedValue): string | undefined {
  try {
    sealer.open(stored, column, row);
    return undefined;
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error;
    return error.message.replace(/\.$/, '');
  }
}

function keyProblem(needed: string | null, value: SealedValue): string | undefined {
  const keyId = keyIdOf(value.stored);
  return keyId === needed ? undefined : openingProblem(plainSealer, value);
}

function conditionOf(keyId: string | null, opens: boolean): string {
  if (keyId === null) return 'are stored as they are, without a master key';
  return opens
    ? `are sealed and open with master key ${keyId}`
    : `are sealed with master key ${keyId}; they were not opened, since that key is not set`;
}

function usedMode(queries: Queries): Promise<ServerMode | undefined> {
  return serverModeRepository(queries).find();
}

function warningsOf(
  given: string | null,
  modes: readonly (ServerMode | undefined)[],
): readonly string[] {
  if (given !== null) return ['A master key is set: the next start of the server seals them.'];
  return modes.includes('production') ? [unsealedWarning] : [];
}
