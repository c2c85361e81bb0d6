import type { Page } from '@document-vault/sdk';
import { type Actor, requireVisible, rowsOf } from './actor.ts';
import { diffOf } from './generated/rules/changes.ts';
import { contains, type ListQuery, toPage } from './listing.ts';
import { type State, type Tables, timestamp } from './state.ts';

interface ResourceCall {
  readonly state: State;
  readonly actor: Actor;
}

interface ListCall extends ResourceCall {
  readonly query: ListQuery<string> & { readonly account?: string | undefined };
}

/** A kind of rows that belong to accounts. */
interface Kind<Row, Item> {
  /** Its name in errors. */
  readonly name: string;
  /** The name of its id in errors. @default the name with `Id` */
  readonly idName?: string;
  readonly table: (tables: Tables) => ReadonlyMap<string, Row>;
  /** Parameters of its list that select rows with an equal value. */
  readonly filters?: readonly (keyof Row)[];
  /** The texts that the parameter `search` of its list is compared with. */
  readonly texts?: readonly (keyof Row)[];
  present(row: Row, call: ResourceCall): Item;
}

/** Makes what the operations of a kind of rows have in common: who sees a row, and lists with filters. */
export function resource<Row extends { readonly userId: string }, Item>({
  name,
  idName = `${name}Id`,
  table,
  filters = [],
  texts = [],
  present,
}: Kind<Row, Item>) {
  /** @throws ServiceError NOT_FOUND */
  const find = (state: State, actor: Actor, id: string): Row =>
    requireVisible(actor, table(state.tables).get(id), name, { [idName]: id });
  return {
    find,
    get: (call: ResourceCall, id: string): Item => present(find(call.state, call.actor, id), call),
    list(call: ListCall): Page<Item> {
      const { state, actor, query } = call;
      const wanted = query as Partial<Record<keyof Row | 'search', unknown>>;
      const isListed = rowsOf(actor, query);
      const rows = [...table(state.tables).values()].filter(
        (row) =>
          isListed(row) &&
          filters.every(
            (filter) => wanted[filter] === undefined || row[filter] === wanted[filter],
          ) &&
          (texts.length === 0 || containsAny(row, texts, wanted.search as string | undefined)),
      );
      // The contract names the columns that rows are sorted by.
      return toPage(rows as (Row & Record<string, never>)[], query, (row) => present(row, call));
    },
  };
}

/** Whether one of the texts of a row contains a part, in any letter case. */
export function containsAny<Row>(
  row: Row,
  texts: readonly (keyof Row)[],
  part: string | undefined,
): boolean {
  return texts.some((text) => contains(row[text] as string | null, part));
}

/** Changes a row. Returns the changed fields; undefined when there are none. */
export function change<Row extends { updatedAt: string }>(
  { now }: State,
  row: Row,
  update: { readonly [Name in keyof Row]?: Row[Name] | undefined },
  fields: readonly (keyof Row & string)[],
) {
  const changed = diffOf(row, { ...row, ...update }, fields);
  if (changed) Object.assign(row, update, { updatedAt: timestamp(now()) });
  return changed;
}
