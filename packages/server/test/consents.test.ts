import { beforeEach, describe, expect, test } from 'vitest';
import { dataFolder, makeAdmin, rowsIn } from './support/data-folder.ts';
import { emptyPage, invalid, missing } from './support/replies.ts';
import { newConsent } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const path = '/api/v1/consents';
const day = 24 * 60 * 60 * 1000;

let server: TestServer;
let call: Caller;
let webhook: Awaited<ReturnType<typeof listen>>;
beforeEach(async () => {
  server = await startTestServer();
  call = server.developer;
  webhook = await listen({ server, call });
});

/** ISO timestamp of a number of days from now. */
const inDays = (days: number) => new Date(server.clock.now() + days * day).toISOString();

describe('POST /consents', () => {
  test('returns 201 with the consent and emits consent.granted', async () => {
    const me = (await call('GET', '/api/v1/users/me')).body;
    const body = { purpose: ' Tax return ', grantedTo: '\tLinden ' };
    const granted = await call('POST', path, { body });
    const now = inDays(0);
    expect(granted).toMatchObject({ status: 201 });
    expect(granted.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userId: me.id,
      purpose: 'Tax return',
      description: null,
      grantedTo: 'Linden',
      scopes: null,
      status: 'granted',
      grantedAt: now,
      expiresAt: null,
      revokedAt: null,
      revocationReason: null,
      metadata: null,
      clientId: null,
      createdAt: now,
      updatedAt: now,
    });
    expect(await webhook.events()).toMatchObject([
      {
        type: 'consent.granted',
        data: { object: granted.body },
        context: { userId: me.id, requestId: granted.headers.get('x-request-id') },
      },
    ]);
    expect((await call('GET', path)).body.data).toEqual([granted.body]);
  });

  test('stores all optional fields', async () => {
    const fields = {
      description: 'Access to the vault Taxes',
      scopes: ['documents:read', 'any other text'],
      expiresAt: inDays(90),
      metadata: { ticket: 'T-4711', nested: { list: [1, null] } },
    };
    expect(await newConsent(call, fields)).toMatchObject(fields);
    expect((await call('GET', path)).body.data).toMatchObject([fields]);
  });

  test('with invalid fields returns 400, stores nothing and emits no event', async () => {
    for (const [fields, field, constraint] of [
      [{ purpose: undefined }, 'purpose', 'required'],
      [{ grantedTo: undefined }, 'grantedTo', 'required'],
      [{ purpose: '  ' }, 'purpose', 'minLength'],
      [{ purpose: 'x'.repeat(201) }, 'purpose', 'maxLength'],
      [{ grantedTo: 'x'.repeat(201) }, 'grantedTo', 'maxLength'],
      [{ description: 'x'.repeat(2001) }, 'description', 'maxLength'],
      [{ description: 'a\u0000b' }, 'description', 'pattern'],
      [{ scopes: [] }, 'scopes', 'minItems'],
      [{ scopes: ['a', 'a'] }, 'scopes', 'uniqueItems'],
      [{ scopes: [''] }, 'scopes.0', 'minLength'],
      [{ expiresAt: inDays(0) }, 'expiresAt', 'future'],
      [{ expiresAt: 'never' }, 'expiresAt', 'format'],
      [{ metadata: 'text' }, 'metadata', 'type'],
      [{ status: 'revoked' }, 'status', 'additionalProperties'],
      [{ userId: 'another' }, 'userId', 'additionalProperties'],
    ] as const) {
      const body = { purpose: 'Taxes', grantedTo: 'Linden', ...fields };
      const reply = await call('POST', path, { body });
      expect(reply, JSON.stringify(fields)).toMatchObject(invalid(field, constraint));
    }
    expect(await call('GET', path)).toMatchObject(emptyPage);
    expect(await webhook.events()).toEqual([]);
  });

  test('repeated with the same Idempotency-Key is replayed, also by the alias /consents', async () => {
    const body = { purpose: 'Taxes', grantedTo: 'Linden' };
    const headers = { 'idempotency-key': 'one' };
    const first = await call('POST', path, { body, headers });
    const again = await call('POST', '/consents', { body, headers });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await webhook.events()).toHaveLength(1);
  });
});

describe('GET /consents', () => {
  test('returns pages, newest first or sorted by updatedAt, by its path and its alias', async () => {
    const [first, second, third] = [
      await newConsent(call),
      await newConsent(call),
      await newConsent(call),
    ];
    server.clock.advance(1000);
    await call('PUT', `/consents/${first.id}`, { body: { description: 'changed' } });
    const ids = async (query: string, list = path) =>
      (await call('GET', list + query)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    expect(await ids('?sortOrder=asc', '/consents')).toEqual([first.id, second.id, third.id]);
    expect(await ids('?sortBy=updatedAt')).toEqual([first.id, third.id, second.id]);
    expect(await ids('?pageSize=2&page=2')).toEqual([first.id]);
    expect((await call('GET', `${path}?pageSize=2`)).body.pagination).toEqual({
      page: 1,
      pageSize: 2,
      totalPages: 2,
      totalCount: 3,
      hasNextPage: true,
      hasPreviousPage: false,
    });
  });

  test('and PUT /consents/{id} do not reach the consents of other accounts', async () => {
    const { id } = await newConsent(call);
    const other = (await server.signUp('ada@example.com')).call;
    expect(await other('GET', path)).toMatchObject(emptyPage);
    const body = { status: 'revoked' };
    for (const consentId of [id, 'unknown']) {
      const reply = await other('PUT', `${path}/${consentId}`, { body });
      expect(reply).toMatchObject(missing({ consentId }));
    }
    expect((await call('GET', path)).body.data).toMatchObject([{ status: 'granted' }]);
  });
});

test('an administrator lists and revokes the consents of other accounts, whose webhooks get the event', async () => {
  const folder = await dataFolder();
  const before = await startTestServer({ data: folder });
  const admin = await before.signUp('admin@example.com');
  const { id, userId } = await newConsent(before.developer);
  await before.close();
  expect(rowsIn(folder, 'consents')).toBe(1);
  makeAdmin(folder, admin.email);

  const later = await startTestServer({ data: folder });
  const own = await listen({ server: later, call: later.developer });
  const asAdmin = await later.signIn(admin);
  const listed = await asAdmin('GET', `${path}?account=${userId}`);
  expect(listed.body.data).toMatchObject([{ id, userId }]);
  const revoked = await asAdmin('PUT', `${path}/${id}`, { body: { status: 'revoked' } });
  expect(revoked).toMatchObject({ status: 200, body: { userId, status: 'revoked' } });
  expect(await own.events()).toMatchObject([
    { type: 'consent.revoked', context: { userId: admin.userId } },
  ]);
});
