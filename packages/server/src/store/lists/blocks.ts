import { setImmediate } from 'node:timers/promises';
import type { Queries } from '../driver.ts';
import { allOf, type Conditions, countRows, type Selection } from './anchors.ts';
import type { PageRequest, Rows } from './listing.ts';

/** Rows of a block. Reading as many ids takes about a millisecond. */
export const blockLength = 10_000;

/** Maximum number of lists with cached blocks. */
const listLimit = 256;

export interface BlockListing extends Selection {
  readonly columns: string;
  /** Conditions that no index covers. The blocks are those of the list without them. */
  readonly residual: readonly string[];
}

export interface IdRange extends PageRequest {
  /** Lower bound of the ids, exclusive. */
  readonly after: string;
  /** Upper bound of the ids, exclusive. */
  readonly before: string;
  /** No row with a lesser id will be inserted. */
  readonly settledBefore: string;
}

interface Block {
  /** The id of its last row. */
  readonly end: string;
  /** Its rows that meet the residual conditions. */
  readonly count: number;
}

/** Rows that follow each other, with the number of those that meet the residual conditions. */
interface Part extends Conditions {
  readonly count: number;
}

/**
 * Caches the last id of every block of 10,000 rows, and how many of them a filter finds. A range is then counted, and a
 * page is found, by reading the blocks at its ends and those that the page has rows of. The first page of a long list
 * reads all of its ids, block by block with a yield to the event loop after each statement. A list grows at its end and loses rows
 * at its start alone.
 */
export class BlockCache {
  readonly #lists = new Map<string, Block[]>();

  /** Returns a page of the rows with ids in a range, the greatest id first. */
  async page<Row>(queries: Queries, list: BlockListing, range: IdRange): Promise<Rows<Row>> {
    const blocks = this.#blocksOf(list);
    await extend(queries, list, { blocks, settledBefore: range.settledBefore });
    const parts = await partsOf(queries, list, { blocks, range });
    const rows: Row[] = [];
    let skipped = (range.page - 1) * range.pageSize;
    for (const part of parts.toReversed()) {
      if (rows.length === range.pageSize) break;
      if (part.count > skipped) {
        if (rows.length > 0) await setImmediate();
        const limit = range.pageSize - rows.length;
        rows.push(...(await rowsOf<Row>(queries, list, { part, limit, offset: skipped })));
      }
      skipped = Math.max(0, skipped - part.count);
    }
    return { rows, totalCount: parts.reduce((total, { count }) => total + count, 0) };
  }

  clear(): void {
    this.#lists.clear();
  }

  #blocksOf({ table, where, residual, parameters }: BlockListing): Block[] {
    const name = JSON.stringify([table, where, residual, parameters]);
    const blocks = this.#lists.get(name) ?? [];
    // Moves the list to the end: the least recently used is first.
    this.#lists.delete(name);
    this.#lists.set(name, blocks);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > listLimit && oldest !== undefined) this.#lists.delete(oldest);
    return blocks;
  }
}

/** Adds the blocks that were completed since the last call. */
async function extend(
  queries: Queries,
  list: BlockListing,
  { blocks, settledBefore }: { readonly blocks: Block[]; readonly settledBefore: string },
): Promise<void> {
  const { table, where, parameters, residual } = list;
  for (;;) {
    const known = blocks.length;
    const after = blocks.at(-1)?.end ?? '';
    const end = await queries.get<{ id: string }>(
      `SELECT id FROM ${table} ${allOf([...where, 'id > @after'])}
       ORDER BY id LIMIT 1 OFFSET @offset`,
      { ...parameters, after, offset: blockLength - 1 },
    );
    if (end === undefined || end.id >= settledBefore) return;
    const bounds = { after, to: end.id };
    if (residual.length > 0) await setImmediate();
    const count =
      residual.length === 0 ? blockLength : (await counted(queries, list, bounds)).count;
    // A concurrent request may have added the same block.
    if (blocks.length === known) blocks.push({ end: end.id, count });
    await setImmediate();
  }
}

/** Divides a range at the ends of blocks. */
async function partsOf(
  queries: Queries,
  list: BlockListing,
  { blocks, range }: { readonly blocks: readonly Block[]; readonly range: IdRange },
): Promise<Part[]> {
  const { after, before } = range;
  const [first, ...others] = blocks.filter(({ end }) => end > after && end < before);
  if (first === undefined) return [await counted(queries, list, { after, before })];
  const parts = [await counted(queries, list, { after, to: first.end })];
  let last = first.end;
  for (const { end, count } of others) {
    parts.push({ ...between(list, { after: last, to: end }), count });
    last = end;
  }
  return [...parts, await counted(queries, list, { after: last, before })];
}

async function counted(queries: Queries, list: BlockListing, bounds: Bounds): Promise<Part> {
  const part = between(list, bounds);
  return { ...part, count: await countRows(queries, { table: list.table, ...part }) };
}

async function rowsOf<Row>(
  queries: Queries,
  { table, columns }: BlockListing,
  {
    part: { where, parameters },
    ...range
  }: { readonly part: Part; readonly limit: number; readonly offset: number },
): Promise<Row[]> {
  return queries.all<Row>(
    `SELECT ${columns} FROM ${table} WHERE id IN (
       SELECT id FROM ${table} ${allOf(where)} ORDER BY id DESC LIMIT @limit OFFSET @offset
     ) ORDER BY id DESC`,
    { ...parameters, ...range },
  );
}

/** Bounds of ids: `after` and `before` are exclusive, `to` is inclusive. */
type Bounds = { readonly after: string } & ({ readonly before: string } | { readonly to: string });

/** One lower and one upper bound: SQLite would read all rows between two lower bounds. */
function between({ where, residual, parameters }: BlockListing, bounds: Bounds): Conditions {
  const { after, ...upper } = bounds;
  const [end, condition] = 'to' in upper ? [upper.to, 'id <= @end'] : [upper.before, 'id < @end'];
  return {
    where: [...where, ...residual, 'id > @after', condition],
    parameters: { ...parameters, after, end },
  };
}
