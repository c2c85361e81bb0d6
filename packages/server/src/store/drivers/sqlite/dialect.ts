import type { Dialect, TextSearch } from '../../driver.ts';

/** What SQLite has beyond the SQL that the repositories share: JSON1 and FTS5 with trigrams. */
export const sqliteDialect: Dialect = {
  elements: (parameter) => `SELECT value FROM json_each(@${parameter})`,

  // The migrations have rows indexed by the 128.
  candidates: (search) => ({
    sql: `SELECT number, 1 AS found FROM (
        SELECT rowid AS number FROM ${search.index} WHERE ${search.index} MATCH @match
        LIMIT CAST(@limit AS INTEGER)
      ) f
      UNION ALL SELECT number, 0 FROM ${search.table}
      WHERE number > (SELECT MAX(number) FROM ${search.table}) / 128 * 128`,
    parameters: { match: matchExpression(search) },
  }),
};

/** https://sqlite.org/fts5.html#full_text_query_syntax */
function matchExpression({ columns, text, belongingTo }: TextSearch): string {
  const owners = Object.entries(belongingTo)
    .map(([column, id]) => ` AND ${column} : ${phrase(id.slice(-3))}`)
    .join('');
  return `{${columns.join(' ')}} : ${phrase(text)}${owners}`;
}

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
