import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Clock } from '../clock.ts';
import { type Config, loadConfig } from '../config/config.ts';
import {
  type Administration,
  createAdministration,
  createDevelopmentAccounts,
  type DevelopmentAccounts,
} from '../domain/accounts/administration.ts';
import { createApiKeys } from '../domain/accounts/api-keys.ts';
import { createPasswords } from '../domain/accounts/secrets.ts';
import { createUsers, type Users } from '../domain/accounts/users.ts';
import { ensureInstance } from '../domain/instances/instances.ts';
import { createAccountLimits } from '../domain/limits/account-limits.ts';
import { createUnitOfWork } from '../domain/unit-of-work.ts';
import { createIds } from '../ids.ts';
import { openStore } from '../store/open-store.ts';
import { createSealer } from '../store/sealing.ts';
import { databaseFileIn } from '../store/sqlite/driver.ts';
import { pendingMigrations, readHistory, readMigrations } from '../store/sqlite/migrations.ts';
import { openSnapshot } from '../store/sqlite/snapshot.ts';
import { createStore, type Store } from '../store/store.ts';
import { version } from '../version.ts';
import { CommandError, UsageError } from './failures.ts';
import type { Terminal } from './terminal.ts';

/** What every command is given. */
export interface Context {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** The domain over the database of a data folder, as operators use it. */
export interface Workplace {
  readonly store: Store;
  readonly users: Users;
  readonly administration: Administration;
  readonly developmentAccounts: DevelopmentAccounts;
}

export interface DataOption {
  readonly data?: string;
}

/** Gives a command the option `--data`. */
export function withData(command: Command): Command {
  return command.option('--data <folder>', 'data folder (default: DOCUMENT_VAULT_DATA, or ./data)');
}

/** The configuration of a server that would use this data folder. */
export function configOf({ env }: Context, { data }: DataOption): Config {
  const config = loadConfig({ argv: data === undefined ? [] : [`--data=${data}`], env });
  if (config.data === ':memory:') {
    throw new UsageError('--data :memory: keeps nothing that a command could work on.');
  }
  return config;
}

/** The data folder, which has a database. */
export function dataFolder(context: Context, options: DataOption): string {
  const { data } = configOf(context, options);
  if (existsSync(databaseFileIn(data))) return data;
  throw new CommandError(
    `There is no database in ${data}. Start a server there once, or name its folder with --data.`,
  );
}

/**
 * Does something that changes the database, while no server uses it.
 *
 * @throws DatabaseInUseError, MasterKeyError
 */
export async function changing<Result>(
  context: Context,
  config: Config,
  work: (place: Workplace) => Promise<Result>,
): Promise<Result> {
  const { clock } = context;
  const { data: folder, masterKey } = config;
  const { store, sealing } = await openStore({ folder, clock, masterKey });
  try {
    if (sealing.remnants) context.terminal.complain(sealing.remnants.message);
    const ids = createIds(clock);
    await ensureInstance({ store, clock, ids, quotaBytes: config.instanceQuota, version });
    return await work(workplace(store, context, config));
  } finally {
    await store.close();
  }
}

/** Looks at the database, beside a server that may be using it. */
export async function reading<Result>(
  context: Context,
  options: DataOption,
  work: (place: Workplace) => Promise<Result>,
): Promise<Result> {
  const folder = dataFolder(context, options);
  const snapshot = openSnapshot(databaseFileIn(folder));
  try {
    const pending = pendingMigrations(await readMigrations(), await readHistory(snapshot.reader));
    if (pending.length > 0) {
      throw new CommandError(
        `The database in ${folder} is older than this version. Start the server once.`,
      );
    }
    const config = configOf(context, options);
    const store = createStore(snapshot, createSealer(config.masterKey));
    return await work(workplace(store, context, config));
  } finally {
    await snapshot.close();
  }
}

function workplace(store: Store, { clock }: Context, config: Config): Workplace {
  const ids = createIds(clock);
  // The next start of the server finds what there is to deliver.
  const { webhookDeliveries } = config;
  const onDeliveries = () => undefined;
  const work = createUnitOfWork({ store, clock, ids, webhookDeliveries, onDeliveries });
  const base = { store, work, clock, ids };
  const passwords = createPasswords();
  const { registration, defaultTier } = config;
  return {
    store,
    users: createUsers({ ...base, passwords, registration, defaultTier }),
    developmentAccounts: createDevelopmentAccounts({ ...base, passwords }),
    administration: createAdministration({
      ...base,
      apiKeys: createApiKeys({ ...base, accountLimits: createAccountLimits(config) }),
    }),
  };
}
