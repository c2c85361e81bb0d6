import { expect, test } from 'vitest';
import { dataFolder, inDatabase, rowsIn } from './support/data-folder.ts';
import { missing } from './support/replies.ts';
import { newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

test('deleting a webhook with 900 deliveries removes all of its rows and no others', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  const reply = (response: { statusCode: number; end(): void }) => {
    response.statusCode = 500;
    response.end();
  };
  const events = ['vault.created'];
  const webhook = await listen({ server: first, call: first.developer, events, reply });
  const other = await listen({ server: first, call: first.developer, events });
  const [vault, later] = [await newVault(first.developer), first.clock.now() + 60_000];
  await first.settled();
  await first.close();
  inDatabase(data, (database) =>
    database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO deliveries (id, webhook_id, event_id, event_type, test, status, attempt_number, next_attempt_at,
        created_at)
      SELECT 'dlv_' || (1000 + i), '${webhook.id}', (SELECT id FROM events WHERE type = 'vault.created'),
        'vault.created', 0, 'retrying', 1, ${later}, 0 FROM n;`),
  );
  webhook.requests.splice(0);

  const server = await startTestServer({ data, clock: first.clock });
  const gone = server.developer('DELETE', webhook.path);
  const between = server.developer('GET', `/api/v1/vaults/${vault.id}`);
  expect(await between).toMatchObject({ status: 200 });
  expect(await gone).toMatchObject({ status: 204 });
  expect(await server.developer('GET', webhook.path)).toMatchObject(missing());
  expect(await server.developer('DELETE', webhook.path)).toMatchObject(missing());
  server.clock.advance(60_000);
  await server.settled();
  expect(webhook.requests).toEqual([]);
  const { data: kept } = (await server.developer('GET', `${other.path}/deliveries`)).body;
  expect(kept).toMatchObject([{ status: 'succeeded' }]);
  await server.close();
  const tables = ['webhooks', 'webhook_statistics', 'deliveries', 'delivery_attempts'];
  expect(tables.map((table) => rowsIn(data, table))).toEqual([1, 1, 1, 1]);
  expect(rowsIn(data, 'uncounted_deliveries')).toBe(0);
});
