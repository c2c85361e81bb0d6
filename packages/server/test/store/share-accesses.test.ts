import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowChecks } from '../../src/store/maintenance/row-checks.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { documentRecord, insertDocument, vaultRecord } from '../support/store/records.ts';

const shareIds = ['first', 'second'] as const;
type ShareId = (typeof shareIds)[number];

/** Opens a database with a document that has these shares. */
async function openShares() {
  const database = await openDatabase();
  const vault = vaultRecord(database, 'vault');
  await database.store.transaction(async (tx) => {
    await tx.vaults.insert(vault);
    await insertDocument(tx, documentRecord(vault, { id: 'document' }));
    for (const id of shareIds) {
      const share = {
        id,
        documentId: 'document',
        userId: vault.userId,
        permissions: ['read'],
        access: 'anyone',
        expiresAt: 1,
        maxAccessCount: null,
        accessCount: 0,
        accessId: null,
        isActive: true,
        createdAt: 0,
      } as const;
      await tx.shares.insert(share, Buffer.from(id));
    }
  });
  return database;
}

/** Opens a share by a server whose clock shows this time. */
function access({ store }: TestDatabase, shareId: ShareId, accessedAt: number): Promise<number> {
  return store.transaction(async (tx) => {
    const tokenHash = Buffer.from(shareId);
    const share = await tx.shares.countAccess({ tokenHash, now: 0, authenticated: false });
    const { accessCount } = share ?? expect.fail();
    const from = { ipAddress: '192.0.2.1', userAgent: null };
    await tx.shareAccesses.insert({ shareId, accessCount, accessedAt, ...from });
    return accessCount;
  });
}

async function gaps({ driver }: TestDatabase): Promise<unknown[]> {
  const { sql } = rowChecks.find(({ name }) => name === 'share-accesses') ?? expect.fail();
  return driver.reader.all(`/* all rows */ ${sql}`);
}

const shareId = fc.constantFrom(...shareIds);
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('access' as const), shareId, at: fc.nat(20) }),
  },
  fc.record({
    does: fc.constant('remove' as const),
    by: fc.nat(20),
    limit: fc.integer({ min: 1, max: 4 }),
  }),
);

test('pages, counts and removals of accesses equal those of an array when clocks differ', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
      const database = await openShares();
      const kept: Record<ShareId, { accessCount: number; accessedAt: number }[]> = {
        first: [],
        second: [],
      };
      for (const command of commands) {
        if (command.does === 'access') {
          const { shareId, at: accessedAt } = command;
          kept[shareId].push({
            accessCount: await access(database, shareId, accessedAt),
            accessedAt,
          });
          continue;
        }
        const { by: accessedBy, limit } = command;
        const removal = () =>
          database.store.transaction((tx) => tx.shareAccesses.removeOld({ accessedBy, limit }));
        while ((await removal()) >= limit);
        for (const id of shareIds) {
          const last = kept[id].findLastIndex(({ accessedAt }) => accessedAt <= accessedBy);
          kept[id].splice(0, last + 1);
        }
      }
      for (const id of shareIds) {
        const newest = kept[id].map(({ accessCount }) => accessCount).reverse();
        for (const page of [1, 2, 3, 50]) {
          const { rows, totalCount } = await database.store.shareAccesses.list({
            shareId: id,
            page,
            pageSize: 3,
          });
          expect(totalCount).toBe(newest.length);
          expect(rows.map(({ accessCount }) => accessCount)).toEqual(
            newest.slice((page - 1) * 3, page * 3),
          );
        }
      }
      expect(await gaps(database)).toEqual([]);
      await database.close();
    }),
    { numRuns: 12 },
  );
});

test('shares are removed after their accesses, and no transaction deletes more rows than the limit', async () => {
  const database = await openShares();
  const { store, driver } = database;
  for (const id of shareIds)
    for (let count = 0; count < 25; count += 1) await access(database, id, 0);
  await store.transaction((tx) => tx.shares.takeExpired({ now: 1, limit: 10 }));
  const rows = async () =>
    (await driver.reader.get<{ n: number }>('SELECT COUNT(*) AS n FROM share_accesses'))?.n ?? -1;
  const limit = 10;
  let before = await rows();
  for (let removed = limit; removed === limit; ) {
    removed = await store.transaction((tx) => tx.shares.removeEnded({ expiredBy: 1, limit }));
    const after = await rows();
    expect(before - after).toBeLessThanOrEqual(limit);
    before = after;
  }
  expect(before).toBe(0);
  expect(await store.shares.find('first')).toBeUndefined();
  await database.close();
});

test('a document has more shares than few when a share has more accesses', async () => {
  const database = await openShares();
  const { store } = database;
  for (let count = 0; count < 4; count += 1) await access(database, 'second', 0);
  expect(await store.shares.hasMoreThan(1, 'document')).toBe(true);
  expect(await store.shares.hasMoreThan(3, 'document')).toBe(true);
  expect(await store.shares.hasMoreThan(4, 'document')).toBe(false);
  const remove = () => store.transaction((tx) => tx.shares.removeSome(3, 'document'));
  await remove();
  expect(await store.shares.find('second')).toBeDefined();
  await remove();
  expect(await store.shares.find('second')).toBeUndefined();
  await database.close();
});
