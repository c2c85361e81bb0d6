import { UsageError } from '../errors.ts';
import {
  type CallOptions,
  requireKnown,
  resolveLimits,
  type Settings,
  validateHeaders,
} from '../options.ts';
import type { SessionGeneration } from './credentials.ts';
import type { CallDeadline } from './deadline.ts';
import type { GraphqlBudget } from './graphql-budget.ts';
import { factsOf } from './operation-facts.ts';

/** A request as the transport takes it: that of `fetch`, with the options of the call. */
export interface TransportInit extends Omit<CallOptions, 'signal'> {
  method: string;
  /** Path template of the operation, for errors, hooks and logs. */
  path: string;
  /** JSON, or the bytes of a part of an upload. */
  body?: string | Uint8Array<ArrayBuffer> | Blob | undefined;
  /** The caller reads the body of a success: the attempt ends with the headers. */
  streamed?: boolean;
  signal?: AbortSignal | null | undefined;
  /** Loads a page of an iteration, which waits 30 seconds for an unreachable service. */
  iterated?: boolean;
  /** The session generation in which the call began. @default the current one */
  generation?: SessionGeneration;
  /** Sends an attempt. @default the `fetch` of the client */
  fetch?: Settings['fetch'] | undefined;
  /** Of a GraphQL call: recognizes a 429 for its budget. A client without GraphQL does not load it. */
  budget?: GraphqlBudget | undefined;
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
  /** What the caller gave. */
  readonly init: TransportInit;
  /** Undefined: the platform's. */
  readonly fetch: Settings['fetch'];
  readonly timeout: number;
  readonly maxRetries: number;
  /** The generation in which the call began: a later attempt could be made as another user. */
  readonly generation: SessionGeneration;
  /** Sent without credentials: the rate limit is that of the address. */
  readonly anonymous: boolean;
  /** Whether repeating the work does no harm. */
  readonly idempotent: boolean;
  readonly context: RequestContext;
  /** For hooks; without them, a call needs none. */
  id?: string;
  /** The end of the wait of an iteration for a service that is unreachable, by the client's clock. */
  reconnectUntil?: number | undefined;
  retries: number;
  /** Whether the call was repeated with a new token. */
  refreshed: boolean;
}

/** Names of the options that any call takes. Uploads and downloads pass all their options to the transport. */
export const knownOptions =
  'timeout totalTimeout maxRetries maxRetryAfter signal headers idempotencyKey maxItems content range as cipher ' +
  'vaultId fileName encryptFileName mimeType onProgress size onCheckpoint resume operationName';

/**
 * Starts a call.
 *
 * @throws UsageError when an option is invalid or the URL is not below `baseUrl`
 */
export function startCall(
  url: string,
  init: TransportInit,
  settings: Settings,
  current: SessionGeneration,
): Call {
  const { baseUrl, clock } = settings;
  const { method, path, body, streamed, iterated, generation = current, ...others } = init;
  const { fetch, budget, ...options } = others;
  requireKnown(options, knownOptions);
  const { signal } = options;
  const limits = resolveLimits(init, settings);
  if (!url.startsWith(baseUrl) || url[baseUrl.length] !== '/') {
    throw new UsageError('The URL must be below baseUrl');
  }
  const { anonymous = false, notRepeatable } = factsOf(method, path);
  let { headers } = settings;
  if (body !== undefined) {
    const type = typeof body === 'string' ? 'json' : 'octet-stream';
    headers = { ...headers, 'content-type': `application/${type}` };
  }
  if (init.headers) headers = { ...headers, ...validateHeaders(init.headers) };
  if (method === 'POST' && !anonymous) {
    headers = { 'idempotency-key': init.idempotencyKey ?? randomKey(), ...headers };
  }
  return {
    ...limits,
    url,
    headers,
    init,
    fetch: fetch ?? settings.fetch,
    signal,
    clock,
    endsAt: clock.now() + limits.totalTimeout,
    generation,
    anonymous,
    idempotent: !notRepeatable,
    context: { method, path, attempts: 0 },
    retries: 0,
    refreshed: false,
  };
}

/** 128 random bits. Browsers have `crypto.randomUUID` on secure pages only. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * Puts values into a path template, in its order.
 *
 * @throws UsageError
 */
export function fillPath(path: string, values: readonly unknown[]): string {
  const left = values.values();
  return path.replace(/\{(\w+)\}/g, (_, name) => segment(name, left.next().value));
}

/**
 * Encodes a value for a path. A value is refused if it is empty, or a server could read it as part of
 * another path: a dot segment, also an encoded one.
 *
 * @throws UsageError
 */
export function segment(name: string, value: unknown): string {
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

/**
 * Returns the query of a URL with its question mark; empty when no parameter has a value.
 *
 * @throws UsageError for an unknown name: the service would ignore it and return everything
 */
export function queryString(parameters: object, names: readonly string[]): string {
  let query = '';
  for (const [name, value] of Object.entries(parameters)) {
    if (!names.includes(name)) {
      throw new UsageError(`${name} is not one of ${names.join(', ')}`);
    }
    if (value !== undefined && value !== null) {
      query += `${query ? '&' : '?'}${name}=${encodeURIComponent(value as string)}`;
    }
  }
  return query;
}
