import { setImmediate } from 'node:timers/promises';
import type { Queries } from '../driver.ts';
import { allOf, type Conditions, countRows, type ListAnchors, type Selection } from './anchors.ts';

/** Rows of a block. Reading as many ids takes about a millisecond. */
export const blockLength = 10_000;

/** Maximum number of lists with cached blocks. */
const listLimit = 256;

export interface IdRange {
  /** Lower bound of the ids, exclusive. */
  readonly after: string;
  /** Upper bound of the ids, exclusive. */
  readonly before: string;
  /** No row with a lesser id will be inserted. */
  readonly settledBefore: string;
}

/** The conditions of a range, the number of its rows, and positions inside it. */
export interface CountedRange extends Conditions {
  readonly totalCount: number;
  readonly anchors: ListAnchors;
}

/**
 * Caches the last id of every block of 10,000 rows. A range is then counted, and a deep page is found, by
 * reading the parts of blocks at its ends. The first count of a long list reads all of its ids, block by
 * block with a yield to the event loop after each. A list grows at its end and loses rows at its start alone.
 */
export class BlockCache {
  readonly #lists = new Map<string, string[]>();

  async count(queries: Queries, list: Selection, range: IdRange): Promise<CountedRange> {
    const ends = this.#endsOf(list);
    await extend(queries, list, { ends, settledBefore: range.settledBefore });
    const { after, before } = range;
    const inside = ends.filter((end) => end > after && end < before);
    const [first] = inside;
    const last = inside.at(-1);
    const conditions = between(list, { after, before });
    const count = (bounds: Bounds) =>
      countRows(queries, { table: list.table, ...between(list, bounds) });
    if (first === undefined || last === undefined) {
      return { ...conditions, totalCount: await count({ after, before }), anchors: none };
    }
    const head = await count({ after, to: first });
    const tail = await count({ after: last, before });
    const totalCount = head + (inside.length - 1) * blockLength + tail;
    const blocks = { ends: inside, head, tail };
    return { ...conditions, totalCount, anchors: anchorsOf(list, range, blocks) };
  }

  clear(): void {
    this.#lists.clear();
  }

  #endsOf({ table, where, parameters }: Selection): string[] {
    const name = JSON.stringify([table, where, parameters]);
    const ends = this.#lists.get(name) ?? [];
    // Moves the list to the end: the least recently used is first.
    this.#lists.delete(name);
    this.#lists.set(name, ends);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > listLimit && oldest !== undefined) this.#lists.delete(oldest);
    return ends;
  }
}

const none: ListAnchors = {
  near: async (_queries, { where, parameters }) => ({ where, parameters, passed: 0 }),
};

/** Adds the ends of the blocks that were completed since the last call. */
async function extend(
  queries: Queries,
  { table, where, parameters }: Selection,
  { ends, settledBefore }: { readonly ends: string[]; readonly settledBefore: string },
): Promise<void> {
  for (;;) {
    const known = ends.length;
    const end = await queries.get<{ id: string }>(
      `SELECT id FROM ${table} ${allOf([...where, 'id > @after'])}
       ORDER BY id LIMIT 1 OFFSET @offset`,
      { ...parameters, after: ends.at(-1) ?? '', offset: blockLength - 1 },
    );
    if (end === undefined || end.id >= settledBefore) return;
    // A concurrent request may have added the same end.
    if (ends.length === known) ends.push(end.id);
    await setImmediate();
  }
}

/** Bounds of ids: `after` and `before` are exclusive, `to` is inclusive. */
type Bounds = { readonly after: string } & ({ readonly before: string } | { readonly to: string });

/** One lower and one upper bound: SQLite would read all rows between two lower bounds. */
function between({ where, parameters }: Selection, bounds: Bounds): Conditions {
  const { after, ...upper } = bounds;
  const [end, condition] = 'to' in upper ? [upper.to, 'id <= @end'] : [upper.before, 'id < @end'];
  return {
    where: [...where, 'id > @after', condition],
    parameters: { ...parameters, after, end },
  };
}

interface InnerBlocks {
  /** The last ids of the blocks that end inside the range. */
  readonly ends: readonly string[];
  /** Rows of the range up to the first end. */
  readonly head: number;
  /** Rows of the range after the last end. */
  readonly tail: number;
}

function anchorsOf(
  list: Selection,
  { after, before }: Pick<IdRange, 'after' | 'before'>,
  { ends, head, tail }: InnerBlocks,
): ListAnchors {
  return {
    async near(_queries, { where, parameters, direction }, offset) {
      const isUpwards = direction === 'asc';
      const start = isUpwards ? head : tail;
      const blocks = Math.min(Math.floor((offset - start) / blockLength), ends.length - 1);
      const end = isUpwards ? ends[blocks] : ends.at(-1 - blocks);
      if (blocks < 0 || end === undefined) return { where, parameters, passed: 0 };
      const rest = isUpwards ? { after: end, before } : { after, to: end };
      return { ...between(list, rest), passed: start + blocks * blockLength };
    },
  };
}
