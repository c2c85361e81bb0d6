import type { List, Page } from '@document-vault/sdk';
import { send } from '../service/client.ts';
import { type Loaded, useLoaded } from '../service/loading.ts';
import { listQuery, type Query, useQuery } from '../service/query.ts';
import type { Exported } from './export.tsx';

/** A list of the service. Its filters, order and page are in the address. */
export interface ListState<T> {
  /** The beginning of its keys among the loaded data, and the name of exported files. */
  readonly name: string;
  readonly query: Query;
  readonly loaded: Loaded<Page<T>>;
  /** All rows that the filters match. */
  readonly all: () => Exported<T>;
  /** The names of the filters in the address. */
  readonly filterNames: readonly string[];
}

/** Reads a filter from the address, which users can edit. Undefined is no filter. */
type ReadFilter = (text: string) => string | boolean | undefined;

/** Reads one of the values that the contract knows. */
export function oneOf(known: readonly string[]): ReadFilter {
  return (text) => (known.includes(text) ? text : undefined);
}

interface ListOptions<T> {
  /** The filters of the list, by the contract's names. */
  readonly filters?: Readonly<Record<string, ReadFilter>>;
  /** @default name */
  readonly key?: string;
  /** Gets each page when it is loaded. */
  readonly onPage?: (page: Page<T>) => void;
}

/** Loads the page of a list that the address selects. */
export function useList<T, F>(
  name: string,
  list: (filters: F) => List<T>,
  { filters = {}, key = name, onPage }: ListOptions<T> = {},
): ListState<T> {
  const query = useQuery();
  const chosen = Object.entries(filters).map(([filter, read]) => {
    const text = query.values[filter];
    return [filter, text ? read(text) : undefined] as const;
  });
  const used = Object.fromEntries(chosen.filter(([, value]) => value !== undefined));
  const asked = { ...listQuery(query.values), ...used } as F;
  const loaded = useLoaded(`${key}?${JSON.stringify(asked)}`, async () => {
    const page = await send(list(asked));
    onPage?.(page);
    return page;
  });
  return { name, query, loaded, all: () => list(asked), filterNames: Object.keys(filters) };
}
