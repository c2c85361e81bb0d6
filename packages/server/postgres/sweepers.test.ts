import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { dataFolder } from '../test/support/data-folder.ts';
import { urlOfFolder } from '../test/support/postgres/databases.ts';
import {
  documentOf,
  newConsent,
  newDocument,
  newShare,
  newVault,
} from '../test/support/resources.ts';
import { startTestServer, type TestServer } from '../test/support/server.ts';

/** The tables with rows that a sweep changes or removes. */
const swept = [
  'uploads',
  'shares',
  'consents',
  'refresh_tokens',
  'sessions',
  'login_places',
  'api_keys',
  'idempotency_outcomes',
  'deliveries',
  'erasures',
  'content_erasures',
  'content_parts',
];

/** Leaves something behind for every step of the sweeper. */
async function leaveAll(server: TestServer): Promise<void> {
  const call = server.developer;
  const { email, password } = server.account ?? expect.fail();
  const signedIn = await server.signIn({ email, password });
  const { body: key } = await signedIn('POST', '/api/v1/api-keys', {
    body: { name: 'Old', scopes: ['vaults:read'] },
  });
  await signedIn('DELETE', `/api/v1/api-keys/${key.keyId}`);
  const expiresAt = new Date(server.clock.now() + 60_000).toISOString();
  const vault = await newVault(call);
  const { id } = await newDocument(call, vault.id, 'x');
  await newShare(call, id, { expiresAt });
  await newConsent(call, { expiresAt });
  await call('POST', '/api/v1/uploads', { body: { vaultId: vault.id, sizeBytes: 1 } });
  const deleted = await newVault(call);
  await call('POST', '/api/v1/documents', {
    body: documentOf(deleted.id, 'y'),
    headers: { 'idempotency-key': 'once' },
  });
  await call('DELETE', `/api/v1/vaults/${deleted.id}`);
}

test('a sweep skips rows that another transaction has locked, and a later one takes them', async () => {
  const data = await dataFolder();
  const server = await startTestServer({ data });
  await leaveAll(server);
  const other = new pg.Client({ connectionString: urlOfFolder(data) });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN');
  const locked: string[] = [];
  for (const table of swept) {
    const { rowCount } = await other.query(`SELECT 1 FROM ${table} FOR UPDATE`);
    if (rowCount) locked.push(table);
  }
  expect(locked).toEqual(
    swept.filter((table) => table !== 'deliveries' && table !== 'content_parts'),
  );
  const sweep = async () => {
    server.clock.advance(100 * 24 * 60 * 60 * 1000);
    await server.settled();
  };
  // A step that waits for a row fails after five seconds, and the test with its log entry.
  await sweep();
  await other.query('ROLLBACK');
  await sweep();
  await sweep();
  for (const table of locked.filter((name) => name !== 'login_places')) {
    const { rowCount } = await other.query(`SELECT 1 FROM ${table}`);
    expect(rowCount, table).toBe(table === 'consents' || table === 'api_keys' ? 1 : 0);
  }
});
