import type { AddressRules } from '../domain/webhooks/webhook-address.ts';

/** Where a URL leads. What its name resolves to is judged when it is dialled. */
export interface OpenTarget {
  readonly refusal: undefined;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

/** A URL, or why it must not be dialled. */
export type Target = OpenTarget | { readonly refusal: string };

/** URLs that are remembered: reading one costs as much as signing an event. */
const mostRemembered = 1_000;

/** Judges URLs by rules that do not change, each once for as long as it is in use. */
export function createTargets(rules: Pick<AddressRules, 'refusedUrl'>): (url: string) => Target {
  const known = new Map<string, Target>();

  function read(url: string): Target {
    const refusal = rules.refusedUrl(url);
    if (refusal !== undefined) return { refusal };
    const { origin, pathname, search } = new URL(url);
    return { refusal, origin, path: pathname + search };
  }

  return (url) => {
    const found = known.get(url);
    if (found !== undefined) return found;
    const target = read(url);
    if (known.size >= mostRemembered) known.clear();
    known.set(url, target);
    return target;
  };
}
