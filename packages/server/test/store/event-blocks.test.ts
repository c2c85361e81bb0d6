import { beforeAll, describe, expect, test } from 'vitest';
import { leastIdAt } from '../../src/lib/ids.ts';
import type { SqlParameters } from '../../src/store/driver.ts';
import { blockLength } from '../../src/store/lists/blocks.ts';
import { type EventFilter, eventRepository } from '../../src/store/rows/webhooks/events.ts';
import { openDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { explaining } from '../support/store/explaining.ts';
import { observing } from '../support/store/observing.ts';
import { turnsUntil } from '../support/store/turns.ts';

const count = 2.5 * blockLength;
const types = ['vault.created', 'vault.updated'];

/** The first event is one millisecond after the epoch, and each further one a millisecond later. */
const ids = Array.from({ length: count }, (_, at) => leastIdAt('evt', at + 1).padEnd(36, '7'));
const rare = 'share.created';
const typeOf = (at: number) => (at % 4_999 === 0 ? rare : (types[at % 3 === 0 ? 1 : 0] ?? ''));

let database: Awaited<ReturnType<typeof openDatabase>>;
let userId: string;

async function addEvents(from: number, to: number): Promise<void> {
  await database.store.transaction(async (tx) => {
    const { instanceId } = (await tx.users.find(userId)) ?? expect.fail();
    for (const [at, id] of ids.entries()) {
      const event = { id, userId, instanceId, type: typeOf(at), body: `${at}`, test: false };
      if (at >= from && at < to) await tx.events.insert(event);
    }
  });
}

beforeAll(async () => {
  database = await openDatabase();
  userId = await database.addUser();
  await addEvents(0, count);
  return database.close;
});

const everything: EventFilter = {
  userId: null,
  types: undefined,
  from: leastIdAt('evt', 0),
  before: leastIdAt('evt', count + 1),
  settledBefore: leastIdAt('evt', count + 1),
  page: 1,
  pageSize: 100,
};

/** Compares a page with one that is cut from an array of all events. */
async function expectPage(filter: Partial<EventFilter>): Promise<void> {
  const { from, before, page, pageSize, ...rest } = { ...everything, ...filter };
  const { rows, totalCount } = await database.store.events.list({ ...everything, ...filter });
  const matching = [...ids.keys()].filter((at) => {
    const id = ids[at] ?? '';
    return id > from && id < before && (rest.types?.includes(typeOf(at)) ?? true);
  });
  expect(totalCount).toBe(matching.length);
  const start = (page - 1) * pageSize;
  const expected = matching.toReversed().slice(start, start + pageSize);
  expect(rows.map(({ body }) => Number(body))).toEqual(expected);
}

/** Returns how many events a statement with these parameters can read. */
function comparedBy({ after = '', end, offset }: SqlParameters): number {
  if (end === undefined) return Number(offset) + 1;
  return ids.filter((id) => id > String(after) && id <= String(end)).length;
}

const filters: [string, Partial<EventFilter>][] = [
  ['all events', {}],
  ['one account', { userId: 'own' }],
  ['one type', { types: ['vault.updated'] }],
  ['a rare type', { types: [rare], pageSize: 2 }],
  ['a type of no event', { types: ['user.deleted'] }],
  ['a range inside one block', { from: leastIdAt('evt', 100), before: leastIdAt('evt', 900) }],
  ['a range over a block', { from: leastIdAt('evt', 9_999), before: leastIdAt('evt', 20_002) }],
  ['a range after the last block', { from: leastIdAt('evt', 21_000) }],
  ['a range that ends at a block', { before: leastIdAt('evt', blockLength + 1) }],
  ['a range that starts at a block', { from: ids[blockLength - 1] ?? '' }],
  ['no settled event', { settledBefore: leastIdAt('evt', 0) }],
  ['some settled events', { settledBefore: leastIdAt('evt', 15_000) }],
];

describe('events in blocks', () => {
  test.each(filters)('every page of a long list is complete: %s', async (_, chosen) => {
    const filter = chosen.userId === 'own' ? { ...chosen, userId } : chosen;
    for (const page of [1, 2, 50, 51, 83, 84, 100, 101, 125, 200, 201, 249, 250, 251]) {
      await expectPage({ ...filter, page });
    }
  });

  test('a filter by type compares at most the events of one block in a statement', async () => {
    const lengths: number[] = [];
    const reader = observing(database.driver.reader, ({ parameters }) => {
      lengths.push(comparedBy(parameters));
    });
    const filter = { ...everything, userId, types: [rare], pageSize: 4 };
    const { rows, totalCount } = await eventRepository(reader).list(filter);
    expect(rows.map(({ body }) => Number(body))).toEqual([24_995, 19_996, 14_997, 9_998]);
    expect(totalCount).toBe(6);
    expect(lengths.length).toBeGreaterThan(4);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(blockLength);
  });

  test.skipIf(testsPostgres)(
    'a page of a rare type yields to other work after each statement, and reads no body of other events',
    async () => {
      const steps: string[] = [];
      const filter = { ...everything, types: [rare, 'user.created'], pageSize: 4 };
      // At first, two blocks are counted by two statements each. The page has rows of three parts.
      expect(await turnsUntil(database.store.events.list(filter))).toBeGreaterThanOrEqual(6);
      expect(await turnsUntil(database.store.events.list(filter))).toBeGreaterThanOrEqual(2);
      await eventRepository(explaining(database.driver.reader, steps)).list(filter);
      const reads = steps.filter((step) => /(SEARCH|SCAN) events/.test(step));
      const ofBodies = reads.filter((step) => !step.includes('COVERING INDEX events_of_all'));
      expect(new Set(ofBodies)).toEqual(
        new Set(['SEARCH events USING INDEX sqlite_autoindex_events_1 (id=?)']),
      );
    },
  );

  test.skipIf(testsPostgres)(
    'a page after a cursor reads none of the events before it',
    async () => {
      const steps: string[] = [];
      const events = eventRepository(explaining(database.driver.reader, steps));
      const after = await events.end();
      for (const owner of [userId, null]) {
        const { rows } = await events.committed({
          userId: owner,
          types: undefined,
          after,
          pageSize: 20,
        });
        expect(rows).toEqual([]);
      }
      const reads = steps.filter((step) => step.includes('number>?'));
      expect(reads).toEqual([
        'SEARCH events USING INDEX events_of_account_by_commit (user_id=? AND tx=? AND number>?)',
        'SEARCH events USING INDEX events_by_commit (tx=? AND number>?)',
      ]);
    },
  );

  // PostgreSQL yields at every statement.
  test.skipIf(testsPostgres)(
    'the first count of a long list yields to other work, and the next one needs no yield',
    async () => {
      const filter = { ...everything, types: [...types, 'vault.deleted'] };
      const order: string[] = [];
      for (const call of ['first', 'second']) {
        const other = new Promise<void>((resolve) => {
          setImmediate(() => resolve(void order.push('other work')));
        });
        await database.store.events.list(filter);
        order.push(call);
        await other;
      }
      expect(order).toEqual(['other work', 'first', 'second', 'other work']);
    },
  );
});
