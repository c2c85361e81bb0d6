import { expect, test } from 'vitest';

// A copy of the module for this file alone: a process names a limited number of statements, and the other files of the
// worker have used names.
const copy = '../src/store/postgres/statements.ts?copy';
const { bind }: typeof import('../src/store/postgres/statements.ts') = await import(copy);

test('a statement with nulls at many different places keeps few names, and others keep theirs', () => {
  const columns = Array.from({ length: 12 }, (_, index) => `c${index}`);
  const sql = `INSERT INTO t VALUES (@${columns.join(', @')})`;
  const names = new Set<string | undefined>();
  for (let pattern = 0; pattern < 2 ** columns.length; pattern += 1) {
    const values = columns.map((column, index) => [column, pattern & (1 << index) ? 1 : null]);
    const statement = bind(sql, Object.fromEntries(values));
    expect(statement.values).toHaveLength(values.filter(([, value]) => value !== null).length);
    names.add(statement.name);
  }
  expect(names.size).toBeLessThanOrEqual(9);
  expect(bind('SELECT @id AS id', { id: 1 })).toMatchObject({
    name: expect.any(String),
    text: 'SELECT $1::bigint AS id',
    values: [1],
  });
});

test('a statement with hundreds of parameters has no name', () => {
  const columns = Array.from({ length: 300 }, (_, index) => `c${index}`);
  const values = Object.fromEntries(columns.map((column) => [column, 'x']));
  const statement = bind(`SELECT @${columns.join(', @')}`, values);
  expect(statement).not.toHaveProperty('name');
  expect(statement.text).toContain('$300::text');
});
