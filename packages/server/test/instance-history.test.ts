import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { dataFolder } from './support/data-folder.ts';
import { refusal } from './support/front-door.ts';
import { invalid, missing } from './support/replies.ts';
import { newDocument, newKey, newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const instanceOf = async (call: Caller): Promise<string> =>
  (await call('GET', '/api/v1/users/me')).body.instanceId;

async function history(call: Caller, instanceId: string, query = '') {
  const reply = await call('GET', `/api/v1/instances/${instanceId}/statistics/history${query}`);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body;
}

/** Moves the clock, and waits for what is due on the way. */
async function pass({ clock, settled }: TestServer, milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  await settled();
}

const timeOf = (time: number) => new Date(time).toISOString();

describe('GET /instances/{id}/statistics/history', () => {
  test('returns documents at the begin of an hour, and the requests and deliveries within it', async () => {
    const server = await startTestServer();
    const { developer, anonymous, clock } = server;
    const start = clock.now();
    const id = await instanceOf(developer);
    const webhook = await listen({ server, call: developer, events: ['vault.created'] });
    const vault = await newVault(developer);
    await newDocument(developer, vault.id, 'four');
    await webhook.events();
    await anonymous('GET', '/api/v1/vaults');
    await pass(server, hour);
    await developer('GET', '/api/v1/vaults');
    await pass(server, minute);
    expect(await history(developer, id)).toEqual({
      instanceId: id,
      from: timeOf(start + hour + minute - 7 * day),
      to: timeOf(start + hour + minute),
      step: 'hour',
      data: [
        {
          start: timeOf(start),
          documents: 0,
          usedBytes: 0,
          requests: 4,
          deliveries: { succeeded: 1, failed: 0 },
        },
        {
          start: timeOf(start + hour),
          documents: 1,
          usedBytes: 4,
          requests: 1,
          deliveries: { succeeded: 0, failed: 0 },
        },
      ],
    });
  });

  test('adds the hours of a day in UTC, with the documents of its first hour', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const start = clock.now();
    const id = await instanceOf(developer);
    await newDocument(developer, (await newVault(developer)).id, 'four');
    for (let count = 0; count < 25; count += 1) {
      await developer('GET', '/api/v1/vaults');
      await pass(server, hour);
    }
    const { data } = await history(developer, id, '?step=day');
    expect(data).toMatchObject([
      { start: timeOf(start), documents: 0, requests: 27 },
      { start: timeOf(start + day), documents: 1, requests: 1 },
    ]);
  });

  test('returns whole days that start in the range', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const start = clock.now();
    const id = await instanceOf(developer);
    for (let count = 0; count < 50; count += 1) {
      await developer('GET', '/api/v1/vaults');
      await pass(server, hour);
    }
    const range = `&from=${timeOf(start + 6 * hour)}&to=${timeOf(start + day + 6 * hour)}`;
    const { data } = await history(developer, id, `?step=day${range}`);
    expect(data).toMatchObject([{ start: timeOf(start + day), requests: 24 }]);
  });

  test('has an hour of zeros without requests, and no point for a time without server', async () => {
    const data = await dataFolder();
    const server = await startTestServer({ data });
    const { developer, clock } = server;
    const start = clock.now();
    const id = await instanceOf(developer);
    await pass(server, hour);
    await pass(server, hour);
    await server.close();
    clock.advance(3 * hour + minute);
    const next = await startTestServer({ data, clock });
    await next.settled();
    const points = (await history(next.developer, id)).data;
    const starts = [0, 1, 2, 5].map((hours) => timeOf(start + hours * hour));
    expect(points.map((point: { start: string }) => point.start)).toEqual(starts);
    expect(points[1]).toMatchObject({ requests: 0, deliveries: { succeeded: 0, failed: 0 } });
  });

  test('stores what was counted since the last record when the server stops', async () => {
    const data = await dataFolder();
    const server = await startTestServer({ data });
    const id = await instanceOf(server.developer);
    await server.developer('GET', '/api/v1/vaults');
    await server.close();
    server.clock.advance(minute);
    const next = await startTestServer({ data, clock: server.clock });
    expect((await history(next.developer, id)).data).toMatchObject([{ requests: 2 }]);
  });

  test('returns the points from a time on and before another', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const start = clock.now();
    const id = await instanceOf(developer);
    for (let count = 0; count < 4; count += 1) await pass(server, hour);
    const range = `?from=${timeOf(start + hour)}&to=${timeOf(start + 3 * hour)}`;
    const { data } = await history(developer, id, range);
    expect(data.map((point: { start: string }) => point.start)).toEqual([
      timeOf(start + hour),
      timeOf(start + 2 * hour),
    ]);
    expect(
      (await history(developer, id, `?from=${timeOf(start)}&to=${timeOf(start)}`)).data,
    ).toEqual([]);
  });

  test('rejects ranges above 90 days or in reverse, other steps, and times that are none', async () => {
    const { developer } = await startTestServer();
    const id = await instanceOf(developer);
    const get = (query: string) =>
      developer('GET', `/api/v1/instances/${id}/statistics/history?${query}`);
    const from = 'from=2026-01-01T00:00:00.000Z';
    expect(await get(`${from}&to=2025-12-31T23:59:59.999Z`)).toMatchObject(
      invalid('to', 'notBeforeFrom'),
    );
    expect(await get(`${from}&to=2026-04-01T00:00:00.001Z`)).toMatchObject(
      invalid('from', 'range'),
    );
    expect((await get(`${from}&to=2026-04-01T00:00:00.000Z`)).status).toBe(200);
    expect(await get('step=week')).toMatchObject(invalid('step', 'enum'));
    expect(await get('from=yesterday')).toMatchObject(invalid('from', 'format'));
  });

  test('removes records after 90 days', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const id = await instanceOf(developer);
    const start = clock.now();
    await pass(server, 90 * day + 2 * hour);
    await pass(server, minute);
    const { data } = await history(
      developer,
      id,
      `?from=${timeOf(start)}&to=${timeOf(start + day)}`,
    );
    expect(data).toEqual([]);
  });
});

describe('who may read the history of an instance', () => {
  test('users read that of their own instance, administrators of all', async () => {
    const server = await startWithAdministrator();
    const { developer, admin, signIn, adminAccount } = server;
    const other = await admin('POST', '/api/v1/instances', { body: { name: 'B', region: 'b' } });
    expect(other.status).toBe(201);
    const instanceId = other.body.id;
    await pass(server, hour + minute);
    const signedIn = await signIn(adminAccount);
    const { data } = await history(signedIn, instanceId);
    expect(data).toMatchObject([{ requests: 0, documents: 0 }]);
    const path = `/api/v1/instances/${instanceId}/statistics/history`;
    expect(await developer('GET', path)).toMatchObject(missing({ instanceId }));
  });

  test('a key needs instances:read', async () => {
    const { signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const id = await instanceOf(call);
    const reader = withKey((await newKey(call, ['vaults:read'])).key);
    const requiredScopes = ['instances:read'];
    expect(await reader('GET', `/api/v1/instances/${id}/statistics/history`)).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes }),
    );
  });
});
