import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../src/lib/clock.ts';
import { migrate, migrationsOf } from '../src/store/migrations.ts';
import { openPostgres } from '../src/store/postgres/driver.ts';
import { urlOfFolder } from '../test/support/postgres/databases.ts';
import { startTwo } from '../test/support/postgres/two-servers.ts';
import { documentOf, newDocument, newShare, newVault } from '../test/support/resources.ts';
import { type Caller, startTestServer } from '../test/support/server.ts';

// A migration is compatible with the version before it, whose servers go on meanwhile.

/** Adds a column to every table. Prepared statements must not depend on all columns. */
const everywhere = `DO $$ DECLARE t TEXT; BEGIN
  FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN later TEXT COLLATE "C"', t);
  END LOOP;
END $$`;

/** Locks tables in another order than transactions do, so that they wait for each other in a circle. */
const inTurn = ['documents', 'vaults', 'account_usage', 'users']
  .map((table) => `ALTER TABLE ${table} ADD COLUMN another BIGINT NOT NULL DEFAULT 0;`)
  .join('\n');

/** Applies the migrations of this version and further ones. */
async function migrateTo(url: string, further: Readonly<Record<string, string>>): Promise<void> {
  const migrations = await migrationsOf('postgres');
  for (const [name, sql] of Object.entries(further)) {
    const checksum = createHash('sha256').update(sql).digest('hex');
    migrations.push({ version: migrations.length + 1, name, sql, checksum });
  }
  const driver = await openPostgres({ url });
  try {
    const options = { clock: systemClock, migrations };
    const applied = await driver.exclusively(() => migrate(driver, options));
    expect(applied).toEqual(migrations.slice(-1));
  } finally {
    await driver.close();
  }
}

/** Runs statements of most tables. */
async function use(call: Caller): Promise<void> {
  const expectOk = async (...request: Parameters<Caller>) => {
    const reply = await call(...request);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body;
  };
  const { id: vaultId } = await newVault(call);
  const { id } = await newDocument(call, vaultId, 'x');
  const once = { body: documentOf(vaultId, 'y'), headers: { 'idempotency-key': vaultId } };
  await expectOk('POST', '/api/v1/documents', once);
  await expectOk('POST', '/api/v1/documents', once);
  await newShare(call, id);
  await expectOk('POST', '/api/v1/uploads', { body: { vaultId, sizeBytes: 1 } });
  for (const path of ['vaults', 'documents', 'webhooks', 'consents', 'events', 'users/me']) {
    await expectOk('GET', `/api/v1/${path}`);
  }
  await expectOk('GET', '/api/v1/documents?search=letter&sortBy=fileName');
  await expectOk('PUT', `/api/v1/vaults/${vaultId}`, { body: { name: 'Renamed' } });
  const query = '{ vaults { data { id documents { data { id fileName } } } } }';
  expect((await expectOk('POST', '/graphql', { body: { query } })).errors).toBeUndefined();
  await expectOk('DELETE', `/api/v1/documents/${id}`);
  await expectOk('DELETE', `/api/v1/vaults/${vaultId}`);
}

test('servers go on while a later version migrates, and start no more afterwards', async () => {
  const { data, servers, callers } = await startTwo();
  const useBoth = async () => {
    await Promise.all([...callers, ...callers].map(use));
    for (const { clock, settled } of servers) {
      clock.advance(24 * 60 * 60 * 1000);
      await settled();
    }
  };
  // Each connection keeps the statements that it has prepared.
  await useBoth();
  const url = urlOfFolder(data) ?? expect.fail();
  await migrateTo(url, { everywhere });
  await Promise.all([migrateTo(url, { everywhere, inTurn }), useBoth()]);
  await useBoth();
  await expect(startTestServer({ data })).rejects.toThrow(
    /has schema 0003_inTurn\. .* Start the version that wrote the database, or a later one\./,
  );
});
