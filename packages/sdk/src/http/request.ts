import { UsageError } from '../errors.ts';
import { type CallOptions, type Settings, validateHeaders, validateLimits } from '../options.ts';
import type { Generation } from './credentials.ts';
import type { CallDeadline } from './deadline.ts';

/** A request as the transport takes it: that of `fetch`, with the options of the call. */
export interface TransportInit extends Omit<CallOptions, 'signal'> {
  method: string;
  /** Path template of the operation, for errors, hooks and logs. */
  path: string;
  body?: string | undefined;
  signal?: AbortSignal | null | undefined;
  /** The session generation in which the call began. @default the current one */
  generation?: Generation;
}

/** Method and path of a call and its number of attempts, for errors, hooks and logs. */
export interface RequestContext {
  readonly method: string;
  readonly path: string;
  attempts: number;
}

/** A call in progress: what stays the same over its attempts, and how far it has come. */
export interface Call extends CallDeadline {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeout: number;
  readonly maxRetries: number;
  /** The generation in which the call began: a later attempt could be made as another user. */
  readonly generation: Generation;
  /** Sent without credentials: the rate limit is that of the address. */
  readonly anonymous: boolean;
  /** Whether repeating the work does no harm. */
  readonly idempotent: boolean;
  readonly context: RequestContext;
  retries: number;
  /** Whether the call was repeated with a new token. */
  refreshed: boolean;
}

const anonymousPath = /^\/(auth|openapi|\.well-known)\//;

/** A refresh token returns the same successor for 10 seconds. */
const idempotentPost = /^\/auth\/(refresh|logout)$/;

/** Opening a share counts as an access, so a lost response must not be fetched again. */
const nonIdempotentGet = '/api/v1/documents/share/{token}';

/**
 * Starts a call.
 *
 * @param defaults - headers of every request
 * @throws UsageError when an option is invalid or the URL is not below `baseUrl`
 */
export function startCall(
  url: string,
  init: TransportInit,
  {
    settings,
    defaults,
    generation,
  }: { settings: Settings; defaults: Record<string, string>; generation: Generation },
): Call {
  const { method, path } = init;
  validateLimits(init);
  const { baseUrl, clock } = settings;
  if (!url.startsWith(baseUrl) || url[baseUrl.length] !== '/') {
    throw new UsageError('The URL must be below baseUrl');
  }
  const anonymous = anonymousPath.test(path);
  let headers = defaults;
  if (init.body !== undefined) headers = { ...headers, 'content-type': 'application/json' };
  if (init.headers) headers = { ...headers, ...validateHeaders(init.headers) };
  if (method === 'POST' && !anonymous) {
    headers = { 'idempotency-key': init.idempotencyKey ?? randomKey(), ...headers };
  }
  return {
    url,
    headers,
    body: init.body ?? null,
    signal: init.signal,
    timeout: init.timeout ?? settings.timeout,
    maxRetries: init.maxRetries ?? settings.maxRetries,
    maxRetryAfter: init.maxRetryAfter ?? settings.maxRetryAfter,
    clock,
    endsAt: clock.now() + (init.totalTimeout ?? settings.totalTimeout),
    generation: init.generation ?? generation,
    anonymous,
    idempotent:
      path !== nonIdempotentGet &&
      (method !== 'POST' || 'idempotency-key' in headers || idempotentPost.test(path)),
    context: { method, path, attempts: 0 },
    retries: 0,
    refreshed: false,
  };
}

/** 128 random bits. Browsers have `crypto.randomUUID` on secure pages only. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Split path templates, text and names alternating: at most one for each path of the contract. */
const templates: Record<string, readonly string[]> = {};

/**
 * Puts values into a path template. A value is refused if it is empty, or a server could read it as
 * part of another path: a dot segment, also an encoded one.
 *
 * @throws UsageError
 */
export function fillPath(template: string, values: Record<string, unknown>): string {
  templates[template] ??= template.split(/[{}]/);
  return templates[template].reduce(
    (path, part, n) => path + (n % 2 ? segment(part, values[part]) : part),
  );
}

function segment(name: string, value: unknown): string {
  // The usual case: an id.
  if (typeof value === 'string' && /^[\w-]+$/.test(value)) return value;
  if (!isSegment(value)) throw new UsageError(`${name} is not valid in a path`);
  return encodeURIComponent(value);
}

function isSegment(value: unknown): value is string {
  // A lone surrogate has no encoding.
  if (typeof value !== 'string' || /^$|\p{Surrogate}/u.test(value)) return false;
  const plain = value.replace(/%(25)*2e/gi, '.').replace(/%(25)*(2f|5c)|\\/gi, '/');
  return !/(^|\/)\.\.?(\/|$)/.test(plain);
}

/** Returns the template of a path with values: ids and share tokens must not get into logs. */
export function templateOf(path: string): string {
  return path
    .replace(/[?#].*$/, '')
    .replace(/^(\/api\/v1\/documents\/share\/).+/, '$1{token}')
    .replace(/\/(?!v1\b)[^/]*\d[^/]*/g, '/{id}');
}

/** Returns the query of a URL with its question mark; empty when no parameter has a value. */
export function queryString(parameters: Record<string, unknown>): string {
  let query = '';
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null) {
      query += `${query ? '&' : '?'}${name}=${encodeURIComponent(value as string)}`;
    }
  }
  return query;
}
