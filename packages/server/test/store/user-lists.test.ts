import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserFilter, UserRecord } from '../../src/store/rows/accounts/users.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';

/** More rows than a filter reads at once. */
const count = 2_300;

let database: TestDatabase;
const users: UserRecord[] = [];

beforeAll(async () => {
  database = await openDatabase();
  const { instanceId, userId } = database.owner;
  const first = await database.store.users.find(userId);
  if (first) users.push(first);
  await database.store.transaction(async (tx) => {
    for (let at = 0; at < count; at += 1) {
      const user: UserRecord = {
        id: `user-${String(at).padStart(5, '0')}`,
        email: `${at % 2 ? 'Odd' : 'even'}-${String((at * 7919) % count).padStart(5, '0')}@example.com`,
        name: at % 997 === 5 ? 'Ada Ångström' : 'Bob',
        passwordHash: '-',
        role: at % 500 === 7 ? 'admin' : 'user',
        tier: at % 3 === 0 ? 'paid' : 'free',
        status: at % 400 === 1 ? 'suspended' : 'active',
        instanceId,
        createdAt: at,
        updatedAt: at,
      };
      await tx.users.insert(user);
      users.push(user);
    }
  });
});
afterAll(() => database.close());

type Filter = Omit<UserFilter, 'page' | 'pageSize' | 'sortBy' | 'sortOrder'>;

function matches(user: UserRecord, { search = '', tier, role, status }: Filter): boolean {
  const part = search.toLowerCase();
  return (
    (tier === undefined || user.tier === tier) &&
    (role === undefined || user.role === role) &&
    (status === undefined || user.status === status) &&
    (user.name.toLowerCase().includes(part) || user.email.toLowerCase().includes(part))
  );
}

test.each<[string, Filter]>([
  ['no filter', {}],
  ['few accounts', { role: 'admin' }],
  ['many accounts', { tier: 'free' }],
  ['several filters', { tier: 'free', status: 'suspended' }],
  ['part of a name in another case', { search: 'ÅNGSTRÖM' }],
  ['part of an email address', { search: '-0229' }],
  ['no account', { search: 'unknown', tier: 'paid' }],
])('pages of accounts equal those of a sorted array: %s', async (_, filter) => {
  const found = users.filter((user) => matches(user, filter));
  for (const sortBy of ['createdAt', 'email'] as const) {
    const key = (user: UserRecord) => (sortBy === 'email' ? user.email.toLowerCase() : user.id);
    const ascending = found.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    for (const sortOrder of ['asc', 'desc'] as const) {
      const all = sortOrder === 'asc' ? ascending : ascending.toReversed();
      for (const page of [1, 2, 60, 115, 1e9]) {
        const request = { ...filter, sortBy, sortOrder, page, pageSize: 20 };
        const { rows, totalCount } = await database.store.users.list(request);
        expect(totalCount).toBe(all.length);
        expect(rows).toEqual(all.slice((page - 1) * 20, page * 20));
      }
    }
  }
});
