import { UsageError } from './errors.ts';
import type { Scope, TokenPair } from './generated/types.ts';

/** The tokens of a session, as a {@link TokenStore} keeps them. */
export interface Tokens {
  /** JWT for `Authorization: Bearer`. */
  accessToken: string;
  /** Opaque token for one refresh within 30 days. */
  refreshToken: string;
  /** Lifetime of the access token, in seconds. */
  expiresIn: number;
  /** When the access token expires, in milliseconds since the epoch, by the server's clock. */
  expiresAt: number;
  /** Server time minus local time when the token was issued, in milliseconds. @default 0 */
  skew?: number;
}

/** Where a session keeps its tokens. Each method may return a value or a promise. */
export interface TokenStore {
  /** Returns the tokens, or undefined without a session. */
  get(): Tokens | undefined | Promise<Tokens | undefined>;
  /** Replaces the tokens. Calls that wait for a refresh continue when it has resolved. */
  set(tokens: Tokens): void | Promise<void>;
  /** Deletes the tokens: the session has ended. */
  clear(): void | Promise<void>;
  /**
   * Name of the Web Lock (`navigator.locks`) that is held during a refresh, for a store that several
   * tabs or threads share. Without it, or in a runtime without Web Locks, only calls of the same client
   * share a refresh.
   */
  readonly lockName?: string;
  /** Calls `listener` whenever another tab has changed the tokens. A session with `onChange` subscribes once. */
  subscribe?(listener: () => void): void;
}

/**
 * Refreshes and revokes the tokens of a session in another way than the logins of the service.
 * `oauthSession` of the entry `/oauth` makes one. `transport` is that of the client: only entries of this
 * package can use it.
 */
export interface TokenSource {
  /**
   * Exchanges tokens for new ones.
   *
   * @throws {@link SessionExpiredError} when the user must sign in again
   */
  refresh(tokens: Tokens, transport: object, options: CallOptions): Promise<TokenPair>;
  /** Revokes tokens. */
  logout(tokens: Tokens, transport: object, options?: CallOptions): Promise<void>;
}

/** The user of a session, as its access token says. The client does not verify the token. */
export interface SignedIn {
  /** Id of the user. */
  userId: string;
  /** Email address of the user when the token was issued. */
  email: string;
  /** Id of the session, as `auth.sessions.list` shows it. */
  sessionId: string;
  /** What the session may do. That of an administrator has `admin:*`. */
  scopes: Scope[];
}

/** Options of a session. */
export interface SessionOptions {
  /** Where the tokens are kept. @default memoryTokenStore() */
  store?: TokenStore | undefined;
  /**
   * Called once when the session has ended and the user must log in again: the service ended it, or
   * another client of the store logged out. Not called after a logout of this client. An error is logged.
   */
  onExpired?: (() => void) | undefined;
  /**
   * Called after a login, and with undefined after a logout or when the session has ended; in other tabs too, if the
   * store can tell, as that of `localStorage` can. Not called for a refresh. An error is logged.
   */
  onChange?: ((session: SignedIn | undefined) => void) | undefined;
  /** Refreshes and revokes the tokens. @default the logins of the service */
  source?: TokenSource | undefined;
}

/** A clock, for tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds. May resolve or reject earlier when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Timeouts and retries of a call; on the client, the defaults of every call. */
export interface CallLimits {
  /** Timeout of one attempt including the body, in milliseconds. @default 60_000 */
  timeout?: number | undefined;
  /** Timeout of the whole call with its retries and waits, in milliseconds. @default none */
  totalTimeout?: number | undefined;
  /** Maximum number of retries. @default 2 */
  maxRetries?: number | undefined;
  /**
   * Longest wait that the service may ask for, in milliseconds. @default 60_000; in browsers 5_000,
   * because a user is waiting
   */
  maxRetryAfter?: number | undefined;
}

/** Options of a call: the last argument of every method. */
export interface CallOptions extends CallLimits {
  /** Aborts the call in any phase, with an `AbortError`. */
  signal?: AbortSignal | undefined;
  /**
   * Headers of the call's requests; they replace headers of the client with the same name.
   * `Authorization` and `X-API-Key` are refused.
   */
  headers?: Record<string, string> | undefined;
  /** For a POST: repetitions with the same key have no further effect. @default 128 random bits */
  idempotencyKey?: string | undefined;
}

/** An attempt of a call. */
export interface AttemptEvent {
  /** The same for all attempts of a call, random, and never sent. */
  callId: string;
  /** Method and path template, such as `GET /api/v1/vaults/{id}`: a name for spans and metrics. */
  operation: string;
  /** HTTP method, in capitals. */
  method: string;
  /** Path template of the operation, without values and query. */
  path: string;
  /** 1 for the first attempt of a call. */
  attempt: number;
}

/** An attempt that is about to be sent. */
export interface RequestEvent extends AttemptEvent {
  /** Headers by their names in lower case, without credentials. Headers that you add are sent. */
  headers: Record<string, string>;
}

/** An attempt that got a response. */
export interface ResponseEvent extends AttemptEvent {
  /** HTTP status of the response. */
  status: number;
  /** `X-Request-Id` of the response, for support and logs. */
  requestId: string | undefined;
  /** From sending to the end of the body, in milliseconds. */
  durationMs: number;
}

/** An attempt that got no response. */
export interface FailureEvent extends AttemptEvent {
  /** What the call rejects with, unless the attempt is repeated. */
  error: Error;
}

/** A failed attempt that will be repeated. */
export interface RetryEvent extends AttemptEvent {
  /** Why. `expired-token`: the session was refreshed. */
  reason: 'network' | 'timeout' | 'status' | 'expired-token';
  /** HTTP status of the response, if there was one. */
  status: number | undefined;
  /** Wait before the next attempt, in milliseconds. */
  delayMs: number;
}

/** Receives log lines without credentials and content. `console` and a logger of pino have this form. */
export interface Logger {
  /** Logs an attempt or its response. */
  debug(details: object, message: string): void;
  /** Logs an attempt that will be repeated, each wait above 2 seconds for the rate limit, and a failed hook. */
  warn(details: object, message: string): void;
}

/** Options of a `DocumentVault`. */
export interface DocumentVaultOptions extends CallLimits {
  /**
   * URL of the service, such as `https://vault.example.com`. A path prefix is kept; `/api/v1` at the end
   * is not needed and ignored. @default the environment variable `VAULT_URL`, outside browsers
   */
  baseUrl?: string | undefined;
  /**
   * Authenticates by API key (`service_sk_…`), or by a function that returns one before each attempt. For servers:
   * in a browser, its user can read it. @default the environment variable `VAULT_API_KEY`, outside browsers, unless
   * `accessToken` or `session` is given
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Authenticates by access tokens that your program obtains elsewhere. Called before the first attempt, and once
   * more when the service rejects the token; parallel calls share the call. The tokens must be of one user.
   */
  accessToken?: (() => string | Promise<string>) | undefined;
  /** Authenticates a user by `auth.login`. `{}` keeps the session in memory. */
  session?: SessionOptions | undefined;
  /**
   * Headers of every request, for example for a proxy or for tracing. `Authorization` and `X-API-Key`
   * are refused.
   */
  headers?: Record<string, string> | undefined;
  /** Sends the requests. @default the platform's `fetch` */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Allows `http:` to hosts other than the loopback interface. @default false */
  allowInsecureHttp?: boolean | undefined;
  /** Allows an API key in a browser. @default false */
  dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Called before each attempt, which waits for a returned promise. It may add headers. An error of a hook is
   * logged as a warning and changes nothing.
   */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called after each response, of any status. No call waits for it. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called after each attempt without a response: no connection, a timeout, an aborted call. No call waits for it. */
  onFailure?: ((event: FailureEvent) => void) | undefined;
  /** Called before the wait for each retry. No call waits for it. */
  onRetry?: ((event: RetryEvent) => void) | undefined;
  /**
   * Receives log lines. @default `console` when the environment has `VAULT_LOG=debug`. Otherwise, `console.warn` reports
   * only failed hooks and each wait above 2 seconds for the rate limit
   */
  logger?: Logger | undefined;
  /** Replaces the clock in tests. @default the system's clock */
  clock?: Clock | undefined;
  /** Random source of the retry delays, from 0 up to, not including, 1. @default Math.random */
  random?: (() => number) | undefined;
}

/** Options with their defaults. */
export interface Settings extends Omit<DocumentVaultOptions, keyof CallLimits>, ResolvedLimits {
  baseUrl: string;
  clock: Clock;
  random: () => number;
  /** Headers of every request, by names in lower case. */
  headers: Record<string, string>;
}

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    }),
};

/** Runs a hook of the caller. One that throws or rejects is logged and changes nothing. */
export async function runHook(
  { logger = console }: Pick<DocumentVaultOptions, 'logger'>,
  name: string,
  hook: () => unknown,
): Promise<void> {
  try {
    await hook();
  } catch (error) {
    try {
      // The name under which pino writes an error with its message and stack.
      await logger.warn({ err: error }, `${name} failed`);
    } catch {
      // It was the logger that failed.
    }
  }
}

/**
 * Checks the names of options: the type check does not see those of JavaScript.
 *
 * @param names - separated by spaces
 * @throws UsageError that lists them
 */
export function requireKnown(given: unknown, names: string): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null)
    throw new UsageError('options must be an object');
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || names.split(' ').includes(name)) continue;
    throw new UsageError(`${name} is not one of the options: ${names.replaceAll(' ', ', ')}`);
  }
}

/** Limits with their defaults. */
export type ResolvedLimits = { [Option in keyof CallLimits]-?: number };

const defaultLimits: ResolvedLimits = {
  timeout: 60_000,
  totalTimeout: Infinity,
  maxRetries: 2,
  maxRetryAfter: 60_000,
};

/** Maximum delay of a timer, in milliseconds. A longer one fires at once. */
const maxTimer = 2_147_483_647;

/**
 * Checks limits and fills in the defaults. A timer or counter would misread NaN, negative and large
 * numbers.
 *
 * @throws UsageError
 */
export function resolveLimits(given: CallLimits, defaults: ResolvedLimits): ResolvedLimits {
  const limit = (option: keyof CallLimits, min: number) => {
    const value = given[option] ?? defaults[option];
    if ((value >= min && value <= maxTimer) || value === defaults[option]) return value;
    throw new UsageError(`${option} must be a number from ${min} to ${maxTimer}`);
  };
  return {
    timeout: limit('timeout', 1),
    totalTimeout: limit('totalTimeout', 1),
    maxRetries: limit('maxRetries', 0),
    maxRetryAfter: limit('maxRetryAfter', 0),
  };
}

/**
 * Returns headers by their names in lower case.
 *
 * @throws UsageError for credentials and for what is not a header; it quotes no value
 */
export function validateHeaders(headers: Record<string, string> = {}): Record<string, string> {
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

/** Whether `value` is valid in a header. Errors must not quote it: it is a credential. */
export function isHeaderSafe(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

/** Hosts of the loopback interface. */
export const loopback = /^((.+\.)?localhost\.?|127(\.\d+){3}|\[::1\])$/;

/** @throws UsageError that does not quote the credential */
export function requireHeaderSafe(name: string, value: unknown): string {
  if (isHeaderSafe(value)) return value;
  throw new UsageError(`${name} must be non-empty printable ASCII without spaces`);
}

function validateBaseUrl(baseUrl: string | undefined, allowInsecureHttp?: boolean): string {
  if (baseUrl === undefined) throw new UsageError('baseUrl is missing: pass it, or set VAULT_URL');
  if (!URL.canParse(baseUrl)) throw new UsageError('baseUrl must be an absolute URL');
  const { protocol, username, password, hostname, origin, pathname, search, hash } = new URL(
    baseUrl,
  );
  if (!/^https?:$/.test(protocol) || username || password || search || hash) {
    throw new UsageError('baseUrl must be an http(s) URL without credentials, query and fragment');
  }
  if (protocol === 'http:' && !allowInsecureHttp && !loopback.test(hostname)) {
    throw new UsageError('baseUrl must be https; set allowInsecureHttp to allow http');
  }
  // Not `href`: that keeps the `?` of an empty query.
  return (origin + pathname).replace(/(\/api\/v1)?\/*$/, '');
}

/** Whether this is a page or a worker of one. Deno has the classes of workers, too. */
export function isBrowser(): boolean {
  const scope = globalThis as { document?: unknown; Deno?: unknown; WorkerNavigator?: unknown };
  if (scope.Deno !== undefined) return false;
  return typeof scope.document === 'object' || typeof scope.WorkerNavigator === 'function';
}

/** Reads an environment variable. Deno throws without the permission. */
function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** Set by the build. */
declare const SDK_VERSION: string | undefined;

const version = typeof SDK_VERSION === 'string' ? SDK_VERSION : 'source';

/**
 * Checks the options and fills in the defaults.
 *
 * @throws UsageError
 */
export function resolveOptions(options: DocumentVaultOptions): Settings {
  requireKnown(
    options,
    'baseUrl apiKey accessToken session headers fetch allowInsecureHttp dangerouslyAllowBrowser timeout totalTimeout ' +
      'maxRetries maxRetryAfter onRequest onResponse onFailure onRetry logger clock random',
  );
  requireKnown(options.session, 'store onExpired onChange source');
  const { accessToken, session, dangerouslyAllowBrowser } = options;
  const inBrowser = isBrowser();
  const read = inBrowser ? () => undefined : environment;
  const apiKey = options.apiKey ?? (accessToken || session ? undefined : read('VAULT_API_KEY'));
  const settings: Settings = {
    ...options,
    ...resolveLimits(options, {
      ...defaultLimits,
      // A user is waiting: an app that shows the limit is better than one that hangs.
      ...(inBrowser && { maxRetryAfter: 5_000 }),
    }),
    apiKey,
    baseUrl: validateBaseUrl(options.baseUrl ?? read('VAULT_URL'), options.allowInsecureHttp),
    logger: options.logger ?? (read('VAULT_LOG') === 'debug' ? console : undefined),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    headers: {
      accept: 'application/json',
      // Browsers send their own.
      ...(!inBrowser && { 'user-agent': `document-vault-sdk/${version}` }),
      ...validateHeaders(options.headers),
    },
  };
  const given = [apiKey, accessToken, session].filter((one) => one !== undefined).length;
  if (given > 1) throw new UsageError('apiKey, accessToken and session cannot be combined');
  if (accessToken && typeof accessToken !== 'function') {
    throw new UsageError('accessToken must be a function');
  }
  if (apiKey === undefined) return settings;
  if (typeof apiKey !== 'function') requireHeaderSafe('apiKey', apiKey);
  if (inBrowser && !dangerouslyAllowBrowser) {
    throw new UsageError(
      'apiKey can be read in a browser: use a session, or set dangerouslyAllowBrowser',
    );
  }
  return settings;
}
