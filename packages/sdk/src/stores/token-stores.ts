/** Where sessions keep their tokens. */
import { fromBase64Url, toBase64Url } from '../crypto/base64.ts';
import { UsageError } from '../errors.ts';
import { jsonObject } from '../http/responses.ts';
import type { TokenStore, Tokens } from '../options.ts';

/**
 * Keeps the tokens in `localStorage`. The session outlives the page, and all tabs of an origin share
 * it. Every script of the page can read the tokens.
 *
 * @param key - name of the entry in `localStorage` and of the Web Lock. Default: `document-vault`
 * @example
 * const store = localStorageTokenStore();
 * const client = new DocumentVault({ baseUrl, session: { store } });
 */
export function localStorageTokenStore(key = 'document-vault'): TokenStore {
  return {
    lockName: key,
    get: () => parseTokens(storage().getItem(key)),
    set: (tokens) => storage().setItem(key, JSON.stringify(tokens)),
    clear: () => storage().removeItem(key),
    subscribe(listener) {
      // Deno has `localStorage` too, but no such events.
      globalThis.addEventListener?.('storage', (event) => {
        if (event.key === key || event.key === null) listener();
      });
    },
  };
}

/** Browsers refuse access when the user blocks data of sites. Other runtimes have none, or it is undefined. */
function storage(): Storage {
  let cause: unknown;
  try {
    const found: Storage | undefined = localStorage;
    if (found) return found;
  } catch (error) {
    cause = error;
  }
  throw new UsageError('localStorage is missing or blocked here: use another token store', {
    cause,
  });
}

/** Others can write to where tokens are kept: anything that is not a pair of tokens is ignored. */
function parseTokens(text: string | null): Tokens | undefined {
  const tokens = jsonObject(text ?? '');
  return typeof tokens?.accessToken === 'string' ? (tokens as unknown as Tokens) : undefined;
}

/** How a cookie is set. Next.js, SvelteKit, Hono and Express take these names. */
export interface CookieAttributes {
  /** Scripts of the page do not see the cookie. */
  httpOnly: true;
  /** Sent by https only, and on this machine. */
  secure: true;
  /** Other sites send it with links only. */
  sameSite: 'lax';
  /** Sent with every path. */
  path: '/';
  /** Seconds. */
  maxAge: number;
}

/** The cookies of one request and its response, as `cookies()` of Next.js and `event.cookies` of SvelteKit are. */
export interface Cookies {
  /** Returns the value of a cookie, or an object with it. */
  get(name: string): string | { readonly value: string } | undefined;
  /** Sets a cookie of the response. */
  set(name: string, value: string, attributes: CookieAttributes): unknown;
}

/** The lifetime of a refresh token, in seconds. */
const cookieLifetime = 30 * 24 * 3_600;

/**
 * Keeps the tokens in a cookie that scripts cannot read, for servers that render pages for users. Create a store and a
 * client for each request. Parallel requests with the same cookie may each refresh the tokens: within 10 seconds, the
 * service returns the same new tokens to all of them.
 *
 * @param cookies - those of the request
 * @param name - of the cookie. Default: `document-vault`
 * @example
 * const store = cookieTokenStore(await cookies()); // of next/headers
 * const client = new DocumentVault({ baseUrl, session: { store } });
 */
export function cookieTokenStore(cookies: Cookies, name = 'document-vault'): TokenStore {
  const set = (value: string, maxAge: number) => {
    cookies.set(name, value, { httpOnly: true, secure: true, sameSite: 'lax', path: '/', maxAge });
  };
  let tokens = decodeTokens(cookies.get(name));
  return {
    get: () => tokens,
    set(next) {
      tokens = next;
      set(toBase64Url(new TextEncoder().encode(JSON.stringify(next))), cookieLifetime);
    },
    clear() {
      tokens = undefined;
      set('', 0);
    },
  };
}

function decodeTokens(cookie: ReturnType<Cookies['get']>): Tokens | undefined {
  const value = typeof cookie === 'object' ? cookie.value : (cookie ?? '');
  try {
    return parseTokens(new TextDecoder().decode(fromBase64Url(value)));
  } catch {
    return undefined;
  }
}
