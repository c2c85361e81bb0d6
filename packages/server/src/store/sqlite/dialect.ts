import type { Dialect, TextSearch } from '../driver.ts';

/** What SQLite has beyond the SQL that the repositories share: JSON1 and FTS5 with trigrams. */
export const sqliteDialect: Dialect = {
  elements: (parameter) => `SELECT value FROM json_each(@${parameter})`,

  // LIKE compares character by character, which some texts make a thousand times as long.
  contains: (column, parameter) => `INSTR(${column}, @${parameter}) > 0`,

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

/**
 * The rows with all trigrams of the text, wherever they stand: to have a long text found as a phrase
 * takes time for each of its trigrams at each of its places in a row.
 *
 * https://sqlite.org/fts5.html#full_text_query_syntax
 */
function matchExpression({ columns, text, belongingTo }: TextSearch): string {
  const owners = Object.entries(belongingTo)
    .map(([column, id]) => ` AND ${column} : ${phrase(id.slice(-3))}`)
    .join('');
  return `{${columns.join(' ')}} : (${trigrams(text).map(phrase).join(' AND ')})${owners}`;
}

/** Each once. */
function trigrams(text: string): string[] {
  const characters = [...text];
  const all = characters.slice(2).map((_, start) => characters.slice(start, start + 3).join(''));
  return [...new Set(all)];
}

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
