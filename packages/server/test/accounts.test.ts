import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import { emptyPage, invalid, missing } from './support/replies.ts';
import { newKey } from './support/resources.ts';
import type { Caller } from './support/server.ts';

/** Starts a server with an administrator and the account of Ada. */
async function arrange() {
  const server = await startWithAdministrator();
  // Ids contain the time, and accounts of one millisecond have no order.
  server.clock.advance(1);
  const ada = await server.signUp('ada@example.com');
  const { key } = await newKey(ada.call, ['users:read']);
  const { body: me } = await ada.call('GET', '/api/v1/users/me');
  const { body: administrator } = await server.admin('GET', '/api/v1/users/me');
  return { ...server, ada: { ...ada, me, withKey: server.withKey(key) }, administrator };
}

const administer = (call: Caller, id: string, body: object) =>
  call('PUT', `/api/v1/users/${id}`, { body });

const emailsOf = async (call: Caller, query: string) => {
  const reply = await call('GET', `/api/v1/users?${query}`);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body.data.map(({ email }: { email: string }) => email);
};

const suspended = { status: 403, body: { error: { code: 'ACCOUNT_SUSPENDED' } } };

describe('GET /users', () => {
  test('lists all accounts without passwords, newest first, and each page once', async () => {
    const { admin, ada } = await arrange();
    const { body } = await admin('GET', '/api/v1/users?pageSize=2');
    expect(body.pagination).toMatchObject({ totalCount: 3, totalPages: 2, hasNextPage: true });
    const { usage: _, ...account } = ada.me;
    expect(body.data[0]).toEqual(account);
    const last = await emailsOf(admin, 'pageSize=2&page=2');
    const all = await emailsOf(admin, 'sortOrder=asc');
    expect([...body.data.map(({ email }: { email: string }) => email), ...last]).toEqual(
      all.toReversed(),
    );
    expect(await admin('GET', '/api/v1/users?page=9')).toMatchObject({
      body: { data: [], pagination: { totalCount: 3 } },
    });
  });

  test('sorts by email address in both directions, with and without a filter', async () => {
    const { admin, signUp } = await arrange();
    await signUp('Bob@example.com');
    for (const filter of ['', '&search=EXAMPLE.COM']) {
      const ascending = await emailsOf(admin, `sortBy=email${filter}`);
      expect(ascending.slice(0, 3)).toEqual([
        'ada@example.com',
        'admin@example.com',
        'Bob@example.com',
      ]);
      const query = `sortBy=email&sortOrder=desc${filter}`;
      expect(await emailsOf(admin, query)).toEqual(ascending.toReversed());
      expect(await emailsOf(admin, `${query}&pageSize=1&page=2`)).toEqual([ascending.at(-2)]);
    }
  });

  test('filters by tier, role and status, and searches names and email addresses', async () => {
    const { admin, ada } = await arrange();
    await administer(admin, ada.me.id, { tier: 'paid', status: 'suspended' });
    for (const query of ['tier=paid', 'status=suspended', 'search=ADA@', 'tier=paid&role=user']) {
      expect(await emailsOf(admin, query), query).toEqual(['ada@example.com']);
    }
    expect(await emailsOf(admin, 'role=admin')).toEqual(['admin@example.com']);
    expect(await emailsOf(admin, 'search=')).toHaveLength(3);
    const name = encodeURIComponent(ada.me.name.toUpperCase());
    expect(await emailsOf(admin, `search=${name}&status=suspended`)).toEqual(['ada@example.com']);
    for (const query of ['tier=paid&role=admin', 'search=unknown']) {
      expect(await admin('GET', `/api/v1/users?${query}`)).toMatchObject(emptyPage);
    }
    for (const [field, constraint, query] of [
      ['tier', 'enum', 'tier=gold'],
      ['role', 'enum', 'role=root'],
      ['status', 'enum', 'status=gone'],
      ['sortBy', 'enum', 'sortBy=name'],
    ] as const) {
      expect(await admin('GET', `/api/v1/users?${query}`)).toMatchObject(
        invalid(field, constraint),
      );
    }
  });
});

describe('GET /users/{id}', () => {
  test('returns an account with its usage, and 404 for an unknown id', async () => {
    const { admin, ada } = await arrange();
    const { body } = await admin('GET', `/api/v1/users/${ada.me.id}`);
    expect(body).toEqual(ada.me);
    expect(await admin('GET', '/api/v1/users/unknown')).toMatchObject(
      missing({ userId: 'unknown' }),
    );
    expect(await administer(admin, 'unknown', { tier: 'paid' })).toMatchObject(
      missing({ userId: 'unknown' }),
    );
  });
});

describe('the operations of administrators', () => {
  test('users, and keys of administrators without admin:*, return 403', async () => {
    const { admin, ada, withKey } = await arrange();
    const reader = withKey((await newKey(admin, ['users:read', 'users:write'])).key);
    const requiredScopes = ['admin:*'];
    for (const call of [ada.call, reader]) {
      for (const reply of [
        await call('GET', '/api/v1/users'),
        await call('GET', `/api/v1/users/${ada.me.id}`),
        await administer(call, ada.me.id, { role: 'admin' }),
      ]) {
        expect(reply).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes }));
      }
    }
    const { body } = await ada.call('GET', '/api/v1/users/me');
    expect(body).toEqual(ada.me);
  });
});

describe('PUT /users/{id}', () => {
  test('suspends an account at once for its session and its key, and resumes it', async () => {
    const { admin, ada } = await arrange();
    const reply = await administer(admin, ada.me.id, { status: 'suspended' });
    expect(reply).toMatchObject({ status: 200, body: { id: ada.me.id, status: 'suspended' } });
    for (const call of [ada.call, ada.withKey]) {
      expect(await call('GET', '/api/v1/users/me')).toMatchObject(suspended);
    }
    await administer(admin, ada.me.id, { status: 'active' });
    for (const call of [ada.call, ada.withKey]) {
      expect(await call('GET', '/api/v1/users/me')).toMatchObject({ status: 200 });
    }
  });

  test('changes the tier from the next request on', async () => {
    const { admin, ada } = await arrange();
    await administer(admin, ada.me.id, { tier: 'paid' });
    const { headers } = await ada.call('GET', '/api/v1/users/me');
    expect(headers.get('x-ratelimit-tier')).toBe('paid');
  });

  test('a demoted administrator loses admin:* of tokens and keys at the next request', async () => {
    const { admin, ada, signIn, withKey, administrator } = await arrange();
    await administer(admin, ada.me.id, { role: 'admin' });
    const other = await signIn(ada);
    const { key } = await newKey(other, ['admin:*']);
    const withAdminKey = withKey(key);
    for (const call of [other, withAdminKey]) {
      expect((await call('GET', '/api/v1/users')).status).toBe(200);
    }
    expect((await administer(admin, ada.me.id, { role: 'user' })).status).toBe(200);
    for (const call of [other, withAdminKey]) {
      expect(await call('GET', '/api/v1/users')).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
      expect(await administer(call, administrator.id, { role: 'user' })).toMatchObject(
        refusal('INSUFFICIENT_PERMISSIONS'),
      );
    }
  });

  test('rejects to demote or suspend the last active administrator', async () => {
    const { admin, ada, administrator } = await arrange();
    for (const [field, change] of [
      ['role', { role: 'user' }],
      ['status', { status: 'suspended' }],
      ['role', { role: 'user', status: 'suspended' }],
    ] as const) {
      const rejected = invalid(field, 'lastAdministrator');
      expect(await administer(admin, administrator.id, change)).toMatchObject(rejected);
    }
    // A suspended administrator is none.
    await administer(admin, ada.me.id, { role: 'admin', status: 'suspended' });
    expect(await administer(admin, administrator.id, { role: 'user' })).toMatchObject(
      invalid('role', 'lastAdministrator'),
    );
    await administer(admin, ada.me.id, { status: 'active' });
    expect(await administer(admin, administrator.id, { role: 'user' })).toMatchObject({
      status: 200,
      body: { role: 'user' },
    });
  });

  test('of two administrators who demote each other at the same time, one stays', async () => {
    const { admin, ada, signIn, administrator } = await arrange();
    await administer(admin, ada.me.id, { role: 'admin' });
    const other = await signIn(ada);
    const replies = await Promise.all([
      administer(admin, ada.me.id, { role: 'user' }),
      administer(other, administrator.id, { role: 'user' }),
    ]);
    expect(replies.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const left = replies[0]?.status === 200 ? admin : other;
    expect(await emailsOf(left, 'role=admin')).toHaveLength(1);
  });

  test('emits user.updated with the administrator as sender, and nothing without a change', async () => {
    const { admin, ada, administrator } = await arrange();
    const path = '/api/v1/events?type=user.updated';
    const events = async () => (await admin('GET', `${path}&account=all`)).body.data;
    await administer(admin, ada.me.id, { tier: ada.me.tier, role: 'user' });
    expect(await events()).toEqual([]);
    await administer(admin, ada.me.id, { tier: 'paid', status: 'suspended' });
    expect(await events()).toMatchObject([
      {
        type: 'user.updated',
        data: {
          object: { id: ada.me.id, tier: 'paid', status: 'suspended' },
          changes: ['tier', 'status'],
          previous: { tier: ada.me.tier, status: 'active' },
        },
        context: { userId: administrator.id, ipAddress: '127.0.0.1' },
      },
    ]);
    await administer(admin, ada.me.id, { status: 'active' });
    const { body } = await ada.call('GET', path);
    expect(body.data).toHaveLength(2);
  });

  test('rejects an empty body, unknown properties and other values', async () => {
    const { admin, ada } = await arrange();
    for (const body of [{}, { email: 'x@example.com' }, { role: 'root' }, { tier: null }]) {
      expect(await administer(admin, ada.me.id, body), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { error: { code: 'VALIDATION_ERROR' } },
      });
    }
  });
});
