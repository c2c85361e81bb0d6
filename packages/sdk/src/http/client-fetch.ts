/** The `fetch` of a client. */
import { UsageError } from '../errors.ts';
import type { CallOptions } from '../options.ts';
import type { ClientFetch, FetchInit } from './access.ts';
import { budget, graphqlPath } from './graphql-budget.ts';
import { factsOf } from './operation-facts.ts';
import { knownOptions } from './request.ts';
import type { ApiResponse } from './responses.ts';
import type { Transport } from './transport.ts';

/**
 * Sends a request through the transport of a client.
 *
 * @throws UsageError when an argument is invalid
 */
export async function clientFetch(
  { baseUrl, send }: Transport,
  input: Parameters<ClientFetch>[0],
  { headers, body, signal, method, ...options }: FetchInit = {},
): Promise<Response> {
  const request = typeof input === 'object' && 'headers' in input ? input : undefined;
  const text = body ?? (await request?.text());
  if (text !== undefined && text !== null && typeof text !== 'string') {
    throw new UsageError('body must be a string');
  }
  const url = urlOf(request?.url ?? String(input), baseUrl);
  const path = templateOf(url.slice(baseUrl.length));
  const used = (method ?? request?.method ?? 'GET').toUpperCase();
  // Bytes would be lost as text: their body is left to the caller.
  const { bytes = false } = factsOf(used, path);
  const received = await send(url, {
    ...knownOf(options),
    method: used,
    path,
    streamed: bytes,
    budget: path === graphqlPath ? budget : undefined,
    headers: Object.fromEntries(new Headers(headers ?? request?.headers)),
    body: text || undefined,
    signal: signal ?? request?.signal,
  });
  return bytes && received.ok ? received.response : responseOf(received);
}

/** Other libraries pass the options of `fetch`, too. */
export function knownOf(options: object): CallOptions {
  const names = knownOptions.split(' ');
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}

/** A path is appended to `baseUrl`. Dot segments are resolved before the origin is checked. */
function urlOf(input: string, baseUrl: string): string {
  try {
    return new URL(input.startsWith('/') ? baseUrl + input : input).href;
  } catch {
    throw new UsageError('fetch needs an absolute URL, or a path that begins with /');
  }
}

/** Returns the template of a path with values: ids and share tokens must not get into logs. */
function templateOf(path: string): string {
  return path
    .replace(/[?#].*$/, '')
    .replace(/^(\/api\/v1\/)(documents\/share|shares)\/.+/, '$1documents/share/{token}')
    .replace(/^(\/api\/v1\/contents\/).+/, '$1{ticket}')
    .replace(/\/(?!v1\b)[^/]*\d[^/]*/g, '/{id}');
}

/** Makes a response whose body can be read again of one that has been read. */
export function responseOf({ response, text }: ApiResponse): Response {
  // Statuses without a body, such as 204, allow null only.
  return new Response(text || null, response);
}
