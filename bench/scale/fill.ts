/** Fills a data folder in bulk: one account with everything, and an administrator. */
import { join } from 'node:path';
import { startServer } from '@document-vault/server';
import Database from 'better-sqlite3';
import type { Facts } from './cases.ts';

export interface Size {
  readonly documents: number;
  readonly vaults: number;
  /** How many of the vaults the documents are in, as many in each. */
  readonly vaultsWithDocuments: number;
}

type Row = Record<string, string | number | Buffer | null>;

const words =
  'invoice contract report scan letter photo backup notes receipt statement draft budget travel school'.split(
    ' ',
  );
const types = ['application/pdf', 'image/jpeg', 'text/plain', 'image/png', 'application/zip'];
const categories = ['personal', 'health', 'work', null];

/** Makes the accounts with a server, and everything else by itself, with its counts and search indexes. */
export async function fill(folder: string, size: Size): Promise<Omit<Facts, 'size'>> {
  const keys = await makeAccounts(folder);
  const database = new Database(join(folder, 'document-vault.db'));
  try {
    database.pragma('synchronous = OFF');
    database.pragma('cache_size = -1000000');
    database.pragma('temp_store = MEMORY');
    database.exec(`UPDATE users SET role = 'admin' WHERE email = 'admin@example.com';
      UPDATE api_keys SET scopes = '["admin:*"]' WHERE name = 'Admin'`);
    return { keys, ...withoutIndexes(database, () => fillTables(database, size)) };
  } finally {
    database.close();
  }
}

async function makeAccounts(folder: string): Promise<Facts['keys']> {
  const server = await startServer({ port: 0, data: folder, logLevel: 'error' });
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { accessToken: string; key: string };
  };
  const credentials = { email: 'admin@example.com', password: 'a password of the bench' };
  await post('/auth/register', { ...credentials, name: 'Admin' });
  const { accessToken } = await post('/auth/login', credentials);
  const { key } = await post(
    '/api/v1/api-keys',
    { name: 'Admin', scopes: ['vaults:read'] },
    { authorization: `Bearer ${accessToken}` },
  );
  const owner = server.account?.apiKey;
  await server.close();
  if (owner === undefined) throw new Error('the server has no development account');
  return { owner, admin: key };
}

/** Indexes are built in one go afterwards. */
function withoutIndexes<Result>(database: Database.Database, work: () => Result): Result {
  const indexes = database
    .prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema
       WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('vaults', 'documents')`,
    )
    .all();
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  const result = work();
  for (const { sql } of indexes) database.exec(sql);
  return result;
}

function fillTables(
  database: Database.Database,
  { documents, vaults, vaultsWithDocuments }: Size,
): { vaultId: string; documentId: string } {
  const account = database
    .prepare<[], { userId: string; instanceId: string }>(
      `SELECT id AS userId, instance_id AS instanceId FROM users WHERE role = 'user'`,
    )
    .get();
  if (account === undefined) throw new Error('there is no account');
  const id = createIds();
  const random = createRandom();
  const vaultIds = Array.from({ length: vaults }, id);

  const vaultRows = vaultIds.map((vaultId, index) =>
    vaultRow({ id: vaultId, ...account }, index, random),
  );
  insertAll(database, 'vaults', vaultRows);
  const documentIds: string[] = [];
  function* documentRows() {
    for (let index = 0; index < documents; index += 1) {
      const vaultId = vaultIds[index % vaultsWithDocuments] ?? '';
      documentIds.push(id());
      const ids = { id: documentIds.at(-1) ?? '', vaultId, userId: account?.userId ?? '' };
      const row = documentRow(ids, index, random);
      // The measured document has all of its content. A download of any other one ends early.
      yield index === documents >> 1 ? { ...row, size_bytes: 64 } : row;
    }
  }
  insertAll(database, 'documents', documentRows());
  database.exec(`INSERT INTO document_contents (document_id, attempt, piece, data) SELECT id, 0, 0, zeroblob(64) FROM documents;
    UPDATE vaults SET document_count = d.documents, total_size = d.bytes, document_bytes = d.held
    FROM (SELECT vault_id, COUNT(*) AS documents, SUM(size_bytes) AS bytes, SUM(held_bytes) AS held
      FROM documents GROUP BY vault_id) d WHERE d.vault_id = id;
    INSERT INTO document_types (user_id, mime_type, vault_id, documents)
    SELECT user_id, mime_type, vault_id, COUNT(*) FROM documents GROUP BY 1, 2, 3;
    INSERT INTO vault_categories (user_id, category, active, inactive)
    SELECT user_id, category, SUM(is_active), SUM(1 - is_active) FROM vaults
    WHERE category IS NOT NULL GROUP BY 1, 2;
    UPDATE account_usage SET vaults = v.vaults, inactive_vaults = v.inactive, documents = v.documents,
      total_size = v.bytes, bytes = v.held
    FROM (SELECT user_id, COUNT(*) AS vaults, SUM(1 - is_active) AS inactive, SUM(document_count) AS documents,
      SUM(total_size) AS bytes, SUM(held_bytes + document_bytes) AS held
      FROM vaults GROUP BY user_id) v WHERE v.user_id = account_usage.user_id;
    INSERT INTO vault_search (rowid, name, description, owner)
    SELECT number, name_folded, description_folded, substr(user_id, -3) FROM vaults
    WHERE number <= (SELECT MAX(number) FROM vaults) / 128 * 128;
    INSERT INTO document_search (rowid, name, owner, vault)
    SELECT number, file_name_folded, substr(user_id, -3), substr(vault_id, -3) FROM documents
    WHERE number <= (SELECT MAX(number) FROM documents) / 128 * 128`);
  return {
    vaultId: vaultIds[0] ?? '',
    documentId: documentIds[documents >> 1] ?? '',
  };
}

type Random = (limit: number) => number;

function vaultRow(
  { id, userId, instanceId }: { id: string; userId: string; instanceId: string },
  index: number,
  random: Random,
): Row {
  const special = index % 500 === 250 && index < 5000;
  const name = special ? `Needle ${index}` : nameOf(random);
  const description = special ? `Haystack ${index}` : `All about ${name}`;
  const time = start + index * 1000;
  return {
    id,
    user_id: userId,
    instance_id: instanceId,
    name,
    name_folded: name.toLowerCase(),
    description,
    description_folded: description.toLowerCase(),
    category: special ? 'rare' : (categories[random(categories.length)] ?? null),
    is_active: special ? 0 : 1,
    created_at: time,
    updated_at: time + random(1e9),
  };
}

function documentRow(
  { id, vaultId, userId }: { id: string; vaultId: string; userId: string },
  index: number,
  random: Random,
): Row {
  const special = index % 200 === 100 && index < 2000;
  const name = special ? `Needle 世界 ${index}.pdf` : `${nameOf(random)}.pdf`;
  const time = start + index * 1000;
  return {
    id,
    vault_id: vaultId,
    user_id: userId,
    file_name: name,
    file_name_folded: name.toLowerCase(),
    mime_type: special ? 'application/x-rare' : (types[random(types.length)] ?? ''),
    size_bytes: random(1_000_000),
    encryption_metadata:
      '{"algorithm":"AES-256-GCM","iv":"NnEGZNYbkpXlQl/w","authTag":"nM3qSMMl6cDfwAXBfDpN5g=="}',
    content_store: 'database',
    content_digest: Buffer.alloc(32),
    uploaded_at: time,
    updated_at: time + random(1e9),
  };
}

function nameOf(random: Random): string {
  const word = () => words[random(words.length)];
  return `${word()}-${word()}-${2000 + random(26)}-${String(random(1_000_000)).padStart(6, '0')}`;
}

function insertAll(database: Database.Database, table: string, rows: Iterable<Row>): void {
  let insert: Database.Statement | undefined;
  database.exec('BEGIN');
  for (const row of rows) {
    const columns = Object.keys(row);
    insert ??= database.prepare(
      `INSERT INTO ${table} (${columns}) VALUES (${columns.map((column) => `@${column}`)})`,
    );
    insert.run(integral(row));
  }
  database.exec('COMMIT');
}

/** The library binds numbers as REAL, which a strict INTEGER column takes only when they are whole. */
function integral(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? BigInt(value) : value,
    ]),
  );
}

const start = Date.UTC(2024, 0, 1);

/** UUIDv7 (RFC 9562) that count upwards. */
function createIds(): () => string {
  let count = 0;
  return () => {
    const time = (start + count).toString(16).padStart(12, '0');
    const low = ((count * 2_654_435_761) % 2 ** 48).toString(16).padStart(12, '0');
    count += 1;
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${low}`;
  };
}

/** The same numbers in every run. */
function createRandom(): Random {
  let state = 1;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
