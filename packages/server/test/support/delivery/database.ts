import { TestClock } from '../../../src/lib/clock.ts';
import { createIds } from '../../../src/lib/ids.ts';
import type {
  AttemptOutcome,
  AttemptRecord,
  QueuedDelivery,
} from '../../../src/store/rows/webhooks/deliveries.ts';
import type {
  DeliveryLimits,
  DeliveryStatus,
} from '../../../src/store/rows/webhooks/delivery-counters.ts';
import { plainSealer } from '../../../src/store/sealing.ts';
import { createStore, type Repositories } from '../../../src/store/store.ts';
import { openTestDriver } from '../store/driver.ts';

export interface DeliveryRow {
  readonly status: DeliveryStatus;
  readonly attemptNumber: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly nextAttemptAt: number | null;
  readonly completedAt: number | null;
}

export interface AttemptRow {
  readonly attemptNumber: number;
  readonly startedAt: number;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly responseBody: string | null;
}

export interface NewWebhook {
  /** Default: the account of the database. */
  readonly userId?: string;
  readonly url?: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>> | null;
  readonly active?: boolean;
}

/** Limits that no test reaches. */
export const roomy: DeliveryLimits = { free: 1e9, paid: 1e9, enterprise: 1e9 };

export const secret = 'a secret of the tests, 32 and more';

/** Opens a database in memory with one account and a test clock, and helpers for its delivery queues. */
export async function openDatabase() {
  const clock = new TestClock();
  const ids = createIds(clock);
  const driver = await openTestDriver(clock);
  const store = createStore(driver, plainSealer);
  const owner = { instanceId: ids.resource(), userId: ids.resource() };
  const times = { createdAt: clock.now(), updatedAt: clock.now() };

  await store.transaction(async (tx) => {
    await tx.instances.insert({
      id: owner.instanceId,
      name: 'test',
      region: 'local',
      version: '0.0.0',
      status: 'healthy',
      isActive: true,
      quotaBytes: 1,
      usedBytes: 0,
      ...times,
    });
    await insertUser(tx, owner.userId, 'test@example.com');
  });

  async function insertUser(tx: Repositories, id: string, email: string): Promise<void> {
    await tx.users.insert({
      id,
      email,
      name: 'Test',
      passwordHash: '-',
      role: 'user',
      tier: 'free',
      status: 'active',
      instanceId: owner.instanceId,
      ...times,
    });
  }

  async function addUser(): Promise<string> {
    const id = ids.resource();
    await store.transaction((tx) => insertUser(tx, id, `${id}@example.com`));
    return id;
  }

  async function addWebhook(webhook: NewWebhook = {}): Promise<string> {
    const id = ids.resource();
    await store.transaction((tx) =>
      tx.webhooks.insert({
        id,
        userId: owner.userId,
        url: 'http://127.0.0.1:9/',
        events: ['vault.created'],
        secret,
        previousSecret: null,
        previousSecretExpiresAt: null,
        description: null,
        headers: null,
        metadata: null,
        narrowed: false,
        accounts: 'own',
        accessId: null,
        active: true,
        ...times,
        ...webhook,
      }),
    );
    return id;
  }

  /** Queues deliveries of new events, due now. */
  async function addDeliveries(
    webhookId: string,
    count: number,
    { test = false, body = '{"id":"evt_1"}', limits = roomy } = {},
  ): Promise<string[]> {
    const createdAt = clock.now();
    const queued = Array.from({ length: count }, () => ({
      id: ids.prefixed('dlv'),
      webhookId,
      eventId: ids.prefixed('evt'),
      eventType: 'vault.created',
      test,
      createdAt,
    }));
    await store.transaction(async (tx) => {
      for (const { eventId, eventType } of queued) {
        await tx.events.insert({
          id: eventId,
          type: eventType,
          ...owner,
          body,
          test,
        });
      }
      await tx.deliveries.insert(queued, limits);
    });
    return queued.map(({ id }) => id);
  }

  async function addDelivery(webhookId: string, options?: { test?: boolean; body?: string }) {
    const [id] = await addDeliveries(webhookId, 1, options);
    return id as string;
  }

  /** The deliveries that are due now, in the order of each webhook's queue. */
  async function due(): Promise<QueuedDelivery[]> {
    const { deliveries } = store;
    const now = clock.now();
    const found: QueuedDelivery[] = [];
    for (const { webhookId } of await deliveries.queues()) {
      const first = await deliveries.first(webhookId, 1_000);
      const ids = first.filter(({ dueAt }) => dueAt <= now).map(({ id }) => id);
      const queued = await deliveries.findQueued(ids);
      found.push(...ids.flatMap((id) => queued.get(id) ?? []));
    }
    return found;
  }

  async function record(
    delivery: QueuedDelivery,
    attempt: AttemptRecord,
    outcome: AttemptOutcome,
  ): Promise<void> {
    await store.transaction((tx) => tx.deliveries.recordAttempts([{ delivery, attempt, outcome }]));
  }

  async function setActive(webhookId: string, active: boolean): Promise<void> {
    await store.transaction(async (tx) => {
      const webhook = await tx.webhooks.find(webhookId);
      if (webhook === undefined) throw new Error(`no webhook ${webhookId}`);
      await tx.webhooks.save({ ...webhook, active });
    });
  }

  const deliveryColumns = `status, attempt_number AS "attemptNumber", status_code AS "statusCode", error,
    next_attempt_at AS "nextAttemptAt", completed_at AS "completedAt"`;

  return {
    clock,
    driver,
    store,
    owner,
    addUser,
    addWebhook,
    addDelivery,
    addDeliveries,
    due,
    record,
    setActive,
    deleteWebhook: (id: string) => store.transaction((tx) => tx.webhooks.delete(id)),
    delivery: (id: string) =>
      driver.reader.get<DeliveryRow>(`SELECT ${deliveryColumns} FROM deliveries WHERE id = @id`, {
        id,
      }),
    attempts: (id: string) =>
      driver.reader.all<AttemptRow>(
        `SELECT attempt_number AS "attemptNumber", started_at AS "startedAt", status_code AS "statusCode",
           duration_ms AS "durationMs", error, response_body AS "responseBody"
         FROM delivery_attempts WHERE delivery_id = @id ORDER BY attempt_number`,
        { id },
      ),
    count: async (where: string) =>
      (
        await driver.reader.get<{ n: number }>(
          `SELECT COUNT(*) AS n FROM deliveries WHERE ${where}`,
        )
      )?.n,
    close: () => store.close(),
  };
}

export type TestDatabase = Awaited<ReturnType<typeof openDatabase>>;
