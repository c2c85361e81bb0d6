import { statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import {
  type Config,
  type ConfigInput,
  databaseFlag,
  databaseName,
  objectStoreOf,
  resolveConfig,
} from '../config/config.ts';
import { refuseDevelopmentAccount } from '../domain/accounts/administration.ts';
import type { Services } from '../domain/services.ts';
import { AdjustableClock, type MovableClock, systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { assertNodeVersion, version } from '../lib/version.ts';
import { openObjects } from '../store/contents/open-contents.ts';
import { type OpenedStore, openStore } from '../store/open-store.ts';
import { unsealedWarning } from '../store/sealed-rows.ts';
import type { Store } from '../store/store.ts';
import { type App, createApp } from './app.ts';
import {
  type DevelopmentAccount,
  developmentAccount,
  type NewProfile,
} from './development-account.ts';
import { createTestFeatures, refuseTestFeatures, type TestFeatures } from './features.ts';
import type { AppOptions } from './options.ts';

export interface StartOptions extends ConfigInput {
  /**
   * The clock of tokens, shares, rate limits and deliveries. Default: the machine's clock, which
   * `server.clock` can move forward in development.
   */
  readonly clock?: MovableClock | undefined;
  /** Writes the log. Default: JSON lines on standard error. */
  readonly log?: Logger | undefined;
}

export interface RunningServer extends TestFeatures {
  /** The public address without a slash at the end: `baseUrl`, or else `localUrl`. */
  readonly url: string;
  /** The address on this machine that the server listens on, without a slash at the end. */
  readonly localUrl: string;
  /** The account that a server in development creates at its first start; undefined in production. */
  readonly account: DevelopmentAccount | undefined;
  /** The API key of that account; empty without one. */
  readonly apiKey: string;
  /** Whether the database had an account when the server was ready. */
  readonly hasAccounts: boolean;
  /** Resolves when the sweeper has done its steps and every due delivery has been attempted. */
  settled(): Promise<void>;
  /** Accepts no further requests, finishes the running ones and closes the store. Can be called again. */
  close(): Promise<void>;
}

/**
 * Starts a server in this process.
 *
 * @example
 * const server = await startServer({ port: 0, data: ':memory:' });
 * @throws ConfigError naming every wrong option
 */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  const { clock, log, ...input } = options;
  return run(resolveConfig(input), { clock, log });
}

/** Options that only this repository's tests set. */
type TestOptions = Pick<AppOptions, 'passwordCost' | 'newSigningKey'> & {
  /** The database that `:memory:` starts with: migrating an empty one takes half of a start. */
  readonly template?: Uint8Array | undefined;
  /** The profile of the development account. */
  readonly profile?: NewProfile | undefined;
};

export type RunOptions = Pick<StartOptions, 'clock' | 'log'> & TestOptions;

/** Starts a server from a finished configuration. */
export async function run(config: Config, options: RunOptions = {}): Promise<RunningServer> {
  return (await runWithServices(config, options)).server;
}

/** A server with the services and the store behind its interface. */
export interface ServerWithServices {
  readonly server: RunningServer;
  readonly services: Services;
  readonly store: Store;
}

/** Starts a server for tests that create data without requests. */
export async function runWithServices(
  config: Config,
  { clock, log = createLog(config), ...testOptions }: RunOptions = {},
): Promise<ServerWithServices> {
  assertNodeVersion();
  const { data: folder, databaseUrl, masterKey } = config;
  const { store, databaseStatus, sealing } = await openStore({
    folder,
    template: testOptions.template,
    databaseUrl,
    clock: clock ?? systemClock,
    masterKey,
    onCheckpointFailure: (err) => log.error({ err }, 'a checkpoint of the database failed'),
    onRefusedConnection: (err) => log.warn({ err }, refusedConnectionWarning),
  });
  let objects: Awaited<ReturnType<typeof openObjects>> | undefined;
  try {
    reportSealing(sealing, config, log);
    if (config.mode === 'production') {
      await refuseDevelopmentAccount(store, databaseName(config), databaseFlag(config));
    }
    await rememberMode(store, config);
    objects = await openObjects(objectStoreOf(config), store);
    return await serve({ config, clock, log, store, objects, databaseStatus, testOptions });
  } catch (error) {
    objects?.close();
    await store.close();
    throw error;
  }
}

/** Stores the mode for the commands, which take their defaults from it. */
async function rememberMode(store: Store, { mode }: Config): Promise<void> {
  if ((await store.serverMode.find()) === mode) return;
  await store.transaction((tx) => tx.serverMode.save(mode));
}

function reportSealing(
  { keyId: masterKeyId, newlySealed, remnants }: OpenedStore['sealing'],
  { mode, masterKeyFile }: Config,
  log: Logger,
): void {
  if (masterKeyId !== null) log.info({ masterKeyId, newlySealed }, 'the stored secrets are sealed');
  else if (mode === 'production') log.warn(unsealedWarning);
  if (remnants) log.error({ err: remnants }, remnants.message);
  if (masterKeyFile !== null && isReadableByAll(masterKeyFile)) {
    log.warn({ masterKeyFile }, readableKeyWarning);
  }
}

const refusedConnectionWarning =
  'PostgreSQL refuses further connections, so that requests wait for each other: raise max_connections, or stop other clients';

const readableKeyWarning =
  'every user of this machine can read the file of the master key: chmod 600 closes it';

/** Never on Windows, whose files have no such mode. */
function isReadableByAll(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o004) !== 0;
}

interface Parts
  extends Pick<AppOptions, 'config' | 'log' | 'store' | 'objects' | 'databaseStatus'> {
  readonly clock: MovableClock | undefined;
  readonly testOptions: TestOptions;
}

async function serve({ testOptions, ...parts }: Parts): Promise<ServerWithServices> {
  const { config, log, store } = parts;
  const { mode, defaultTier, registration } = config;
  const server = createServer(timeLimits(config));
  server.timeout = config.idleTimeout;
  let url = config.baseUrl;
  const tests = mode === 'development' ? await testEquipment(parts) : undefined;
  const clock = tests?.clock ?? parts.clock ?? systemClock;
  const faults = tests?.faults;
  const app = await createApp({
    ...testOptions,
    ...parts,
    clock,
    baseUrl: () => url ?? '',
    faults,
  });
  try {
    server.on('connection', app.accept);
    server.on('request', app.handle);
    // The operation asks for the body, after it has let the request in.
    server.on('checkContinue', app.handle);
    server.on('checkExpectation', refuseExpectation);
    await listen(server, config);
    const localUrl = urlOf(server);
    url ??= localUrl;
    const facts = { url, localUrl, mode, defaultTier, registration, version };
    log.info(facts, 'the server is listening');
    const { services } = app;
    const folder = config.data === ':memory:' ? null : config.data;
    const account =
      tests &&
      (await store.exclusively(() =>
        developmentAccount({ store, services, clock, folder, profile: testOptions.profile }),
      ));
    const features = tests
      ? await createTestFeatures({ ...tests, store, account, forget: () => app.forget() })
      : refuseTestFeatures(parts.clock);
    const hasAccounts = !(await store.users.isEmpty());
    let stopping: Promise<void> | undefined;
    const running = {
      url,
      localUrl,
      account,
      apiKey: account?.apiKey ?? '',
      hasAccounts,
      settled: () => app.settled(),
      close() {
        stopping ??= stop(server, app, parts);
        return stopping;
      },
    };
    return { server: { ...features, ...running }, services, store };
  } catch (error) {
    await closeAll(server, app, parts);
    throw error;
  }
}

async function testEquipment({ clock = new AdjustableClock() }: Pick<Parts, 'clock'>) {
  const { createFaults } = await import('../faults/faults.ts');
  return { clock, faults: createFaults(clock) };
}

/** Returns the timeouts for slow clients, and how often Node checks them: a quarter of the shortest, at most 5 s. */
function timeLimits({ headersTimeout, requestTimeout, keepAliveTimeout }: Config) {
  const shortest = Math.min(headersTimeout, requestTimeout);
  const connectionsCheckingInterval = Math.min(5_000, Math.ceil(shortest / 4));
  return { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval };
}

/**
 * Refuses an unknown `Expect` before the pipeline: the contract has 417 as a bare status. Node would keep the connection
 * open for further such requests, which no limit counts.
 */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, { Connection: 'close' }).end();
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Addresses that `localhost` reaches: all interfaces and loopback. */
const localAddresses = ['0.0.0.0', '::', '127.0.0.1', '::1'];

/**
 * Returns the address that the server listens on as a URL. Console and OAuth pages need one name, because cookies of
 * `localhost` and 127.0.0.1 are separate.
 */
function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  if (localAddresses.includes(address)) return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

type Closing = Pick<Parts, 'config' | 'log' | 'store' | 'objects'>;

async function stop(server: Server, app: App, parts: Closing): Promise<void> {
  parts.log.info('the server is stopping');
  await closeAll(server, app, parts);
  parts.log.info('the server has stopped');
}

/** Maximum milliseconds that running deliveries have to finish. An aborted one is attempted again. */
const deliveryGrace = 5_000;

async function closeAll(
  server: Server,
  app: App,
  { config, store, objects }: Closing,
): Promise<void> {
  const timeoutMs = config.shutdownTimeout;
  app.beginClosing();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
  try {
    await Promise.all([closed, app.close(Math.min(deliveryGrace, timeoutMs))]);
  } finally {
    clearTimeout(deadline);
    objects?.close();
    await store.close();
  }
}
