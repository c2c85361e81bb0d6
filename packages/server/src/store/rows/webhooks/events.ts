import type { Dialect, Queries } from '../../driver.ts';
import { BlockCache } from '../../lists/blocks.ts';
import { inSnapshot, mapRows, type PageRequest } from '../../lists/listing.ts';
import type { ListCache } from '../../lists/search.ts';
import { type Row, Table } from '../../table.ts';

export interface EventRecord {
  /** Contains the time of the event. Ids sort by it. */
  readonly id: string;
  readonly type: string;
  /** The account whose webhooks receive it; null: only administrators. */
  readonly userId: string | null;
  readonly instanceId: string;
  /** The envelope, serialized once. Every delivery sends these bytes. */
  readonly body: string;
  /** Whether it contains an example instead of a resource. */
  readonly test: boolean;
}

/** The trace of the request that caused an event. @see https://www.w3.org/TR/trace-context/ */
export interface TraceContext {
  /** The value of the header of this name. */
  readonly traceparent: string;
  /** The value of the header of this name; null without. */
  readonly tracestate: string | null;
}

/** An event with what its deliveries send beside it. */
export interface NewEventRecord extends EventRecord {
  readonly trace?: TraceContext | undefined;
}

export interface EventFilter extends PageRequest {
  /** Null: the events of all accounts. */
  readonly userId: string | null;
  /** Undefined: all types. */
  readonly types: readonly string[] | undefined;
  /** Lower bound of the ids, exclusive. */
  readonly from: string;
  /** Upper bound of the ids, exclusive. */
  readonly before: string;
  /** All events with a lesser id are committed. */
  readonly settledBefore: string;
}

/** A place in the order in which transactions were committed. */
export interface CommitPosition {
  readonly tx: number;
  readonly number: number;
}

/** Where the events end that are committed, and the text that identifies the database. */
export interface EventEnd extends CommitPosition {
  readonly database: string;
}

export interface CommittedFilter extends Pick<EventFilter, 'userId' | 'types' | 'pageSize'> {
  /** Exclusive. */
  readonly after: CommitPosition;
}

export interface CommittedEvents {
  /** The oldest first. */
  readonly rows: EventRecord[];
  /** Where the next page begins. */
  readonly position: CommitPosition;
  readonly hasMore: boolean;
}

/** Rows that a page reads when it has a filter by type. The cursor moves past them. */
const comparedRows = 1_000;

const stored = new Table<EventRecord>({
  name: 'events',
  columns: 'id, type, user_id, instance_id, body, test',
  flags: ['test'],
});

/** Built once: repositories are created for each transaction. */
const insertions = new Map<Dialect, string>();

function insertionOf(dialect: Dialect): string {
  const known = insertions.get(dialect);
  if (known) return known;
  const sql = stored.insertionWith({
    tx: dialect.commitOrder.transaction,
    traceparent: '@traceparent',
    tracestate: '@tracestate',
  });
  insertions.set(dialect, sql);
  return sql;
}

export function eventRepository(queries: Queries, cache?: ListCache) {
  return {
    async insert({ trace, ...event }: NewEventRecord) {
      const { traceparent = null, tracestate = null } = trace ?? {};
      await queries.run(insertionOf(queries.dialect), {
        ...stored.parametersOf(event),
        traceparent,
        tracestate,
      });
    },

    find: (id: string) => stored.first(queries, 'id = @id', { id }),

    /** Returns a page of events without test events, the newest first. */
    async list({ userId, types, from, before, settledBefore, page, pageSize }: EventFilter) {
      const list = {
        table: 'events',
        columns: stored.columns,
        where: ['test = 0', ...(userId === null ? [] : ['user_id = @userId'])],
        residual: types ? [queries.dialect.among('type', 'types')] : [],
        parameters: {
          ...(userId !== null && { userId }),
          ...(types && { types: JSON.stringify(types) }),
        },
      };
      const blocks = cache?.blocks ?? new BlockCache();
      const range = { after: from, before, settledBefore, page, pageSize };
      const read = (snapshot: Queries) => blocks.page<Row>(snapshot, list, range);
      return mapRows(await inSnapshot(queries, { page }, read), (row) => stored.itemOf(row));
    },

    async end(): Promise<EventEnd> {
      const { end, database } = queries.dialect.commitOrder;
      const row = await queries.get<EventEnd>(
        `SELECT ${end.tx} AS tx, ${end.number} AS number, ${database} AS database`,
      );
      return row as EventEnd;
    },

    /** Returns a page of events without test events, in the order of their commits. */
    async committed({ userId, types, after, pageSize }: CommittedFilter): Promise<CommittedEvents> {
      const order = queries.dialect.commitOrder;
      const limit = types ? comparedRows : pageSize + 1;
      const read = await queries.all<CommitPosition & { id: string; type: string }>(
        `SELECT tx, number, id, type FROM events
         WHERE test = 0 ${userId === null ? '' : 'AND user_id = @userId'}
           AND ${order.after} AND ${order.settled}
         ORDER BY tx, number LIMIT @limit`,
        { ...(userId !== null && { userId }), tx: after.tx, number: after.number, limit },
      );
      const chosen = read.filter(({ type }) => !types || types.includes(type)).slice(0, pageSize);
      const isFull = chosen.length === pageSize;
      const { tx, number } = (isFull ? chosen : read).at(-1) ?? after;
      const rows = await queries.all<Row>(
        `SELECT ${stored.columns} FROM events WHERE ${queries.dialect.among('id', 'ids')}
         ORDER BY tx, number`,
        { ids: JSON.stringify(chosen.map(({ id }) => id)) },
      );
      return {
        rows: rows.map((row) => stored.itemOf(row)),
        position: { tx, number },
        hasMore: read.length === limit || (isFull && read.at(-1)?.number !== number),
      };
    },

    /** Returns all events, the oldest first. For tests. */
    async all() {
      const rows = await queries.all<Row>(
        `/* all rows */ SELECT ${stored.columns} FROM events ORDER BY id`,
      );
      return rows.map((row) => stored.itemOf(row));
    },

    /**
     * Reads at most `limit` events between two ids, both exclusive, the oldest first. Deletes those without
     * deliveries.
     *
     * @returns the ids that were read
     */
    async removeUnneeded({
      after,
      before,
      limit,
    }: {
      after: string;
      before: string;
      limit: number;
    }) {
      const rows = await queries.all<{ id: string; needed: number }>(
        `SELECT id, CASE WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id) THEN 1 ELSE 0 END AS needed
         FROM events e WHERE id > @after AND id < @before ORDER BY id LIMIT @limit
         ${queries.dialect.lockFree('e')}`,
        { after, before, limit },
      );
      const unneeded = rows.filter(({ needed }) => needed === 0).map(({ id }) => id);
      await queries.run(`DELETE FROM events WHERE ${queries.dialect.among('id', 'ids')}`, {
        ids: JSON.stringify(unneeded),
      });
      return rows.map(({ id }) => id);
    },
  };
}
