import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveConfig } from '../src/config/config.ts';
import { createConsents } from '../src/domain/accounts/consents.ts';
import type { Actor } from '../src/domain/actor.ts';
import { createAccountLimits } from '../src/domain/limits/account-limits.ts';
import { createUnitOfWork } from '../src/domain/unit-of-work.ts';
import { createIds } from '../src/lib/ids.ts';
import { openDatabase, roomy, type TestDatabase } from './support/delivery/database.ts';

// Calls the domain on a store without a server, so that no sweeper runs during a test.

let database: TestDatabase;
let consents: ReturnType<typeof createConsents>;
let actor: Actor;
beforeEach(async () => {
  database = await openDatabase();
  const { store, clock } = database;
  const ids = createIds(clock);
  const work = createUnitOfWork({
    store,
    clock,
    ids,
    webhookDeliveries: roomy,
    onDeliveries: () => undefined,
  });
  consents = createConsents({
    store,
    work,
    clock,
    ids,
    accountLimits: createAccountLimits(resolveConfig({})),
  });
  const user = await store.users.findByEmail('test@example.com');
  if (!user) throw new Error('The database has no account.');
  const request = { requestId: 'req_1', ipAddress: '192.0.2.1', userAgent: null };
  const { id: userId, email, role, tier, status, instanceId } = user;
  const account = { userId, email, role, tier, status, instanceId };
  actor = {
    ...request,
    ...account,
    scopes: new Set(['consents:write']),
    keyId: null,
    sessionId: null,
  };
});
afterEach(() => database.close());

/** Creates a consent that ends after the given seconds, or never. */
function grant(seconds?: number) {
  const end = seconds === undefined ? null : database.clock.now() + seconds * 1000;
  const expiresAt = end === null ? null : new Date(end).toISOString();
  return consents.create(actor, { purpose: 'Taxes', grantedTo: 'Linden', expiresAt });
}

/** The stored events of these types, or of all types, in order. */
async function reported(...types: string[]) {
  const rows = await database.driver.reader.all<{ body: string }>(
    'SELECT body FROM events ORDER BY id',
  );
  const events = rows.map(({ body }) => JSON.parse(body));
  return events.filter(({ type }) => types.length === 0 || types.includes(type));
}

test('expire() emits consent.expired once, without an actor, to the account of the consent', async () => {
  const { id } = await grant(10);
  await grant(11);
  await grant();
  database.clock.advance(9_999);
  expect(await consents.expire(10)).toBe(0);
  database.clock.advance(1);
  expect(await consents.expire(10)).toBe(1);
  expect(await consents.expire(10)).toBe(0);

  const events = await reported('consent.expired');
  expect(events).toMatchObject([
    {
      data: { object: { id, status: 'expired', revokedAt: null } },
      context: { userId: null, instanceId: actor.instanceId, requestId: null },
    },
  ]);
  const owners = await database.driver.reader.all(
    `SELECT user_id AS "userId" FROM events WHERE type = 'consent.expired'`,
  );
  expect(owners).toEqual([{ userId: actor.userId }]);
});

test('expire(limit) expires at most limit consents, the earliest first', async () => {
  const [third, first, second] = [await grant(3), await grant(1), await grant(2)];
  database.clock.advance(60_000);
  expect(await consents.expire(2)).toBe(2);
  const expired = async () => (await reported('consent.expired')).map(({ data }) => data.object.id);
  expect(await expired()).toEqual([first.id, second.id]);
  expect(await consents.expire(2)).toBe(1);
  expect(await expired()).toEqual([first.id, second.id, third.id]);
  expect(await consents.expire(2)).toBe(0);
});

test('expire() does not change what list() returns', async () => {
  await grant(1);
  database.clock.advance(60_000);
  const list = () =>
    consents.list(actor, { page: 1, pageSize: 10, sortBy: 'createdAt', sortOrder: 'desc' });
  const before = await list();
  expect(before.data).toMatchObject([{ status: 'expired' }]);
  await consents.expire(10);
  expect(await list()).toEqual(before);
});

test('expire() emits no event for a revoked consent', async () => {
  const { id } = await grant(1);
  await consents.update(actor, id, { status: 'revoked' });
  database.clock.advance(60_000);
  expect(await consents.expire(10)).toBe(0);
  expect(await reported('consent.expired')).toEqual([]);
});

test('renewing an expired consent before the sweep emits consent.expired first, and only once', async () => {
  const { id } = await grant(60);
  database.clock.advance(60_000);
  await consents.update(actor, id, { status: 'granted' });
  expect((await reported()).map(({ type }) => type)).toEqual([
    'consent.granted',
    'consent.expired',
    'consent.renewed',
  ]);
  expect(await consents.expire(10)).toBe(0);
  database.clock.advance(60_000);
  expect(await consents.expire(10)).toBe(1);
  expect(await reported('consent.expired')).toHaveLength(2);
});

test('a rejected change of an expired consent before the sweep emits no consent.expired', async () => {
  const { id } = await grant(1);
  database.clock.advance(1_000);
  await expect(consents.update(actor, id, { status: 'revoked' })).rejects.toThrow(/has expired/);
  expect(await reported('consent.expired')).toEqual([]);
  expect(await consents.expire(10)).toBe(1);
});
