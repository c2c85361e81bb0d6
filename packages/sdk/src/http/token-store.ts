import type { TokenStore, Tokens } from '../options.ts';

/** Keeps the tokens in memory: the session ends with the page or process. */
export function memoryTokenStore(): TokenStore {
  let tokens: Tokens | undefined;
  return {
    get: () => tokens,
    set: (next) => {
      tokens = next;
    },
    clear: () => {
      tokens = undefined;
    },
  };
}

/**
 * Keeps the tokens in `localStorage`: the session outlives the page, and all tabs of an origin share
 * it. Every script of the page can read them there.
 *
 * @param key - name of the entry. Default: `document-vault`
 */
export function localStorageTokenStore(key = 'document-vault'): TokenStore {
  return {
    lockName: key,
    get: () => parseTokens(localStorage.getItem(key)),
    set: (tokens) => localStorage.setItem(key, JSON.stringify(tokens)),
    clear: () => localStorage.removeItem(key),
  };
}

/** Anything that is not a pair of tokens counts as nothing: other scripts write there too. */
function parseTokens(text: string | null): Tokens | undefined {
  try {
    const tokens = JSON.parse(text ?? 'null');
    return typeof tokens?.accessToken === 'string' ? tokens : undefined;
  } catch {
    return undefined;
  }
}
