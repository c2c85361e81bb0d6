import { describe, expect, test } from 'vitest';
import { TestClock } from '../src/lib/clock.ts';
import { dataFolder, inDatabase, randomDigest } from './support/data-folder.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

const events = ['document.share.expired'];

async function sharedDocument({ developer }: TestServer) {
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id);
  return { ...document, vault, path: `/api/v1/documents/${document.id}` };
}

const inMinutes = ({ clock }: TestServer, minutes: number) => ({
  expiresAt: new Date(clock.now() + minutes * minute).toISOString(),
});

describe('document.share.expired', () => {
  test('it is emitted once, without user and request', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const document = await sharedDocument(server);
    const webhook = await listen({ server, call: developer, events });
    const share = await newShare(developer, document.id, inMinutes(server, 90));
    clock.advance(90 * minute - 1);
    expect(await webhook.events()).toEqual([]);
    clock.advance(minute);
    expect(await webhook.events()).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: 'document.share.expired',
        timestamp: new Date(clock.now()).toISOString(),
        apiVersion: 'v1',
        data: {
          object: { id: share.id, documentId: document.id, expiresAt: share.expiresAt },
        },
        context: { userId: null, instanceId: document.vault.instanceId, requestId: null },
      },
    ]);
    for (let count = 0; count < 5; count += 1) clock.advance(minute);
    clock.advance(20 * day);
    expect(await webhook.events()).toEqual([]);
    const { data } = (await developer('GET', `${document.path}/shares`)).body;
    expect(data).toMatchObject([{ id: share.id, isActive: false }]);
  });

  test('it is emitted within a minute of the expiry', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const document = await sharedDocument(server);
    const webhook = await listen({ server, call: developer, events });
    const share = await newShare(developer, document.id, inMinutes(server, 3));
    const times = [];
    for (let seconds = 0; seconds < 300; seconds += 10) {
      clock.advance(10_000);
      for (const event of await webhook.events()) times.push(Date.parse(event.timestamp));
    }
    expect(times).toHaveLength(1);
    const delay = (times[0] ?? Number.NaN) - Date.parse(share.expiresAt);
    expect(delay).toBeGreaterThanOrEqual(0);
    expect(delay).toBeLessThanOrEqual(minute);
  });

  test('it is not emitted for revoked and used up shares and for those of deleted documents', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const document = await sharedDocument(server);
    const lost = await sharedDocument(server);
    const webhook = await listen({ server, call: developer, events });
    const share = (fields = {}) =>
      newShare(developer, document.id, { ...inMinutes(server, 60), ...fields });
    const revoked = await share();
    await developer('DELETE', `${document.path}/shares/${revoked.id}`);
    const spent = await share({ maxAccessCount: 1 });
    const halfSpent = await share({ maxAccessCount: 2 });
    for (const { shareToken } of [spent, halfSpent]) {
      expect(await developer('GET', `/shares/${shareToken}`)).toMatchObject({ status: 200 });
    }
    await newShare(developer, lost.id, inMinutes(server, 60));
    await developer('DELETE', lost.path);
    clock.advance(day);
    const reported = (await webhook.events()).map(({ data }) => data.object.id);
    expect(reported).toEqual([halfSpent.id]);
  });

  test("it is delivered to webhooks of the document's owner only", async () => {
    const server = await startTestServer();
    const { developer, clock, signUp } = server;
    const document = await sharedDocument(server);
    const { call } = await signUp('other@example.com');
    const other = await listen({ server, call, events });
    const own = await listen({ server, call: developer, events });
    await newShare(developer, document.id);
    clock.advance(8 * day);
    expect(await own.events()).toHaveLength(1);
    expect(await other.events()).toEqual([]);
  });

  test('it is emitted once after a restart when the share expired before it', async () => {
    const data = await dataFolder();
    const clock = new TestClock();
    const first = await startTestServer({ data, clock });
    const document = await sharedDocument(first);
    const webhook = await listen({ server: first, call: first.developer, events });
    await newShare(first.developer, document.id, inMinutes(first, 1));
    await newShare(first.developer, document.id, inMinutes(first, 100));
    clock.advance(2 * minute);
    expect(await webhook.events()).toHaveLength(1);
    await first.close();
    clock.advance(day);
    for (const expected of [1, 0]) {
      const server = await startTestServer({ data, clock });
      await server.settled();
      expect(webhook.requests.splice(0)).toHaveLength(expected);
      await server.close();
    }
  });
});

test('requests are served while thousands of shares expire', async () => {
  const data = await dataFolder();
  const clock = new TestClock();
  const first = await startTestServer({ data, clock });
  const document = await sharedDocument(first);
  const webhook = await listen({ server: first, call: first.developer, events });
  await first.developer('PUT', webhook.path, { body: { active: false } });
  await first.close();
  inDatabase(data, (database) =>
    database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO shares (id, document_id, user_id, instance_id, token_hash, permissions, access, expires_at, is_active, created_at)
      SELECT 'share ' || i, '${document.id}', '${document.vault.userId}', '${document.vault.instanceId}', ${randomDigest}, '["read"]', 'anyone', i, 1, 0
      FROM n`),
  );

  const server = await startTestServer({ data, clock });
  const { stats } = (await server.developer('GET', webhook.path)).body;
  expect(stats.totalDeliveries).toBeLessThan(5000);
  await server.settled();
  const after = (await server.developer('GET', webhook.path)).body.stats;
  expect(after).toMatchObject({ totalDeliveries: 5000, lastDeliveryAt: null });
  const { pagination } = (await server.developer('GET', `${webhook.path}/deliveries`)).body;
  expect(pagination.totalCount).toBe(5000);
});
