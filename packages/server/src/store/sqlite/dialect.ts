import type { Dialect, TextSearch } from '../driver.ts';

/** Rows that one statement adds to a search index. Single rows would cost ten times as much. */
const groupSize = 128;

/** Rows that INSTR compares in one statement, for long and for short texts. The longest rows take some twenty milliseconds. */
const minCompared = 10;
const maxCompared = 200;

/** Trigrams of a search. Each is a list that the index walks, before it returns the first row. */
const maxTrigrams = 8;

/** Rows times characters of the text that INSTR compares in one statement. */
const comparedCharacters = 10_000;

/** Bits of a row's number inside its slice. The index walks the lists of a slice in some ten milliseconds at most. */
const sliceBits = 16;

/** Adds the group that ends with the row `@number`. The ends of the owners' ids narrow a search. */
const groupIndexing = {
  vaults: `INSERT INTO vault_search (rowid, name, description, owner, slice)
    SELECT number, name_folded, description_folded, substr(user_id, -3),
      printf('%03x', number >> ${sliceBits})
    FROM vaults WHERE number > @number - ${groupSize} AND number <= @number`,
  documents: `INSERT INTO document_search (rowid, name, owner, vault, slice)
    SELECT number, file_name_folded, substr(user_id, -3), substr(vault_id, -3),
      printf('%03x', number >> ${sliceBits})
    FROM documents WHERE number > @number - ${groupSize} AND number <= @number`,
} as const;

function elements(parameter: string): string {
  return `SELECT value FROM json_each(@${parameter})`;
}

/** SQL that only SQLite runs: JSON1 and FTS5 with trigrams. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',

  tables: `SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,

  // Transactions run one after the other.
  lock: () => '',
  keep: () => '',
  lockFree: () => '',
  reserve: () => undefined,
  clock: undefined,
  snapshots: undefined,
  commitOrder: {
    transaction: '0',
    // Of a comparison of both, the index would find the transaction alone, which all rows have.
    after: 'tx = @tx AND number > @number',
    settled: '1 = 1',
    // Of rows that were deleted too: numbers are not used twice.
    end: {
      tx: '0',
      number: "COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)",
    },
    database: "''",
  },

  elements,
  among: (column, parameter) => `${column} IN (${elements(parameter)})`,

  joinEach: (table, key, selection) =>
    `JOIN ${table} t ON t.${key} IN (SELECT ${key} ${selection})`,

  // LIKE compares character by character. Some texts make it a thousand times slower than INSTR.
  contains: (column, parameter) => `INSTR(${column}, @${parameter}) > 0`,

  // The comparison blocks the event loop. In repeating texts, INSTR compares the whole text at each position.
  comparedAtOnce: (text) =>
    Math.max(minCompared, Math.min(maxCompared, Math.floor(comparedCharacters / text.length))),

  // Rows are indexed in groups. The rows after the last complete group are read directly.
  countedAtOnce: 20_000,
  sliceLength: 1 << sliceBits,
  candidates: (search, slice) => ({
    sql: `SELECT number, 1 AS found FROM (
        SELECT rowid AS number FROM ${search.index} WHERE ${search.index} MATCH @match
        LIMIT @limit
      ) f
      UNION ALL SELECT number, 0 FROM ${search.table}
      WHERE number > (SELECT MAX(number) FROM ${search.table}) / ${groupSize} * ${groupSize}`,
    parameters: { match: matchExpression(search, slice) },
  }),

  indexing: (table, number) => (number % groupSize === 0 ? groupIndexing[table] : undefined),
};

/**
 * Matches rows that contain trigrams that together cover the text, in any order. Finding a long text as a phrase would
 * compare each of its trigrams with each of its positions in a row. All trigrams, which overlap, would take three
 * times as long and exclude few rows more.
 *
 * @see https://sqlite.org/fts5.html#full_text_query_syntax
 */
function matchExpression({ columns, text, belongingTo }: TextSearch, slice?: number): string {
  const owners = Object.entries(belongingTo)
    .map(([column, id]) => ` AND ${column} : ${phrase(id.slice(-3))}`)
    .join('');
  const inSlice =
    slice === undefined ? '' : ` AND slice : ${phrase(slice.toString(16).padStart(3, '0'))}`;
  return `{${columns.join(' ')}} : (${trigrams(text).map(phrase).join(' AND ')})${owners}${inSlice}`;
}

/** Returns distinct trigrams that cover a text: each third one, and the last. Of a long text, some that are spread over it. */
function trigrams(text: string): string[] {
  const characters = [...text];
  const last = characters.length - 3;
  const starts = Array.from({ length: Math.ceil(last / 3) }, (_, index) => 3 * index);
  const all = new Set([...starts, last].map((at) => characters.slice(at, at + 3).join('')));
  const spread = Math.max(1, (all.size - 1) / (maxTrigrams - 1));
  return [...all].filter(
    (_, index) => Math.floor(index / spread) > Math.floor((index - 1) / spread),
  );
}

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
