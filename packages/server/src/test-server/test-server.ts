import { type RunningServer, runWithServices, type StartOptions } from '../app/start.ts';
import { resolveConfig } from '../config/config.ts';
import { AdjustableClock } from '../lib/clock.ts';
import {
  defaultPassword,
  type NewTestAccount,
  type TestAccount,
  TestAccounts,
} from './accounts.ts';
import { sharedSigningKeys } from './signing-keys.ts';

/** Options of a test server: those of `startServer` except `mode` and `data`, with other defaults. */
export interface TestServerOptions extends Omit<StartOptions, 'mode' | 'data'> {
  /** @default 0, a free port */
  readonly port?: StartOptions['port'];
  /** @default error */
  readonly logLevel?: StartOptions['logLevel'];
}

/** The clock of a test server. Pass it to clients as `clock`, so that their waits take no time. */
export interface TestServerClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Moves the clock forward by milliseconds, which runs what becomes due: expiries, deliveries. */
  advance(ms: number): void;
  /** Moves the clock forward by milliseconds, and resolves at once. */
  sleep(ms: number): Promise<void>;
}

/**
 * A document vault server for tests, on a free port of this process. It has the API of the test kit
 * (`createTestVault` of `@document-vault/testing`), with promises where the kit returns values.
 */
export interface TestServer
  extends Pick<RunningServer, 'fault' | 'events' | 'deliveries' | 'settled' | 'close'> {
  /** The `baseUrl` of its clients. */
  readonly baseUrl: string;
  /** A first account: `ada@example.com`. */
  readonly account: TestAccount;
  /** The clock by which tokens, shares, rate limits and deliveries go. */
  readonly clock: TestServerClock;
  /**
   * Creates another account, with a password and an API key.
   *
   * @throws TestFeatureError for values that the service rejects, such as an address that is taken
   * @example
   * const reader = await service.createAccount({ scopes: ['vaults:read'] });
   */
  createAccount(account?: NewTestAccount): Promise<TestAccount>;
  /**
   * Ends every fault, and deletes all data except `account`. Rate limits are full again. The clock keeps its
   * time.
   */
  reset(): Promise<void>;
}

const firstProfile = { email: 'ada@example.com', password: defaultPassword, name: 'Ada' };

/** Hashes passwords at the lowest cost: 20 ms each would be most of the time of a test. */
const passwordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/**
 * Starts a server for tests: on a free port, with a store in memory, in development mode. Servers are
 * independent of each other. Start one for a test file, and call `reset()` between its tests.
 *
 * @throws ConfigError naming every invalid option
 * @example
 * const service = await startTestServer();
 * const { email, password } = service.account;
 * const client = new DocumentVault({ baseUrl: service.baseUrl, clock: service.clock, session: {} });
 * await client.auth.login({ email, password });
 * service.fault('networkError', { operations: 'createVault', when: 'after' });
 * await client.vaults.create({ name: 'Taxes' }); // creates one vault
 * await service.close();
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { clock = new AdjustableClock(), log, ...input } = options;
  const config = resolveConfig({
    port: 0,
    logLevel: 'error',
    ...input,
    data: ':memory:',
    mode: 'development',
  });
  const newSigningKey = sharedSigningKeys();
  const { server, services, store } = await runWithServices(config, {
    clock,
    ...(log && { log }),
    passwordCost,
    newSigningKey,
    profile: firstProfile,
  });
  if (!server.account) throw new Error('a new store has a development account');
  const accounts = new TestAccounts({ services, store, clock });
  const { fault, events, deliveries, settled, reset, close } = server;
  return {
    baseUrl: server.url,
    account: accounts.withData(server.account),
    clock: {
      now: () => clock.now(),
      advance: (ms) => clock.advance(ms),
      sleep: async (ms) => clock.advance(ms),
    },
    createAccount: (account = {}) => accounts.create(account),
    fault,
    events,
    deliveries,
    settled,
    reset,
    close,
  };
}
