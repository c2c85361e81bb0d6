import { expect, test } from 'vitest';
import { searchIndexProblems } from '../../src/store/sqlite/snapshot.ts';
import { openDatabase } from '../support/delivery/database.ts';
import { documentRecord, insertDocument, vaultRecord } from '../support/store/records.ts';

/** More rows than the indexes leave out. */
const count = 300;

async function fill() {
  const database = await openDatabase();
  await database.store.transaction(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const vault = vaultRecord(database, `vault-${index}`, { name: `"Vault" ${index}` });
      await tx.vaults.insert(vault);
      const fields = { id: `document-${index}`, fileName: index % 3 === 0 ? 'ab' : `${index}.pdf` };
      await insertDocument(tx, documentRecord(vault, fields));
    }
  });
  return database;
}

test.each([
  ['nothing', 'SELECT 1', []],
  [
    'a missing vault',
    'DELETE FROM vault_search WHERE rowid = 3',
    ['vault-2 of vaults is missing in vault_search'],
  ],
  [
    'a missing document',
    'DELETE FROM document_search WHERE rowid = 256',
    ['document-255 of documents is missing in document_search'],
  ],
  [
    'a row of a deleted vault',
    "INSERT INTO vault_search (rowid, name) VALUES (1000, 'gone')",
    ['vault_search has row 1000, and vaults has not'],
  ],
  [
    'a vault that is indexed under another name',
    "UPDATE vault_search SET name = 'other', description = NULL, owner = '', slice = '' WHERE rowid = 3",
    ['vault-2 of vaults has another name in vault_search'],
  ],
  [
    'a document that is indexed under another name',
    "UPDATE document_search SET name = 'other', owner = '', vault = '', slice = '' WHERE rowid = 5",
    ['document-4 of documents has another name in document_search'],
  ],
])('in the search indexes, %s is found', async (_, change, problems) => {
  const { driver, close } = await fill();
  await driver.transaction(async (queries) => {
    await (change.startsWith('SELECT') ? queries.all(change) : queries.run(change));
  });
  expect(await searchIndexProblems(driver.reader)).toEqual(problems);
  await close();
});
