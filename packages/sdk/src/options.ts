import { UsageError } from './errors.ts';

/** The tokens of a signed-in user, as a {@link TokenStore} keeps them. */
export interface Tokens {
  /** JWT for `Authorization: Bearer`. */
  accessToken: string;
  /** Opaque, for one renewal within 30 days. */
  refreshToken: string;
  /** Lifetime of the access token when it was issued, in seconds. */
  expiresIn: number;
  /** When the access token expires, in milliseconds since the epoch, by the server's clock. */
  expiresAt: number;
  /** How far the server's clock was ahead of this machine's then, in milliseconds. @default 0 */
  skew?: number;
}

/** Where a session keeps its tokens. Every method may answer at once or with a promise. */
export interface TokenStore {
  /** Answers the tokens, or undefined when there are none. */
  get(): Tokens | undefined | Promise<Tokens | undefined>;
  /**
   * Keeps the tokens in place of those before. Nobody who waits for a renewal goes on before it
   * has.
   */
  set(tokens: Tokens): void | Promise<void>;
  /** Forgets the tokens: the session has ended. */
  clear(): void | Promise<void>;
  /**
   * Name of a Web Lock (`navigator.locks`) to hold while renewing, for a store that several tabs or
   * threads share. Without it, or where there are no Web Locks, renewals are kept apart within the
   * client alone.
   */
  readonly lockName?: string;
}

/** How a signed-in user's client behaves. */
export interface SessionOptions {
  /** Where the tokens are kept. @default memoryTokenStore() */
  store?: TokenStore | undefined;
  /**
   * Called once when the session has ended and the user must log in again, also when another client of
   * the store has logged out; not after a logout of this one.
   */
  onExpired?: (() => void) | undefined;
}

/** Time as the client sees it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds, or earlier (it may reject too) once `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Limits of one call; on the client, the defaults of every call. */
export interface Limits {
  /** Time for one attempt including its body, in milliseconds. @default 60_000 */
  timeout?: number | undefined;
  /** Time for the whole call with its retries and waits, in milliseconds. @default none */
  totalTimeout?: number | undefined;
  /** How often a failed attempt is repeated. @default 2 */
  maxRetries?: number | undefined;
  /** The longest wait that a server's "retry after" may ask for, in milliseconds. @default 60_000 */
  maxRetryAfter?: number | undefined;
}

/** What every method takes as its last argument. */
export interface CallOptions extends Limits {
  /** Ends the call in any phase with an `AbortError`. */
  signal?: AbortSignal | undefined;
  /**
   * Headers to add to the call's requests, before those of the client. `Authorization` and `X-API-Key`
   * are refused.
   */
  headers?: Record<string, string> | undefined;
  /** For a POST: the key under which the service does the work once. @default a random UUID */
  idempotencyKey?: string | undefined;
}

/** An attempt about to be sent. */
export interface RequestEvent {
  /** HTTP method, in capitals. */
  method: string;
  /** Path template of the operation, without values and query. */
  path: string;
  /** 1 for the first attempt of a call. */
  attempt: number;
  /** Names in lower case; additions are sent (for tracing, say). Credentials are not in here. */
  headers: Record<string, string>;
}

/** An attempt that was answered. */
export interface ResponseEvent {
  /** HTTP method, in capitals. */
  method: string;
  /** Path template of the operation, without values and query. */
  path: string;
  /** 1 for the first attempt of a call. */
  attempt: number;
  /** HTTP status of the answer. */
  status: number;
  /** `X-Request-Id` of the answer, for support and logs. */
  requestId: string | undefined;
  /** From sending to the end of the body, in milliseconds. */
  durationMs: number;
}

/** An attempt that will be repeated. */
export interface RetryEvent {
  /** HTTP method, in capitals. */
  method: string;
  /** Path template of the operation, without values and query. */
  path: string;
  /** The attempt that failed. */
  attempt: number;
  /** `expired-token`: the session was renewed and the call is replayed. */
  reason: 'network' | 'timeout' | 'status' | 'expired-token';
  /** Status of the answer, if there was one. */
  status: number | undefined;
  /** How long the client waits before the next attempt, in milliseconds. */
  delayMs: number;
}

/** Where the client writes what it does; `console` fits. No line holds credentials or content. */
export interface Logger {
  /** Is told of each attempt and its answer. */
  debug(message: string, details: object): void;
  /** Is told of each attempt that is repeated. */
  warn(message: string, details: object): void;
}

/** Options of a `DocumentVault`. */
export interface DocumentVaultOptions extends Limits {
  /** Where the service is, such as `https://vault.example.com`; a path prefix is kept. */
  baseUrl: string;
  /** Authenticates by API key (`service_sk_…`). For servers: a browser shows it to its user. */
  apiKey?: string | undefined;
  /** Authenticates a user by `auth.login`. @default a session in memory, unless there is an API key */
  session?: SessionOptions | undefined;
  /**
   * Headers to add to every request, such as those that a proxy or a trace needs. `Authorization` and
   * `X-API-Key` are refused.
   */
  headers?: Record<string, string> | undefined;
  /** Sends the requests. @default the platform's `fetch` */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Allows `http:` to hosts other than this machine. @default false */
  allowInsecureHttp?: boolean | undefined;
  /** Allows an API key in a browser. @default false */
  dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Is told of each attempt before it is sent, and may add headers to it. What it throws ends the
   * call.
   */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Is told of each attempt that was answered, with whatever status. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Is told of each attempt that will be repeated, before the wait. */
  onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Where the client writes what it does. @default nowhere */
  logger?: Logger | undefined;
  /** Time as the client sees it, for tests. @default the system's clock */
  clock?: Clock | undefined;
  /** Source of the retry jitter: from 0 up to, not including, 1. @default Math.random */
  random?: (() => number) | undefined;
}

/** Options with every default filled in. */
export interface Settings extends DocumentVaultOptions {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  random: () => number;
  timeout: number;
  totalTimeout: number;
  maxRetries: number;
  maxRetryAfter: number;
}

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      // The signal is of this wait alone, and goes with its listener.
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

const defaults = {
  // Looked up at each call, so that instrumentation installed later is met.
  fetch: (url: string, init: RequestInit) => fetch(url, init),
  clock: systemClock,
  random: () => Math.random(),
  timeout: 60_000,
  totalTimeout: Infinity,
  maxRetries: 2,
  maxRetryAfter: 60_000,
};

/** The longest delay a timer takes, in milliseconds; beyond it, it fires at once. */
const maxTimer = 2_147_483_647;

/**
 * Refuses limits that a timer or counter would misread (NaN, negative, too long).
 *
 * @throws UsageError
 */
export function checkLimits(limits: Limits): void {
  checkLimit(limits, 'timeout', 1);
  checkLimit(limits, 'totalTimeout', 1);
  checkLimit(limits, 'maxRetries', 0);
  checkLimit(limits, 'maxRetryAfter', 0);
}

function checkLimit(limits: Limits, option: keyof Limits, min: number): void {
  const value = limits[option];
  if (value !== undefined && !(value >= min && value <= maxTimer)) {
    throw new UsageError(`${option} must be a number from ${min} to ${maxTimer}`);
  }
}

/**
 * Returns headers by their names in lower case.
 *
 * @throws UsageError for credentials and for what is not a header; it quotes no value
 */
export function checkHeaders(headers: Record<string, string> = {}): Record<string, string> {
  let checked: Headers;
  try {
    checked = new Headers(headers);
  } catch {
    throw new UsageError('headers holds an invalid name or value');
  }
  if (checked.has('authorization') || checked.has('x-api-key')) {
    throw new UsageError('headers must not hold credentials: use apiKey or session');
  }
  return Object.fromEntries(checked);
}

/** Whether `value` can be sent as a header's value; a refusal must never quote it. */
export function isHeaderSafe(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

/** Hosts that are this machine. */
export const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

function checkBaseUrl({ baseUrl, allowInsecureHttp }: DocumentVaultOptions): string {
  const { protocol, username, password, hostname, origin, pathname, search, hash } =
    parseUrl(baseUrl);
  if (!/^https?:$/.test(protocol) || username || password || search || hash) {
    throw new UsageError('baseUrl must be http(s), without credentials, query and fragment');
  }
  if (protocol === 'http:' && !allowInsecureHttp && !loopback.test(hostname)) {
    throw new UsageError('baseUrl must be https, or allowInsecureHttp set');
  }
  // Not `href`: that keeps the `?` of an empty query.
  return (origin + pathname).replace(/\/+$/, '');
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new UsageError('baseUrl must be an absolute URL');
  }
}

/** A window, or a worker of one. Deno has the classes of workers too, and is no browser. */
export function isBrowser(): boolean {
  const scope = globalThis as { document?: unknown; Deno?: unknown; WorkerNavigator?: unknown };
  if (scope.Deno !== undefined) return false;
  return typeof scope.document === 'object' || typeof scope.WorkerNavigator === 'function';
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws UsageError
 */
export function resolveOptions(options: DocumentVaultOptions): Settings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings: Settings = { ...defaults, ...Object.fromEntries(given), baseUrl: '' };
  const { apiKey, session, dangerouslyAllowBrowser } = settings;
  checkLimits(options);
  settings.baseUrl = checkBaseUrl(options);
  if (apiKey === undefined) return settings;
  if (session) throw new UsageError('apiKey and session exclude each other');
  if (!isHeaderSafe(apiKey)) {
    throw new UsageError('apiKey must be printable ASCII without white space');
  }
  if (isBrowser() && !dangerouslyAllowBrowser) {
    throw new UsageError(
      'apiKey is readable in a browser; use a session, or dangerouslyAllowBrowser',
    );
  }
  return settings;
}
