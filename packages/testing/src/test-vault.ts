import type { Clock } from '@document-vault/sdk';
import { UsageError } from '@document-vault/sdk';
import type { HttpHandler } from 'msw/http';
import { createAccount, type NewTestAccount, type TestAccount } from './account.ts';
import { MovableClock, type TestClock } from './clock.ts';
import { testContract } from './contract.ts';
import type { Fault, FaultKinds } from './fault-kinds.ts';
import { Faults } from './faults.ts';
import { createHandlers, type SentRequest } from './handlers.ts';
import { addInstance } from './operations/instances.ts';
import { createIds, type State, Tables } from './state.ts';

/** Options of a test vault. */
export interface TestVaultOptions {
  /** The `baseUrl` of the clients under test, such as `https://vault.example.com`. */
  baseUrl: string;
  /** The time at which `clock` starts. @default the system's clock */
  clock?: Pick<Clock, 'now'> | undefined;
}

/**
 * A document vault in memory, for tests. It implements every operation of the REST contract: it stores
 * what it receives, validates requests, and checks credentials, scopes, ownership and quotas. It enforces
 * no rate limit, sends no webhook and has no GraphQL. Of OAuth it has the refresh and the revocation of tokens.
 */
export interface TestVault {
  /** The `baseUrl` of its clients. */
  readonly baseUrl: string;
  /** For `setupServer(...handlers)` of `msw/node`, or `setupWorker(...handlers)` of `msw/browser`. */
  readonly handlers: HttpHandler[];
  /** A first account: `ada@example.com`. */
  readonly account: TestAccount;
  /** The clock by which tokens, shares, consents, uploads and tickets for contents expire. */
  readonly clock: TestClock;
  /**
   * Creates another account.
   *
   * @throws UsageError for values that the service rejects, such as an address that is taken
   */
  createAccount(account?: NewTestAccount): TestAccount;
  /** The requests so far, oldest first, with passwords and tokens as they were sent. */
  readonly requests: readonly SentRequest[];
  /**
   * Injects a fault into the next request that matches it. Of several that match, the oldest affects it.
   *
   * Faults affect requests with valid credentials. A client with retries sends the request again: with the
   * default `times`, it gets a response then.
   *
   * @param kind - `rateLimit`, `error`, `delay`, `stall`, `networkError`, `truncate` or `expireTokens`
   * @throws UsageError for an unknown kind or operation, and for an invalid number
   * @example
   * const fault = service.fault('rateLimit', { operations: 'listVaults', retryAfter: 90 });
   * await app.open();
   * console.log(fault.calls); // 1
   */
  fault<Kind extends keyof FaultKinds>(kind: Kind, options?: FaultKinds[Kind]): Fault;
  /** Ends every fault, resets the clock and deletes all data except `account`. */
  reset(): void;
}

/**
 * Creates a document vault in memory, with the handlers of Mock Service Worker that lead to it. Needs
 * `msw` 3, which needs Node 22.12 or later. Vaults are independent of each other.
 *
 * @example
 * const service = createTestVault({ baseUrl: 'https://vault.example.com' });
 * const server = setupServer(...service.handlers);
 * server.listen();
 * @throws UsageError when `baseUrl` is not an absolute URL
 */
export function createTestVault({ baseUrl, clock: base = Date }: TestVaultOptions): TestVault {
  const clock = new MovableClock(base);
  const state = createState(baseUrl, clock);
  addInstance(state, { name: 'main', region: 'default' });
  const account = createAccount(state, { email: 'ada@example.com' });
  const beginning = structuredClone(state.tables);
  const operations = testContract.operations.map(({ id }) => id);
  const faults = new Faults(state, clock, operations);
  const requests: SentRequest[] = [];
  return {
    baseUrl: state.baseUrl,
    handlers: createHandlers({ state, faults, requests }),
    account,
    clock,
    createAccount: (given) => createAccount(state, given),
    requests,
    fault: (kind, options) => faults.inject(kind, options),
    reset() {
      faults.clear();
      requests.length = 0;
      clock.reset();
      resetTables(state.tables, structuredClone(beginning));
    },
  };
}

function createState(baseUrl: string, clock: Pick<Clock, 'now'>): State {
  if (!URL.canParse(baseUrl)) throw new UsageError('baseUrl must be an absolute URL');
  const now = () => clock.now();
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    tables: new Tables(),
    ids: createIds(now),
    now,
  };
}

function resetTables(tables: Tables, beginning: Tables): void {
  for (const name of Object.keys(tables) as (keyof Tables)[]) {
    const table: Map<string, unknown> = tables[name];
    table.clear();
    for (const [key, row] of beginning[name]) table.set(key, row);
  }
}
