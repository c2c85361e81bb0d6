import type { HttpHandler } from 'msw/http';
import { UsageError } from '../errors.ts';
import type { Clock } from '../options.ts';
import { createAccount, type NewTestAccount, type TestAccount } from './account.ts';
import { testContract } from './contract.ts';
import { createHandlers, type SentRequest } from './handlers.ts';
import { createIds } from './ids.ts';
import { addInstance } from './operations/instances.ts';
import {
  type ErrorOptions,
  type ExpireTokensOptions,
  type RateLimitOptions,
  type Switch,
  Switches,
  type SwitchOptions,
} from './switches.ts';
import { createTables, type Tables, type World } from './world.ts';

/** Options of a test vault. */
export interface TestVaultOptions {
  /** Where the client under test looks for the service, such as `https://vault.example.com`. */
  baseUrl: string;
  /** The time that tokens, shares, consents and timestamps go by. @default the system's clock */
  clock?: Pick<Clock, 'now'> | undefined;
}

/**
 * A document vault in memory, for tests. It answers every operation of the REST contract as the service
 * does: it keeps what it is sent, validates requests, checks credentials, scopes and ownership. It
 * enforces no rate limit, sends no webhook and has no GraphQL.
 */
export interface TestVault {
  /** Where its clients find it. */
  readonly baseUrl: string;
  /** For `setupServer(...handlers)` of `msw/node`, and `setupWorker(...handlers)` of `msw/browser`. */
  readonly handlers: HttpHandler[];
  /** An account to begin with: `ada@example.com`. */
  readonly account: TestAccount;
  /**
   * Makes another account.
   *
   * @throws UsageError for what the service would refuse, such as an address that is taken
   */
  createAccount(account?: NewTestAccount): TestAccount;
  /** What was sent, the oldest first. Passwords and tokens are in it as they were sent. */
  readonly requests: readonly SentRequest[];
  /** Answers 429 RATE_LIMIT_EXCEEDED, with `Retry-After` and both spellings of the rate limit. */
  rateLimit(options?: RateLimitOptions): Switch;
  /** Answers an error of the catalogue. */
  error(options?: ErrorOptions): Switch;
  /** Breaks the connection without an answer. */
  networkError(options?: SwitchOptions): Switch;
  /** Answers nothing until it is lifted, or the sender gives up. */
  stall(options?: SwitchOptions): Switch;
  /** Answers 401 EXPIRED_TOKEN to the access tokens issued so far. */
  expireTokens(options?: ExpireTokensOptions): Switch;
  /** Lifts every switch and forgets everything but `account`, which is as it was in the beginning. */
  reset(): void;
}

/**
 * Makes a document vault in memory, with the handlers of Mock Service Worker that lead to it. Needs
 * `msw` 3, which on Node needs version 22.12. Each vault stands for itself.
 *
 * @example
 * const service = createTestVault({ baseUrl: 'https://vault.example.com' });
 * const server = setupServer(...service.handlers);
 * server.listen();
 * @throws UsageError when `baseUrl` is no absolute URL
 */
export function createTestVault({ baseUrl, clock = Date }: TestVaultOptions): TestVault {
  const world = createWorld(baseUrl, clock);
  addInstance(world, { name: 'main', region: 'default' });
  const account = createAccount(world, { email: 'ada@example.com' });
  const beginning = structuredClone(world.tables);
  const switches = new Switches(
    world,
    testContract.operations.map(({ id }) => id),
  );
  const requests: SentRequest[] = [];
  return {
    baseUrl: world.baseUrl,
    handlers: createHandlers({ world, switches, requests }),
    account,
    createAccount: (given) => createAccount(world, given),
    requests,
    rateLimit: (options) => switches.rateLimit(options),
    error: (options) => switches.error(options),
    networkError: (options) => switches.networkError(options),
    stall: (options) => switches.stall(options),
    expireTokens: (options) => switches.expireTokens(options),
    reset() {
      switches.clear();
      requests.length = 0;
      restore(world.tables, structuredClone(beginning));
    },
  };
}

function createWorld(baseUrl: string, clock: Pick<Clock, 'now'>): World {
  if (!URL.canParse(baseUrl)) throw new UsageError('baseUrl must be an absolute URL');
  const now = () => clock.now();
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    tables: createTables(),
    ids: createIds(now),
    now,
  };
}

function restore(tables: Tables, beginning: Tables): void {
  for (const name of Object.keys(tables) as (keyof Tables)[]) {
    const table: Map<string, unknown> = tables[name];
    table.clear();
    for (const [key, row] of beginning[name]) table.set(key, row);
  }
}
