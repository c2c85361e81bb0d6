import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AttemptRecord, ClaimedDelivery, ClaimOptions } from '../../src/store/deliveries.ts';
import { openDatabase, secret, type TestDatabase } from '../delivery/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

function claim(options: Partial<ClaimOptions> = {}): Promise<ClaimedDelivery[]> {
  return database.store.transaction((tx) =>
    tx.deliveries.claimDue({
      now: database.clock.now(),
      webhookLimit: 2,
      total: 100,
      busy: new Map(),
      ...options,
    }),
  );
}

const refused: AttemptRecord = {
  startedAt: 1,
  statusCode: 500,
  durationMs: 7,
  error: 'status 500',
  responseBody: 'no',
};

function record(
  claimed: ClaimedDelivery,
  attempt: AttemptRecord,
  nextAttemptAt?: number,
): Promise<void> {
  return database.store.transaction((tx) =>
    tx.deliveries.recordAttempt(
      claimed,
      attempt,
      nextAttemptAt === undefined
        ? { status: attempt.error === null ? 'succeeded' : 'failed', completedAt: 99 }
        : { status: 'retrying', nextAttemptAt },
    ),
  );
}

async function claimOne(): Promise<ClaimedDelivery> {
  const [claimed] = await claim({ total: 1 });
  if (claimed === undefined) throw new Error('nothing is due');
  return claimed;
}

describe('claiming', () => {
  it('hands out what an attempt needs, once', async () => {
    const headers = { 'X-Tenant': 'a' };
    const webhookId = await database.addWebhook({ url: 'https://example.com/', headers });
    const id = await database.addDelivery(webhookId, { body: '{"a":"ü"}', test: true });
    expect(await claim()).toEqual([
      {
        id,
        webhookId,
        eventId: expect.stringMatching(/^evt_/),
        eventType: 'vault.created',
        attemptNumber: 0,
        test: true,
        retry: null,
        url: 'https://example.com/',
        secret,
        headers,
        body: '{"a":"ü"}',
      },
    ]);
    expect(await claim()).toEqual([]);
    expect(await database.delivery(id)).toMatchObject({ status: 'pending', claimed: 1 });
  });

  it('a webhook without headers has none', async () => {
    await database.addDelivery(await database.addWebhook({ headers: null }));
    expect((await claimOne()).headers).toEqual({});
  });

  it('takes the oldest due of each webhook first', async () => {
    const webhookId = await database.addWebhook();
    const [first] = await database.addDeliveries(webhookId, 1);
    database.clock.advance(1);
    const [second] = await database.addDeliveries(webhookId, 1);
    expect(await claim({ total: 1 })).toMatchObject([{ id: first }]);
    expect(await claim({ total: 1 })).toMatchObject([{ id: second }]);
  });

  it('takes nothing that is due later', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    const now = database.clock.now();
    expect(await claim({ now: now - 1 })).toEqual([]);
    expect(await claim({ now })).toMatchObject([{ id }]);
  });

  it('keeps the limit of each webhook and the limit of all', async () => {
    const webhooks = [];
    for (let count = 0; count < 3; count += 1) {
      const webhookId = await database.addWebhook();
      await database.addDeliveries(webhookId, 5);
      webhooks.push(webhookId);
    }
    const [a, b, c] = webhooks as [string, string, string];
    const claimed = await claim({
      webhookLimit: 3,
      total: 4,
      busy: new Map([
        [a, 1],
        [b, 3],
      ]),
    });
    expect(claimed.map(({ webhookId }) => webhookId)).toEqual([a, a, c, c]);
    expect(
      await claim({
        busy: new Map([
          [a, 2],
          [b, 2],
          [c, 7],
        ]),
      }),
    ).toEqual([]);
    expect(await claim({ total: 0 })).toEqual([]);
  });

  it('goes on behind the webhook that was served last, and around', async () => {
    const webhooks = [];
    for (let count = 0; count < 4; count += 1) {
      const webhookId = await database.addWebhook();
      await database.addDeliveries(webhookId, 4);
      webhooks.push(webhookId);
    }
    const [a, b, c, d] = webhooks;
    const served = async (after?: string) => {
      const claimed = await claim({ webhookLimit: 1, total: 3, after });
      return claimed.map(({ webhookId }) => webhookId);
    };
    expect(await served()).toEqual([a, b, c]);
    expect(await served(c)).toEqual([d, a, b]);
    expect(await served(b)).toEqual([c, d, a]);
    expect(await served('zzz')).toEqual([a, b, c]);
  });

  it('leaves a webhook that is switched off, and finds its queue again', async () => {
    const webhookId = await database.addWebhook({ active: false });
    const id = await database.addDelivery(webhookId);
    expect(await claim()).toEqual([]);
    await database.setActive(webhookId, true);
    expect(await claim()).toMatchObject([{ id }]);
  });

  it('a long queue hides no other, and costs no more than a short one', async () => {
    const hung = await database.addWebhook();
    await database.addDeliveries(hung, 100_000);
    database.clock.advance(1);
    const healthy = await database.addWebhook();
    const id = await database.addDelivery(healthy);

    expect(await claim({ busy: new Map([[hung, 2]]) })).toMatchObject([{ id }]);
    expect(await claim({ total: 1 })).toMatchObject([{ webhookId: hung }]);

    for (const sql of await claimingStatements()) {
      const plan = await database.driver.reader.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${sql}`,
        { now: 0, limit: 1, webhookId: '' },
      );
      const steps = plan.map(({ detail }) => detail).join('\n');
      expect(steps).toMatch(/SEARCH (d|deliveries) USING (COVERING )?INDEX deliveries_due/);
      expect(steps).not.toMatch(/SCAN (webhooks|events|w|d)\b/);
      // The first queue of all is where its index begins.
      expect(steps).not.toMatch(/SCAN deliveries (?!USING COVERING INDEX deliveries_due)/);
      expect(steps).not.toContain('TEMP B-TREE');
    }
  });
});

/** The statements that claiming and looking ahead consist of. */
async function claimingStatements(): Promise<string[]> {
  const statements = new Set<string>();
  const { deliveries } = await import('../../src/store/deliveries.ts');
  await database.driver.transaction(async (queries) => {
    const spy = deliveries({
      dialect: queries.dialect,
      run: (sql, parameters) => queries.run(sql, parameters),
      get: (sql, parameters) => {
        statements.add(sql);
        return queries.get(sql, parameters);
      },
      all: (sql, parameters) => {
        statements.add(sql);
        return queries.all(sql, parameters);
      },
    });
    await spy.claimDue({ now: database.clock.now(), webhookLimit: 9, total: 1, busy: new Map() });
    await spy.nextDueAt(0);
  });
  expect(statements.size).toBe(3);
  return [...statements];
}

describe('the next due moment', () => {
  it('is the earliest after now, of active webhooks alone', async () => {
    const { clock, store } = database;
    const start = clock.now();
    const off = await database.addWebhook({ active: false });
    const early = await database.addWebhook();
    const late = await database.addWebhook();
    expect(await store.deliveries.nextDueAt(start)).toBeUndefined();

    await database.addDelivery(early);
    await database.addDelivery(late);
    await database.addDelivery(off);
    expect(await store.deliveries.nextDueAt(start)).toBeUndefined();
    for (const claimed of await claim()) {
      await record(claimed, refused, start + (claimed.webhookId === early ? 50 : 70));
    }
    await database.setActive(off, true);
    const [claimed] = await claim();
    if (claimed) await record(claimed, refused, start + 10);
    await database.setActive(off, false);

    expect(await store.deliveries.nextDueAt(start)).toBe(start + 50);
    expect(await store.deliveries.nextDueAt(start + 50)).toBe(start + 70);
    expect(await store.deliveries.nextDueAt(start + 70)).toBeUndefined();
  });

  it('is not that of a claimed delivery', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    const start = database.clock.now();
    expect(await database.store.deliveries.nextDueAt(start - 1)).toBe(start);
    await claimOne();
    expect(await database.store.deliveries.nextDueAt(start - 1)).toBeUndefined();
    expect(await database.delivery(id)).toMatchObject({ nextAttemptAt: start });
  });
});

describe('recording', () => {
  it('a failure that is tried again', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    await record(await claimOne(), refused, 1234);
    expect(await database.delivery(id)).toEqual({
      status: 'retrying',
      attemptNumber: 1,
      statusCode: 500,
      error: 'status 500',
      nextAttemptAt: 1234,
      claimed: 0,
      completedAt: null,
    });
    expect(await database.attempts(id)).toEqual([{ attemptNumber: 1, ...refused }]);
  });

  it('the end, after a failure before', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    await record(await claimOne(), refused, database.clock.now());
    const success = { ...refused, statusCode: 200, error: null, responseBody: '' };
    await record(await claimOne(), success);
    expect(await database.delivery(id)).toEqual({
      status: 'succeeded',
      attemptNumber: 2,
      statusCode: 200,
      error: null,
      nextAttemptAt: null,
      claimed: 0,
      completedAt: 99,
    });
    expect(await database.attempts(id)).toMatchObject([
      { attemptNumber: 1, error: 'status 500' },
      { attemptNumber: 2, error: null },
    ]);
    expect(await claim()).toEqual([]);
  });

  it('twice is recording once', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    const claimed = await claimOne();
    await record(claimed, refused, 1234);
    await record(claimed, { ...refused, statusCode: 503 }, 5678);
    expect(await database.attempts(id)).toHaveLength(1);
    expect(await database.delivery(id)).toMatchObject({ statusCode: 500, nextAttemptAt: 1234 });
  });

  it('nothing of a delivery that has gone with its webhook', async () => {
    const webhookId = await database.addWebhook();
    const id = await database.addDelivery(webhookId);
    const claimed = await claimOne();
    await database.deleteWebhook(webhookId);
    await record(claimed, refused, 1234);
    expect(await database.delivery(id)).toBeUndefined();
    expect(await database.attempts(id)).toEqual([]);
  });
});

describe('releasing claims', () => {
  it('makes due again what was claimed, with the same number', async () => {
    const webhookId = await database.addWebhook();
    const [first] = await database.addDeliveries(webhookId, 3);
    await record(await claimOne(), refused, database.clock.now());
    const before = await claim();
    expect(before).toHaveLength(2);
    const release = () => database.store.transaction((tx) => tx.deliveries.releaseClaims());
    expect(await release()).toBe(2);
    expect(await release()).toBe(0);
    const after = await claim({ webhookLimit: 3 });
    expect(new Map(after.map(({ id, attemptNumber }) => [id, attemptNumber]))).toEqual(
      new Map(after.map(({ id }) => [id, id === first ? 1 : 0])),
    );
    expect(after).toHaveLength(3);
  });

  it('leaves finished deliveries finished', async () => {
    await database.addDelivery(await database.addWebhook());
    await record(await claimOne(), { ...refused, error: null });
    expect(await database.store.transaction((tx) => tx.deliveries.releaseClaims())).toBe(0);
    expect(await claim()).toEqual([]);
  });
});
