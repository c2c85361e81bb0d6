/**
 * The ceiling: Koa and better-sqlite3 with nothing around them. No credentials, no rate limit, no
 * validation, no events, no log; a commit at `synchronous = NORMAL`, which a power cut may undo.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import Koa from 'koa';

const folder = mkdtempSync(join(tmpdir(), 'document-vault-bench-'));
const db = new Database(join(folder, 'peer.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec(`CREATE TABLE vaults (id TEXT PRIMARY KEY, name TEXT, category TEXT, created_at INTEGER);
  CREATE INDEX by_created ON vaults (created_at, id);
  CREATE TABLE documents (id TEXT PRIMARY KEY, vault_id TEXT, metadata TEXT, data BLOB)`);
const insertVault = db.prepare('INSERT INTO vaults VALUES (?, ?, ?, ?) RETURNING *');
const insertDocument = db.prepare('INSERT INTO documents VALUES (?, ?, ?, ?)');
const findVault = db.prepare('SELECT * FROM vaults WHERE id = ?');
const listVaults = db.prepare(
  'SELECT * FROM vaults ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?',
);
const countVaults = db.prepare('SELECT COUNT(*) AS total FROM vaults');

async function jsonBody(ctx: Koa.Context) {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const app = new Koa();
app.use(async (ctx) => {
  const id = /^\/api\/v1\/vaults\/([^/]+)$/.exec(ctx.path)?.[1];
  if (ctx.method === 'GET' && id) {
    ctx.body = findVault.get(id);
  } else if (ctx.method === 'GET') {
    const page = Number(ctx.query.page ?? 1);
    ctx.body = { data: listVaults.all(20, (page - 1) * 20), pagination: countVaults.get() };
  } else if (ctx.path === '/api/v1/vaults') {
    const { name, category } = await jsonBody(ctx);
    ctx.status = 201;
    ctx.body = insertVault.get(randomUUID(), name, category, Date.now());
  } else {
    const { encryptedData, ...document } = await jsonBody(ctx);
    const documentId = randomUUID();
    const data = Buffer.from(encryptedData, 'base64');
    insertDocument.run(documentId, document.vaultId, JSON.stringify(document), data);
    ctx.status = 201;
    ctx.body = { id: documentId, ...document };
  }
});

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.on('SIGTERM', () => {
  db.close();
  rmSync(folder, { recursive: true });
  process.exit(0);
});
