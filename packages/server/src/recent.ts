import type { Clock } from './clock.ts';

export interface RecentOptions<Value> {
  readonly clock: Clock;
  /** Milliseconds that an answer counts as recent, from its beginning on. */
  readonly forMs: number;
  readonly find: () => Promise<Value>;
}

/**
 * Finds something out at most once in a while, however many ask: those that ask meanwhile share one
 * answer, or one failure.
 */
export function recent<Value>({ clock, forMs, find }: RecentOptions<Value>): () => Promise<Value> {
  let latest: { readonly at: number; readonly value: Promise<Value> } | undefined;
  return () => {
    const now = clock.now();
    if (!latest || now - latest.at >= forMs) latest = { at: now, value: find() };
    return latest.value;
  };
}
