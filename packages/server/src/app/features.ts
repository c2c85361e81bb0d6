import { digest } from '../domain/accounts/secrets.ts';
import type { Shape } from '../domain/shapes.ts';
import { presentDelivery } from '../domain/webhooks/deliveries.ts';
import { type Fault, type FaultKinds, TestFeatureError } from '../faults/fault-kinds.ts';
import type { Faults } from '../faults/faults.ts';
import type { MovableClock } from '../lib/clock.ts';
import type { Repositories, Store } from '../store/store.ts';

/** An event as webhooks receive it, also when no webhook subscribes to it. */
export type RecordedEvent = Shape<'Event'>;

/** A delivery as `GET /api/v1/webhooks/{id}/deliveries` returns it. */
export type RecordedDelivery = Shape<'Delivery'>;

/** Controls of a server for tests. In production mode, each of them throws a TestFeatureError. */
export interface TestFeatures {
  /** The clock of the server: the `clock` option, or by default a clock that runs ahead of the system clock once moved. */
  readonly clock: MovableClock;
  /**
   * Injects a fault into the next request that matches it. Of several that match, the oldest affects it.
   *
   * Faults affect requests with valid credentials within their rate limit. A client with retries sends the
   * request again: with the default `times`, it gets a response then.
   *
   * @param kind - `rateLimit`, `error`, `delay`, `stall`, `networkError`, `truncate` or `expireTokens`
   * @throws TestFeatureError for an unknown kind or operation, and for an invalid number
   * @example
   * const fault = server.fault('rateLimit', { operations: 'listVaults', retryAfter: 90 });
   * await app.open();
   * console.log(fault.calls); // 1
   */
  fault<Kind extends keyof FaultKinds>(kind: Kind, options?: FaultKinds[Kind]): Fault;
  /** Every event so far, oldest first. */
  events(): Promise<RecordedEvent[]>;
  /** Every delivery so far, oldest first. */
  deliveries(): Promise<RecordedDelivery[]>;
  /**
   * Resets the server to its first start, for use between tests. The store contains only the development
   * account, with the same key and password. Injected faults, used rate limits and failed logins are
   * cleared. The clock is unchanged. A request that runs meanwhile can fail.
   *
   * @throws TestFeatureError while other servers use the same PostgreSQL database
   */
  reset(): Promise<void>;
}

/** Identifies the development account. */
interface Credentials {
  readonly email: string;
  readonly apiKey: string;
}

export async function createTestFeatures(options: {
  readonly clock: MovableClock;
  readonly faults: Faults;
  readonly store: Store;
  readonly account: Credentials | undefined;
  /** Clears the state in memory. */
  readonly forget: () => Promise<void>;
}): Promise<TestFeatures> {
  const { clock, faults, store, account, forget } = options;
  const refill = await beginning(store, account);
  return {
    clock,
    fault: faults.inject,
    async events() {
      const records = await store.events.all();
      return records.map(({ body }) => JSON.parse(body));
    },
    async deliveries() {
      const records = await store.deliveryLog.all();
      return records.map(presentDelivery);
    },
    async reset() {
      if (await store.wakeUps?.othersListen()) {
        throw new TestFeatureError(
          'reset() deletes all rows, and other servers use the database. Give each test a database of its own.',
        );
      }
      faults.clear();
      await store.empty(refill);
      await forget();
    },
  };
}

/** Reads the rows of the first start. Returns a function that inserts them again in one transaction. */
async function beginning(store: Store, account: Credentials | undefined) {
  const instance = await store.instances.firstActive();
  const user = account && (await store.users.findByEmail(account.email));
  const hash = account && digest(account.apiKey);
  const key = hash && (await store.apiKeys.findByHash(hash));
  const birth = (await store.events.all()).filter(
    ({ type, userId }) => type === 'user.created' && userId === user?.id,
  );
  return async (tx: Repositories) => {
    if (instance) await tx.instances.insert({ ...instance, usedBytes: 0, status: 'healthy' });
    if (user) await tx.users.insert(user);
    if (key) await tx.apiKeys.insert({ ...key, lastUsedAt: null }, hash);
    if (user && key) await tx.developmentAccounts.mark(key);
    for (const event of birth) await tx.events.insert(event);
  };
}

/** Creates controls that throw, for production mode. */
export function refuseTestFeatures(clock: MovableClock | undefined): TestFeatures {
  const refuse = (feature: string) => (): never => {
    throw new TestFeatureError(
      `${feature} is a test feature. This server runs in production mode; start it with mode: 'development'.`,
    );
  };
  return {
    clock: clock ?? { now: Date.now, at: refuse('clock'), advance: refuse('clock') },
    fault: refuse('fault'),
    events: refuse('events'),
    deliveries: refuse('deliveries'),
    reset: refuse('reset'),
  };
}
