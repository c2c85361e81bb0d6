/** What the bare programs store, and how: better-sqlite3 with a commit for every change. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type NewVault, type newDocument, pageSize, seededVaults } from '../data.ts';
import type { ProgramArguments, Synchronous } from './arguments.ts';

type Bare = ReturnType<typeof openBareStore>;

export type { Bare as BareStore };

export function openBareStore({ folder, synchronous }: Omit<ProgramArguments, 'port'>) {
  const db = openDatabase(folder, synchronous);
  const insertVault = db.prepare('INSERT INTO vaults VALUES (?, ?, ?, ?) RETURNING *');
  const insertDocument = db.prepare('INSERT INTO documents VALUES (?, ?, ?, ?)');
  const findVault = db.prepare('SELECT * FROM vaults WHERE id = ?');
  const pageOfVaults = db.prepare(
    'SELECT * FROM vaults ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?',
  );
  const countVaults = db.prepare('SELECT COUNT(*) AS total FROM vaults');
  return {
    findVault: (id: string) => findVault.get(id),
    listVaults: (page: number) => ({
      data: pageOfVaults.all(pageSize, (page - 1) * pageSize),
      pagination: countVaults.get(),
    }),
    insertVault: ({ name, category }: NewVault) =>
      insertVault.get(randomUUID(), name, category, Date.now()),
    insertDocument({ encryptedData, ...document }: ReturnType<typeof newDocument>) {
      const id = randomUUID();
      const data = Buffer.from(encryptedData, 'base64');
      insertDocument.run(id, document.vaultId, JSON.stringify(document), data);
      return { id, ...document };
    },
    close: () => db.close(),
  };
}

/** Writes the vaults that every peer holds. */
export function seedBareStore(folder: string): void {
  const db = openDatabase(folder, 'NORMAL');
  const insert = db.prepare('INSERT INTO vaults VALUES (@id, @name, @category, @createdAt)');
  db.transaction(() => {
    for (const vault of seededVaults()) insert.run(vault);
  })();
  db.close();
}

function openDatabase(folder: string, synchronous: Synchronous): Database.Database {
  const db = new Database(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  db.exec(`CREATE TABLE IF NOT EXISTS vaults
      (id TEXT PRIMARY KEY, name TEXT, category TEXT, created_at INTEGER);
    CREATE INDEX IF NOT EXISTS by_created ON vaults (created_at, id);
    CREATE TABLE IF NOT EXISTS documents
      (id TEXT PRIMARY KEY, vault_id TEXT, metadata TEXT, data BLOB)`);
  return db;
}
