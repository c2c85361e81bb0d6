import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { emptyPage, missing } from './support/replies.ts';
import { newKey, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen, secret } from './support/webhook-events.ts';

const path = '/api/v1/webhooks';

const minimal = { url: 'http://127.0.0.1:9/hook', events: ['vault.created'], secret };

async function newWebhook(call: Caller, fields: object = {}) {
  const created = await call('POST', path, { body: { ...minimal, ...fields } });
  expect(created).toMatchObject({ status: 201 });
  return created.body;
}

describe('POST /webhooks', () => {
  test('with url, events and secret returns 201 without the secret', async () => {
    const { developer } = await startTestServer();
    const created = await developer('POST', path, { body: minimal });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      url: minimal.url,
      events: minimal.events,
      accounts: 'own',
      description: null,
      headers: null,
      active: true,
      metadata: null,
      previousSecretExpiresAt: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      stats: {
        totalDeliveries: 0,
        failedDeliveries: 0,
        failureRate: 0,
        droppedDeliveries: 0,
        lastDroppedAt: null,
        lastError: null,
        lastDeliveryAt: null,
        consecutiveFailures: 0,
        failingSince: null,
        lastSuccessAt: null,
        oldestPendingAt: null,
      },
      health: 'new',
    });
    expect((await developer('GET', `${path}/${created.body.id}`)).body).toEqual(created.body);
  });

  test('fields at their limits are stored and returned', async () => {
    const { developer } = await startTestServer();
    const entries = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, value]));
    const kept = [
      {
        url: 'https://127.0.0.1:8443/a%20path?query=1&x=%C3%BC#fragment',
        events: ['document.uploaded', 'vault.created'],
        description: 'd'.repeat(2000),
        headers: { ...entries(19, 'v'.repeat(500)), 'X-Long': 'v'.repeat(4096) },
        active: false,
        metadata: { ticket: 'T-4711', nested: { list: [1, null, 'ü'] }, empty: {} },
      },
      { description: null, headers: null, metadata: null },
      { description: '', headers: {}, metadata: entries(50, { deep: [true] }) },
      { url: `http://127.0.0.1:9/${'x'.repeat(2048 - 'http://127.0.0.1:9/'.length)}` },
    ];
    for (const fields of kept) {
      const created = await newWebhook(developer, fields);
      expect(created).toMatchObject(fields);
      expect((await developer('GET', `${path}/${created.id}`)).body).toEqual(created);
    }
    for (const length of [32, 256]) await newWebhook(developer, { secret: 'ß'.repeat(length) });
  });
});

describe('reading webhooks', () => {
  test('GET /webhooks returns *** for values of headers without webhooks:write', async () => {
    const { developer, signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const headers = { Authorization: 'Bearer of the receiver', 'X-Team': 'archive' };
    const masked = { Authorization: '***', 'X-Team': '***' };
    const webhook = await newWebhook(call, { headers });
    const bare = await newWebhook(call);
    const scopesOf = async (...scopes: string[]) => withKey((await newKey(call, scopes)).key);
    const query = '{ webhooks { data { id headers } } webhook(id: "ID") { headers } }';
    const body = { query: query.replace('ID', webhook.id) };
    const headersFor = async (caller: Caller) => {
      const one = await caller('GET', `${path}/${webhook.id}`);
      const list = await caller('GET', path);
      const graphql = await caller('POST', '/graphql', { body });
      const inList = (rows: { id: string; headers: unknown }[], id: string) =>
        rows.find((row) => row.id === id)?.headers;
      expect(inList(list.body.data, bare.id)).toBeNull();
      return [
        one.body.headers,
        inList(list.body.data, webhook.id),
        graphql.body.data.webhook.headers,
        inList(graphql.body.data.webhooks.data, webhook.id),
      ];
    };
    const reader = await scopesOf('webhooks:read');
    expect(await headersFor(reader)).toEqual([masked, masked, masked, masked]);
    const writer = await scopesOf('webhooks:read', 'webhooks:write');
    for (const caller of [writer, call]) {
      expect(await headersFor(caller)).toEqual([headers, headers, headers, headers]);
    }
    const changed = await (await scopesOf('webhooks:write'))('PUT', `${path}/${webhook.id}`, {
      body: { description: 'x' },
    });
    expect(changed.body.headers, 'a change keeps and returns them').toEqual(headers);
    expect((await developer('GET', `${path}/${webhook.id}`)).status).toBe(404);
  });

  test("GET /webhooks returns the account's own webhooks, newest first or in the requested order", async () => {
    const { developer, signUp, clock } = await startTestServer();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      if (count > 2) clock.advance(1000);
      ids.push((await newWebhook(developer)).id);
    }
    clock.advance(1000);
    await developer('PUT', `${path}/${ids[1]}`, { body: { description: 'changed' } });
    const { call } = await signUp('stranger@example.com');
    await newWebhook(call);
    const order = async (query: string) => {
      const { body } = await developer('GET', `${path}${query}`);
      expect(body.pagination.totalCount).toBe(5);
      return body.data.map(({ id }: { id: string }) => ids.indexOf(id));
    };
    expect(await order('')).toEqual([4, 3, 2, 1, 0]);
    expect(await order('?sortOrder=asc')).toEqual([0, 1, 2, 3, 4]);
    expect(await order('?sortBy=updatedAt')).toEqual([1, 4, 3, 2, 0]);
    expect(await order('?pageSize=2&page=3')).toEqual([0]);
    expect(await order('?pageSize=2&page=4')).toEqual([]);
  });

  test('webhooks of another account return 404', async () => {
    const { developer, signUp } = await startTestServer();
    const webhook = await newWebhook(developer);
    const { call } = await signUp('stranger@example.com');
    const own = `${path}/${webhook.id}`;
    const gone = missing({ webhookId: webhook.id });
    expect(await call('GET', own)).toMatchObject(gone);
    expect(await call('PUT', own, { body: { active: false } })).toMatchObject(gone);
    expect(await call('POST', `${own}/test`, { body: {} })).toMatchObject(gone);
    expect(await call('DELETE', own)).toMatchObject(gone);
    expect(await call('GET', path)).toMatchObject(emptyPage);
    expect((await developer('GET', own)).body).toEqual(webhook);
  });

  test('the paths without prefix address the same webhooks', async () => {
    const { developer } = await startTestServer();
    const created = await developer('POST', '/webhooks', { body: minimal });
    expect(created.status).toBe(201);
    const alias = `/webhooks/${created.body.id}`;
    expect((await developer('GET', '/webhooks')).body.data).toEqual([created.body]);
    expect((await developer('GET', path)).body.data).toEqual([created.body]);
    const changed = await developer('PUT', alias, { body: { description: 'x' } });
    expect((await developer('GET', alias)).body).toEqual(changed.body);
    expect(await developer('DELETE', alias)).toMatchObject({ status: 204, body: undefined });
    expect(await developer('GET', `${path}/${created.body.id}`)).toMatchObject(missing());
  });
});

describe('PUT and DELETE /webhooks/{id}', () => {
  test('PUT changes only the given fields and replaces lists and objects as a whole', async () => {
    const { developer, clock } = await startTestServer();
    const fields = { headers: { 'X-A': 'a', 'X-B': 'b' }, metadata: { a: 1, b: 2 } };
    let webhook = await newWebhook(developer, fields);
    const own = `${path}/${webhook.id}`;
    const changes = [
      { url: 'http://127.0.0.1:10/other' },
      { events: ['vault.deleted', 'user.login'] },
      { headers: { 'X-B': 'c' } },
      { metadata: { c: 3 } },
      { description: 'new' },
      { active: false },
      { description: null, headers: null, metadata: null, active: true },
    ];
    for (const change of changes) {
      clock.advance(1000);
      const health = change.active === false ? 'paused' : 'new';
      const expected = {
        ...webhook,
        ...change,
        health,
        updatedAt: new Date(clock.now()).toISOString(),
      };
      expect((await developer('PUT', own, { body: change })).body).toEqual(expected);
      webhook = (await developer('GET', own)).body;
      expect(webhook).toEqual(expected);
    }
    clock.advance(1000);
    const { url, events, description, active } = webhook;
    const same = { url, events, description, active, secret };
    expect((await developer('PUT', own, { body: same })).body, 'no change').toEqual(webhook);
    const rotated = await developer('PUT', own, { body: { secret: `${secret} again` } });
    expect(rotated.body.updatedAt).not.toBe(webhook.updatedAt);
  });

  test('after DELETE every path returns 404', async () => {
    const { developer } = await startTestServer();
    const { id } = await newWebhook(developer);
    const own = `${path}/${id}`;
    expect(await developer('DELETE', own)).toMatchObject({ status: 204, body: undefined });
    const gone = missing({ webhookId: id });
    expect(await developer('GET', own)).toMatchObject(gone);
    expect(await developer('PUT', own, { body: { active: true } })).toMatchObject(gone);
    expect(await developer('POST', `${own}/test`)).toMatchObject(gone);
    expect(await developer('DELETE', own)).toMatchObject(gone);
    expect(await developer('GET', path)).toMatchObject(emptyPage);
  });
});

test('responses and log contain no secret, and the log no header of a webhook', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
  const server = await startTestServer({ log });
  const { developer, clock } = server;
  const headers = { Authorization: 'Bearer of-the-receiver' };
  const reply = (response: { statusCode: number; end(): void }) => {
    response.statusCode = 500;
    response.end();
  };
  const webhook = await listen({ server, call: developer, fields: { headers }, reply });
  const other = `${secret}, another`;
  const replies = [
    await developer('GET', webhook.path),
    await developer('GET', path),
    await developer('PUT', webhook.path, { body: { description: 'x' } }),
    await developer('PUT', webhook.path, { body: { secret: other } }),
    await developer('POST', webhook.path, { body: { secret: other } }),
    await developer('PUT', webhook.path, { body: { secret: other, url: 'ftp://x' } }),
    await developer('POST', `${webhook.path}/test`),
  ];
  await newVault(developer);
  await server.settled();
  for (let hours = 0; hours < 6; hours += 1) {
    clock.advance(60 * 60 * 1000);
    await server.settled();
  }
  expect(lines.length).toBeGreaterThan(replies.length);
  for (const text of [...replies.map(({ body }) => JSON.stringify(body)), ...lines]) {
    expect(text).not.toContain(secret);
  }
  expect(lines.join()).not.toContain('of-the-receiver');
});
