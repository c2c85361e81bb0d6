import type { Dialect, TextSearch } from '../driver.ts';

/** SQL that only SQLite runs: JSON1 and FTS5 with trigrams. */
export const sqliteDialect: Dialect = {
  elements: (parameter) => `SELECT value FROM json_each(@${parameter})`,

  // LIKE compares character by character. Some texts make it a thousand times slower than INSTR.
  contains: (column, parameter) => `INSTR(${column}, @${parameter}) > 0`,

  // Triggers index rows in groups of 128. The rows after the last complete group are read directly.
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
 * Matches rows that contain all trigrams of the text, in any order. Finding a long text as a phrase would
 * compare each of its trigrams with each of its positions in a row.
 *
 * @see https://sqlite.org/fts5.html#full_text_query_syntax
 */
function matchExpression({ columns, text, belongingTo }: TextSearch): string {
  const owners = Object.entries(belongingTo)
    .map(([column, id]) => ` AND ${column} : ${phrase(id.slice(-3))}`)
    .join('');
  return `{${columns.join(' ')}} : (${trigrams(text).map(phrase).join(' AND ')})${owners}`;
}

/** Returns the distinct trigrams of a text. */
function trigrams(text: string): string[] {
  const characters = [...text];
  const all = characters.slice(2).map((_, start) => characters.slice(start, start + 3).join(''));
  return [...new Set(all)];
}

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
