import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import { emptyPage, invalid, missing } from './support/replies.ts';
import { newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Returns the events of a page. */
async function eventsOf(call: Caller, query = '') {
  const reply = await call('GET', `/api/v1/events${query}`);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body.data;
}

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe('GET /api/v1/events', () => {
  test('lists the events that webhooks receive, the newest first', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const webhook = await listen({ server, call: developer });
    const vault = await newVault(developer);
    clock.advance(1);
    await newDocument(developer, vault.id);
    const delivered = await webhook.events();
    expect(typesOf(delivered).toSorted()).toEqual(['document.uploaded', 'vault.created']);
    const listed = await eventsOf(developer, '?pageSize=2');
    expect(listed).toEqual(delivered.toSorted((a, b) => (a.id < b.id ? 1 : -1)));
    for (const event of delivered) {
      expect(await developer('GET', `/api/v1/events/${event.id}`)).toMatchObject({
        status: 200,
        body: event,
      });
    }
  });

  test('lists events without a webhook, and pages through all of them once', async () => {
    const { signUp } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const vaults = [];
    for (let count = 0; count < 5; count += 1) vaults.push((await newVault(call)).id);
    const ids = [];
    for (const page of [1, 2, 3]) {
      const { body } = await call(
        'GET',
        `/api/v1/events?type=vault.created&pageSize=2&page=${page}`,
      );
      expect(body.pagination).toMatchObject({ page, totalCount: 5, totalPages: 3 });
      for (const event of body.data) ids.push(event.data.object.id);
    }
    expect(ids).toEqual(vaults.toReversed());
    expect(typesOf(await eventsOf(call))).toContain('user.login');
  });

  test('filters by since and until, both inclusive to the millisecond', async () => {
    const { developer, clock } = await startTestServer();
    const at: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      clock.advance(1);
      at.push(new Date(clock.now()).toISOString());
      await newVault(developer);
    }
    const times = async (query: string) =>
      (await eventsOf(developer, query)).map(({ timestamp }: { timestamp: string }) => timestamp);
    expect(await times(`?since=${at[1]}`)).toEqual([at[2], at[1]]);
    expect(await times(`?since=${at[1]}&until=${at[1]}`)).toEqual([at[1]]);
    expect(await times(`?until=${at[0]}&type=vault.created`)).toEqual([at[0]]);
    expect(await times('?since=9999-12-31T23:59:59.999Z')).toEqual([]);
    expect(await times('?until=1970-01-01T00:00:00.000Z')).toEqual([]);
  });

  test('rejects an until before since, an unknown type and a time that is none', async () => {
    const { developer } = await startTestServer();
    const list = (query: string) => developer('GET', `/api/v1/events?${query}`);
    const reversed = 'since=2026-01-02T00:00:00.000Z&until=2026-01-01T00:00:00.000Z';
    expect(await list(reversed)).toMatchObject(invalid('until', 'notBeforeSince'));
    expect(await list('type=vault.opened')).toMatchObject(invalid('type', 'enum'));
    expect(await list('since=yesterday')).toMatchObject(invalid('since', 'format'));
  });

  test('does not contain the events of another account', async () => {
    const { developer, signUp } = await startTestServer();
    const stranger = await signUp('stranger@example.com');
    await newVault(developer, { name: 'Of the developer' });
    const [event] = await eventsOf(developer, '?type=vault.created');
    expect(await stranger.call('GET', '/api/v1/events?type=vault.created')).toMatchObject(
      emptyPage,
    );
    expect(JSON.stringify(await eventsOf(stranger.call))).not.toContain('Of the developer');
    const path = `/api/v1/events/${event.id}`;
    expect(await stranger.call('GET', path)).toMatchObject(missing({ eventId: event.id }));
  });

  test('contains the events of all accounts and instances for administrators', async () => {
    const { developer, admin, clock } = await startWithAdministrator();
    clock.advance(1);
    const vault = await newVault(developer);
    const events = await eventsOf(admin, '?account=all');
    expect(events[0]).toMatchObject({ type: 'vault.created', data: { object: { id: vault.id } } });
    expect(typesOf(events).filter((type) => type === 'user.created')).toHaveLength(2);
    const found = await eventsOf(admin, '?type=vault.created&account=all');
    expect(found).toMatchObject([{ data: { object: { id: vault.id } } }]);
    expect(await admin('GET', `/api/v1/events/${found[0].id}`)).toMatchObject({ status: 200 });
  });
});

describe('the scopes of an event', () => {
  test('a key lists only the events whose resources it can read', async () => {
    const { developer, signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const vault = await newVault(call);
    const document = await newDocument(call, vault.id);
    await newShare(call, document.id);
    const withScopes = async (...scopes: string[]) =>
      withKey((await newKey(call, ['webhooks:read', ...scopes])).key);
    expect(await (await withScopes())('GET', '/api/v1/events')).toMatchObject(emptyPage);
    expect(typesOf(await eventsOf(await withScopes('vaults:read')))).toEqual(['vault.created']);
    const reader = await withScopes('documents:read');
    expect(typesOf(await eventsOf(reader))).toEqual(['document.uploaded']);
    expect(typesOf(await eventsOf(await withScopes('documents:share')))).toEqual([
      'document.shared',
    ]);
    expect(await eventsOf(developer, '?type=document.shared')).toEqual([]);
  });

  test('a type or an event without its read scope returns 403 with the missing scope', async () => {
    const { signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    await newVault(call);
    const [event] = await eventsOf(call, '?type=vault.created');
    const reader = withKey((await newKey(call, ['webhooks:read', 'documents:read'])).key);
    const refused = refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: ['vaults:read'] });
    expect(await reader('GET', '/api/v1/events?type=vault.created')).toMatchObject(refused);
    expect(await reader('GET', `/api/v1/events/${event.id}`)).toMatchObject(refused);
  });
});

describe('events that are not listed', () => {
  test('test events are omitted and unknown', async () => {
    const server = await startWithAdministrator();
    const { developer, admin } = server;
    const webhook = await listen({ server, call: developer, events: ['vault.created'] });
    await newVault(developer);
    await developer('POST', `${webhook.path}/test`, { body: {} });
    const delivered = await webhook.events();
    expect(delivered).toHaveLength(2);
    const own = await eventsOf(developer, '?type=vault.created');
    expect(own).toHaveLength(1);
    expect(await eventsOf(admin, '?type=vault.created&account=all')).toEqual(own);
    const { body } = await admin('GET', '/api/v1/events?pageSize=100&account=all');
    expect(body.data).toHaveLength(body.pagination.totalCount);
    const test = delivered.find(({ id }) => id !== own[0].id);
    expect(typesOf(body.data).filter((type) => type === 'vault.created')).toHaveLength(1);
    for (const call of [developer, admin]) {
      expect(await call('GET', `/api/v1/events/${test.id}`)).toMatchObject(
        missing({ eventId: test.id }),
      );
    }
  });

  test('events older than 30 days are omitted, although a delivery still needs them', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const webhook = await listen({ server, call: developer, events: ['vault.created'] });
    await developer('PUT', webhook.path, { body: { active: false } });
    await newVault(developer);
    const [{ id }] = await eventsOf(developer, '?type=vault.created');
    clock.advance(30 * day);
    await server.settled();
    expect(await eventsOf(developer, '?type=vault.created')).toHaveLength(1);
    clock.advance(1);
    await server.settled();
    expect(await developer('GET', '/api/v1/events')).toMatchObject(emptyPage);
    expect(await developer('GET', `/api/v1/events/${id}`)).toMatchObject(missing({ eventId: id }));
    await developer('PUT', webhook.path, { body: { active: true } });
    expect(await webhook.events()).toMatchObject([{ id }]);
  });
});
