import type { MovableClock } from './clock.ts';
import { digest } from './domain/accounts/secrets.ts';
import type { Shape } from './domain/shapes.ts';
import { presentDelivery } from './domain/webhooks/deliveries.ts';
import { type FaultBook, type Faults, TestFeatureError } from './fault-injection.ts';
import type { Repositories, Store } from './store/store.ts';

/** An event as it was delivered, or would have been. */
export type RecordedEvent = Shape<'Event'>;

/** A delivery as `GET /api/v1/webhooks/{id}/deliveries` shows it. */
export type RecordedDelivery = Shape<'Delivery'>;

/**
 * What tests do with a server that clients cannot. In production mode each of these throws a
 * TestFeatureError.
 */
export interface TestFeatures {
  /**
   * The time that everything in the server goes by: the one it was started with, by default one that
   * goes with the machine's until it is moved.
   */
  readonly clock: MovableClock;
  /** Orders what goes wrong with the next answers. */
  readonly faults: Faults;
  /** Every event so far, oldest first. */
  events(): Promise<RecordedEvent[]>;
  /** Every delivery so far, oldest first. */
  deliveries(): Promise<RecordedDelivery[]>;
  /**
   * Takes the server back to its first start: nothing is stored but the development account with the
   * same key and password, no fault is ordered, every rate limit is full, no login has failed. The
   * clock stays where it is. For between tests: a request that runs meanwhile may fail.
   */
  reset(): Promise<void>;
}

/** What is needed to find the development account again. */
interface Credentials {
  readonly email: string;
  readonly apiKey: string;
}

export interface TestFeaturesOptions {
  readonly clock: MovableClock;
  readonly faults: FaultBook;
  readonly store: Store;
  readonly account: Credentials | undefined;
  /** Forgets what is kept outside of the store. */
  readonly forget: () => void;
}

export async function createTestFeatures(options: TestFeaturesOptions): Promise<TestFeatures> {
  const { clock, faults, store, account, forget } = options;
  const refill = await beginning(store, account);
  return {
    clock,
    faults,
    async events() {
      const records = await store.events.all();
      return records.map(({ body }) => JSON.parse(body));
    },
    async deliveries() {
      const records = await store.deliveryLog.all();
      return records.map(presentDelivery);
    },
    async reset() {
      faults.clear();
      await store.empty(refill);
      forget();
    },
  };
}

/** What a store holds after its first start, kept in memory: the way back costs one transaction. */
async function beginning(store: Store, account: Credentials | undefined) {
  const instance = await store.instances.firstActive();
  const user = account && (await store.users.findByEmail(account.email));
  const hash = account && digest(account.apiKey);
  const holder = hash && (await store.apiKeys.findHolder(hash));
  const key = holder && (await store.apiKeys.find(holder.keyId));
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

/** In the place of the features, where they must not exist. */
export function refuseTestFeatures(clock: MovableClock | undefined): TestFeatures {
  const refuse = (feature: string) => (): never => {
    throw new TestFeatureError(`${feature} is for tests; this server runs in production mode`);
  };
  return {
    clock: clock ?? { now: Date.now, at: refuse('clock'), advance: refuse('clock') },
    faults: { order: refuse('faults'), clear: refuse('faults'), pending: 0 },
    events: refuse('events'),
    deliveries: refuse('deliveries'),
    reset: refuse('reset'),
  };
}
