import { describe, expect, test } from 'vitest';
import { TestClock } from '../src/lib/clock.ts';
import { dataFolder, rowsIn } from './support/data-folder.ts';
import { missing } from './support/replies.ts';
import { newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { listen, verifiedEvent } from './support/webhook-events.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Starts a server on a folder of its own; its tables can be counted after a sweep and the close. */
async function arrange() {
  const data = await dataFolder();
  const clock = new TestClock();
  const server = await startTestServer({ data, clock });
  return {
    ...server,
    async sweep(milliseconds: number): Promise<void> {
      clock.advance(milliseconds);
      await server.settled();
    },
    async rowsAtEnd(...tables: string[]): Promise<number[]> {
      await server.close();
      return tables.map((table) => rowsIn(data, table));
    },
  };
}

describe('retention of events and deliveries', () => {
  test("deliveries are removed with their attempts 30 days after their end; the webhook's statistics remain", async () => {
    const server = await arrange();
    const { developer } = server;
    const events = ['vault.created'];
    const webhook = await listen({ server, call: developer, events });
    await newVault(developer);
    await server.sweep(0);
    const { stats } = (await developer('GET', webhook.path)).body;
    const [{ id }] = (await developer('GET', `${webhook.path}/deliveries`)).body.data;

    await server.sweep(30 * day - 1);
    const path = `${webhook.path}/deliveries/${id}`;
    expect(await developer('GET', path)).toMatchObject({ status: 200, body: { attempts: [{}] } });
    await server.sweep(minute);
    expect(await developer('GET', path)).toMatchObject(missing({ deliveryId: id }));
    const gone = missing({ deliveryId: id });
    expect(await developer('POST', `${path}/retry`)).toMatchObject(gone);
    expect((await developer('GET', webhook.path)).body.stats).toEqual(stats);
    expect(stats).toMatchObject({ totalDeliveries: 1, failedDeliveries: 0 });
    expect(await server.rowsAtEnd('events', 'deliveries', 'delivery_attempts')).toEqual([0, 0, 0]);
  });

  test('events without deliveries are removed after 30 days', async () => {
    const server = await arrange();
    await newVault(server.developer);
    await server.sweep(20 * day);
    await newVault(server.developer);
    await server.sweep(10 * day + minute);
    expect(await server.rowsAtEnd('events')).toEqual([1]);
  });

  test('failed and retried deliveries are removed 30 days after their last end', async () => {
    const server = await arrange();
    const { developer } = server;
    let status = 500;
    const webhook = await listen({
      server,
      call: developer,
      events: ['vault.created'],
      reply(response) {
        response.statusCode = status;
        response.end();
      },
    });
    await newVault(developer);
    for (let attempt = 0; attempt < 6; attempt += 1) await server.sweep(4 * hour);
    const [{ id }] = (await developer('GET', `${webhook.path}/deliveries`)).body.data;
    const path = `${webhook.path}/deliveries/${id}`;
    await server.sweep(29 * day);
    status = 200;
    expect(await developer('POST', `${path}/retry`)).toMatchObject({ status: 200 });
    await server.settled();
    await server.sweep(30 * day - minute);
    expect(await developer('GET', path)).toMatchObject({ body: { attemptNumber: 7 } });
    await server.sweep(hour);
    expect(await developer('GET', path)).toMatchObject(missing());
    // The sweeper removes the event when it next checks it, within a day.
    await server.sweep(day);
    expect(await server.rowsAtEnd('events', 'deliveries')).toEqual([0, 0]);
  });

  test('pending deliveries remain until 30 days after their end, and are sent unchanged', async () => {
    const server = await arrange();
    const { developer } = server;
    const webhook = await listen({ server, call: developer, events: ['vault.created'] });
    await developer('PUT', webhook.path, { body: { active: false } });
    const vault = await newVault(developer);
    for (let days = 0; days < 100; days += 20) await server.sweep(20 * day);
    await developer('PUT', webhook.path, { body: { active: true } });
    await server.settled();
    const [request] = webhook.requests;
    expect(request && verifiedEvent(request)).toMatchObject({
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { object: vault },
    });
    await server.sweep(29 * day);
    expect((await developer('GET', `${webhook.path}/deliveries`)).body.data).toHaveLength(1);
    await server.sweep(2 * day);
    expect(await server.rowsAtEnd('events', 'deliveries')).toEqual([0, 0]);
  });
});

describe('retention of account data', () => {
  test('outcomes are replayed for 24 hours and then removed', async () => {
    const server = await arrange();
    const { developer } = server;
    const headers = { 'idempotency-key': 'one' };
    const create = () => developer('POST', '/api/v1/vaults', { headers, body: { name: 'Taxes' } });
    const first = (await create()).body;
    await server.sweep(day - 1);
    expect((await create()).body).toEqual(first);
    await server.sweep(minute);
    expect((await create()).body.id).not.toBe(first.id);
    await server.sweep(hour);
    expect(await server.rowsAtEnd('idempotency_outcomes'), 'only the second outcome').toEqual([1]);
  });

  test('sessions and refresh tokens are removed when they expire', async () => {
    const server = await arrange();
    const account = await server.signUp('ada@example.com');
    await server.sweep(29 * day);
    await server.signIn(account);
    await server.sweep(day + minute);
    expect(await server.rowsAtEnd('refresh_tokens', 'sessions')).toEqual([1, 1]);
  });

  test('expired API keys remain listed; revoked ones are removed after 30 days', async () => {
    const server = await arrange();
    const account = await server.signUp('ada@example.com');
    const expiresAt = new Date(server.clock.now() + day).toISOString();
    const body = { name: 'Short', scopes: ['vaults:read'], expiresAt };
    const expiring = (await account.call('POST', '/api/v1/api-keys', { body })).body;
    const revoked = await newKey(account.call, ['vaults:read']);
    await account.call('DELETE', `/api/v1/api-keys/${revoked.keyId}`);
    await server.sweep(29 * day);
    const call = await server.signIn(account);
    const revokedLater = await newKey(call, ['vaults:read']);
    await call('DELETE', `/api/v1/api-keys/${revokedLater.keyId}`);
    await server.sweep(day + minute);
    const again = await server.signIn(account);
    const { data } = (await again('GET', '/api/v1/api-keys')).body;
    expect(data).toMatchObject([{ keyId: expiring.keyId, expiresAt }]);
    // The keys: the development account's, the expired one, and the one revoked later.
    expect(await server.rowsAtEnd('api_keys')).toEqual([3]);
  });

  test('shares are removed 30 days after their expiry, also when revoked before', async () => {
    const server = await arrange();
    const { developer, clock } = server;
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const path = `/api/v1/documents/${document.id}/shares`;
    const expiresAt = new Date(clock.now() + day).toISOString();
    const share = (fields: object) => newShare(developer, document.id, { expiresAt, ...fields });
    await share({});
    const revoked = await share({});
    await developer('DELETE', `${path}/${revoked.id}`);
    const later = await share({ expiresAt: new Date(clock.now() + 300 * day).toISOString() });
    await developer('DELETE', `${path}/${later.id}`);
    const count = async () => (await developer('GET', path)).body.pagination.totalCount;
    await server.sweep(31 * day - 1);
    expect(await count()).toBe(3);
    await server.sweep(minute);
    expect(await count(), 'the share with the later expiry').toBe(1);
    await server.sweep(300 * day);
    expect(await count()).toBe(0);
  });
});
