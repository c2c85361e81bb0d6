import { existsSync } from 'node:fs';
import { type Config, loadConfig } from '../config/config.ts';
import type { Mode } from '../config/options.ts';
import { contractOperation, type OperationId } from '../contract/contract.ts';
import { createRequestValidator } from '../contract/validation.ts';
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
import {
  type ClientAdministration,
  createClientAdministration,
} from '../domain/oauth/administration.ts';
import { createOAuthClients } from '../domain/oauth/oauth-clients.ts';
import { createUnitOfWork } from '../domain/unit-of-work.ts';
import { ServiceError, type Violation } from '../generated/rules/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createIds } from '../lib/ids.ts';
import { version } from '../lib/version.ts';
import type { Driver } from '../store/driver.ts';
import { hasCurrentSchema, type ScriptRunner } from '../store/migrations.ts';
import { openStoreBeside } from '../store/open-store.ts';
import { createSealer } from '../store/sealing.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { databaseFileIn, openSqlite } from '../store/sqlite/driver.ts';
import { openSnapshot } from '../store/sqlite/snapshot.ts';
import { createStore, type Store } from '../store/store.ts';
import { CommandError, optionMessage, UsageError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** The surroundings of a command. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** The part of the domain that commands use, over the database of a data folder. */
export interface OperatorServices {
  readonly store: Store;
  readonly users: Users;
  readonly administration: Administration;
  readonly clients: ClientAdministration;
  readonly developmentAccounts: DevelopmentAccounts;
}

export interface DataOption {
  readonly data: string | undefined;
}

/**
 * Returns the configuration of a server with this data folder.
 *
 * @param usedMode the mode of the last server that used the folder: production overrides the environment.
 *   Null before the first start: production, unless the environment says otherwise
 * @throws UsageError for a database in memory
 */
export function configOf(
  { env }: CommandContext,
  { data }: DataOption,
  usedMode: Mode | null = 'development',
): Config {
  const argv = [
    ...(data === undefined ? [] : [`--data=${data}`]),
    ...(usedMode === 'production' ? ['--production'] : []),
  ];
  const config = loadConfig({ argv, env, defaultMode: usedMode ?? 'production' });
  if (config.data === ':memory:') {
    throw new UsageError(
      '--data :memory: names no stored database. Name the data folder of a server.',
    );
  }
  return config;
}

/**
 * Returns the configuration of an existing database: in a data folder, or of PostgreSQL.
 *
 * @throws CommandError when the folder contains no database
 */
export function existingDatabase(context: CommandContext, options: DataOption): Config {
  const config = configOf(context, options);
  const { data, databaseUrl } = config;
  if (databaseUrl !== null || existsSync(databaseFileIn(data))) return config;
  throw new CommandError(
    `${data} contains no database. Start a server with this folder once, or name another folder with --data.`,
  );
}

/** Names the database of a configuration in messages: never with its URL, which contains a password. */
export function nameOf({ data, databaseUrl }: Config): string {
  return databaseUrl === null ? `The database in ${data}` : 'The PostgreSQL database';
}

/**
 * Runs a change of a database, also while a server uses it.
 *
 * @param find default: the database must exist. `configOf` creates a missing data folder and database
 * @throws CommandError when there is no database
 * @throws OperatorError when the master key does not fit
 * @throws DatabaseInUseError when another process has the folder alone, such as `restore`
 */
export async function changeDatabase<Result>(
  context: CommandContext,
  options: DataOption,
  work: (services: OperatorServices) => Promise<Result>,
  find: typeof configOf = existingDatabase,
): Promise<Result> {
  const { clock } = context;
  const { data: folder, databaseUrl, masterKey } = find(context, options);
  const store = await openStoreBeside({ folder, databaseUrl, clock, masterKey });
  try {
    const config = configOf(context, options, (await store.serverMode.find()) ?? null);
    const ids = createIds(clock);
    const { instanceQuota: quotaBytes } = config;
    // A running server has an instance, and its version is the server's.
    if (await store.instances.isEmpty()) {
      await ensureInstance({ store, clock, ids, quotaBytes, version });
    }
    return await work(createOperatorServices(store, context, config));
  } finally {
    await store.close();
  }
}

/**
 * Reads a snapshot of the database. A server can use the database meanwhile.
 *
 * @throws CommandError when there is no database, or its schema is older than this version
 */
export async function readDatabase<Result>(
  context: CommandContext,
  options: DataOption,
  work: (services: OperatorServices) => Promise<Result>,
): Promise<Result> {
  const config = existingDatabase(context, options);
  const snapshot = await openSnapshotOf(config);
  try {
    if (!(await hasCurrentSchema(snapshot.reader))) {
      throw new CommandError(
        `${nameOf(config)} has the schema of an older version. Start the server once to update it.`,
      );
    }
    const store = createStore(snapshot, createSealer(config.masterKey));
    return await work(createOperatorServices(store, context, config));
  } finally {
    await snapshot.close();
  }
}

/**
 * Opens the current state of a database for reading.
 *
 * @throws OperatorError
 */
export async function openSnapshotOf({ data, databaseUrl }: Config): Promise<Snapshot> {
  if (databaseUrl === null) return openSnapshot(databaseFileIn(data));
  const { openPostgresSnapshot } = await import('../store/postgres/snapshot.ts');
  return openPostgresSnapshot(databaseUrl);
}

/**
 * Runs work on a database that no server uses.
 *
 * @throws DatabaseInUseError, CommandError while servers use it
 */
export async function withDatabaseAlone<Result>(
  { data: folder, databaseUrl }: Config,
  work: (driver: Driver & ScriptRunner) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl === null) {
    const driver = await openSqlite({ folder, use: 'alone' });
    return work(driver).finally(() => driver.close());
  }
  const { openPostgres } = await import('../store/postgres/driver.ts');
  const driver = await openPostgres({ url: databaseUrl });
  try {
    // A server that starts meanwhile waits.
    return await driver.exclusively(async () => {
      if (await driver.wakeUps.othersListen()) {
        throw new CommandError(
          'Servers use the PostgreSQL database. Stop all of them, then run the command again.',
        );
      }
      return work(driver);
    });
  } finally {
    await driver.close();
  }
}

function createOperatorServices(
  store: Store,
  { clock }: CommandContext,
  config: Config,
): OperatorServices {
  const ids = createIds(clock);
  // No worker runs here. The next start of the server delivers the events.
  const { webhookDeliveries } = config;
  const onDeliveries = () => undefined;
  const work = createUnitOfWork({ store, clock, ids, webhookDeliveries, onDeliveries });
  const base = { store, work, clock, ids };
  const passwords = createPasswords();
  const { registration, defaultTier } = config;
  const accountLimits = createAccountLimits(config);
  return {
    store,
    users: createUsers({ ...base, passwords, registration, defaultTier }),
    developmentAccounts: createDevelopmentAccounts({ ...base, passwords }),
    administration: createAdministration({
      ...base,
      passwords,
      apiKeys: createApiKeys({ ...base, accountLimits }),
    }),
    clients: createClientAdministration({
      ...base,
      oauthClients: createOAuthClients({ ...base, accountLimits }),
    }),
  };
}

/**
 * Validates options of a command as the body of an operation, by the rules of the contract.
 *
 * @throws UsageError naming each wrong option and its rule, one a line
 */
export function validBody<Body extends object>(id: OperationId, body: Body): Body {
  try {
    return createRequestValidator(contractOperation(id)).body(body) as Body;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const violations = error.details.violations as readonly Violation[];
    const messages = violations.map(({ field, message }) => optionMessage(field, message));
    throw new UsageError(messages.join('\n'), { cause: error });
  }
}
