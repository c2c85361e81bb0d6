import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { complaint, type PlanStep } from '../support/store/statements.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

async function judge(sql: string): Promise<string | undefined> {
  const values = { id: '', user: '', type: '', limit: 1, offset: 0, elements: '[]' };
  return complaint(
    sql,
    await database.driver.reader.all<PlanStep>(`EXPLAIN QUERY PLAN ${sql}`, values),
  );
}

describe('statements whose cost grows with the data', () => {
  test.each([
    ['reads a table', 'SELECT id FROM documents WHERE file_name = @id'],
    ['reads a table under another name', 'SELECT d.id FROM documents d WHERE d.file_name = @id'],
    ['reads an index', 'SELECT COUNT(*) FROM documents'],
    ['changes what it has to look for', 'UPDATE shares SET is_active = 0 WHERE access = @id'],
    ['removes what it has to look for', 'DELETE FROM events WHERE type = @id'],
    [
      'joins without an index',
      'SELECT 1 FROM users u JOIN events e ON e.user_id = u.id WHERE u.id = @id',
    ],
    [
      'sorts all it finds',
      'SELECT id FROM documents WHERE user_id = @user ORDER BY mime_type LIMIT 5',
    ],
    ['sorts a table', 'SELECT id FROM documents ORDER BY encryption_metadata LIMIT 5'],
    [
      'groups',
      'SELECT file_name, COUNT(*) FROM documents WHERE user_id = @user GROUP BY file_name',
    ],
  ])('a statement that %s is reported', async (_, sql) => {
    expect(await judge(sql)).toMatch(/SCAN|TEMP B-TREE/);
  });
});

describe('statements with a bounded cost', () => {
  test.each([
    ['finds by key', 'SELECT file_name FROM documents WHERE id = @id'],
    ['walks an index up to a limit', 'SELECT id FROM sessions ORDER BY expires_at LIMIT 5'],
    ['walks a table up to a limit', 'SELECT id FROM documents ORDER BY number LIMIT 5'],
    [
      'sorts a page',
      'SELECT id FROM documents WHERE id IN (SELECT id FROM documents ORDER BY number LIMIT 5) ORDER BY file_name',
    ],
    ['reads a small table', 'SELECT kid FROM signing_keys ORDER BY created_at'],
    ['says that it reads everything', 'SELECT COUNT(*) FROM documents /* all rows */'],
  ])('a statement that %s is accepted', async (_, sql) => {
    expect(await judge(sql)).toBeUndefined();
  });
});
