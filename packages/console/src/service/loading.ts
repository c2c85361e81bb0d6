import { type Signal, signal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { userId } from './client.ts';

/** What a screen shows of the service: nothing yet, data, or an error; older data stays while it is loaded again. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): void;
}

interface Entry {
  readonly state: Signal<{ data?: unknown; error?: unknown; isLoading: boolean }>;
  /** When it was loaded, in milliseconds since the epoch; 0 for stale data. */
  loadedAt: number;
  /** Counts the loads, so that an older response never replaces a newer one. */
  loads: number;
}

/** Data is shown without a request for so long, in milliseconds: the free tier has 10 requests a minute. */
const freshFor = 60_000;

const entries = new Map<string, Entry>();

function entryOf(key: string): Entry {
  const known = entries.get(key);
  if (known) return known;
  const entry: Entry = { state: signal({ isLoading: false }), loadedAt: 0, loads: 0 };
  entries.set(key, entry);
  return entry;
}

async function fill<T>(entry: Entry, load: () => Promise<T>): Promise<void> {
  const mine = ++entry.loads;
  entry.state.value = { ...entry.state.value, isLoading: true };
  let next: Entry['state']['value'];
  try {
    next = { data: await load(), isLoading: false };
  } catch (error) {
    next = { ...entry.state.value, error, isLoading: false };
  }
  if (mine !== entry.loads) return;
  entry.state.value = next;
  entry.loadedAt = 'error' in next ? 0 : Date.now();
}

/**
 * Loads data of the service, and shares it under its key: the same key within a minute costs no request.
 *
 * @param key - the name of the data with everything that it depends on, such as `vaults?page=2`; undefined loads nothing
 */
export function useLoaded<T>(key: string | undefined, load: () => Promise<T>): Loaded<T> {
  const entry = entryOf(key ?? '');
  const reload = useCallback(() => void fill(entry, load), [entry, load]);
  // A change marks data as stale while it is shown: the effect runs again then.
  const { data, error, isLoading } = entry.state.value;
  useEffect(() => {
    const isFresh = Date.now() - entry.loadedAt < freshFor;
    // The effect can run after the response that its render was waiting for.
    const isOnItsWay = isLoading || entry.state.peek().isLoading;
    if (key !== undefined && !isFresh && !isOnItsWay) reload();
    // `reload` is another function at each render, and the key names what it depends on.
  }, [key, entry.loadedAt === 0 && error === undefined && !isLoading]);
  const isMissing = data === undefined && error === undefined;
  return { data: data as T | undefined, error, isLoading: isLoading || isMissing, reload };
}

/** Marks data as stale whose key begins with `prefix`: it is loaded again when it is shown. */
export function outdate(prefix: string): void {
  for (const [key, entry] of entries) {
    if (!key.startsWith(prefix)) continue;
    entry.loadedAt = 0;
    entry.loads += 1;
    // A new object: screens that show it render, and load it again.
    entry.state.value = { data: entry.state.value.data, isLoading: false };
  }
}

/** Removes data whose key begins with `prefix`: older data must not be shown while it is loaded again. */
export function forget(prefix: string): void {
  for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
}

/** Whether data has changed since it was loaded. */
export function isOutdated(key: string): boolean {
  return entries.get(key)?.loadedAt === 0;
}

/** Returns data that was loaded before. */
export function loadedBefore<T>(key: string): T | undefined {
  return entries.get(key)?.state.peek().data as T | undefined;
}

/** Shares data that another response contained: that saves a request. */
export function provide<T>(key: string, data: T): void {
  const entry = entryOf(key);
  // A response that is on its way is older.
  entry.loads += 1;
  entry.loadedAt = Date.now();
  entry.state.value = { data, isLoading: false };
}

/** Changes data whose key begins with `prefix`, after a change whose result is known: that saves a request. */
export function amend<T>(prefix: string, change: (data: T) => T): void {
  for (const [key, { state }] of entries) {
    if (key.startsWith(prefix) && state.value.data) {
      state.value = { ...state.value, data: change(state.value.data as T) };
    }
  }
}

/** Replaces a changed row in every list whose key begins with `prefix`, without a request. */
export function replaceRow<T, K extends keyof T>(prefix: string, row: T, id: K): void {
  amend<{ readonly data: readonly T[] }>(prefix, (page) => ({
    ...page,
    data: page.data.map((other) => (other[id] === row[id] ? row : other)),
  }));
}

// Data of one account is never shown to another.
userId.subscribe(() => entries.clear());
