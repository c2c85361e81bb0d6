/** The `fetch` of a client, which the main entry loads at its first call. */
import { asVaultError, UsageError } from '../errors.ts';
import { parseUrl } from '../options.ts';
import type { ClientFetch, FetchInit } from './access.ts';
import type { ApiResponse } from './responses.ts';
import type { Transport } from './transport.ts';

/** Sends a request through the transport of a client. */
export async function clientFetch(
  { baseUrl, send }: Transport,
  input: Parameters<ClientFetch>[0],
  { headers, body, signal, method, ...options }: FetchInit = {},
): Promise<Response> {
  try {
    const request = typeof input === 'object' && 'headers' in input ? input : undefined;
    const text = body ?? (await request?.text());
    if (text !== undefined && text !== null && typeof text !== 'string') {
      throw new UsageError('body must be a string');
    }
    const url = urlOf(request?.url ?? String(input), baseUrl);
    const received = await send(url, {
      ...options,
      method: (method ?? request?.method ?? 'GET').toUpperCase(),
      path: templateOf(url.slice(baseUrl.length)),
      headers: Object.fromEntries(new Headers(headers ?? request?.headers)),
      body: text || undefined,
      signal: signal ?? request?.signal,
    });
    return responseOf(received);
  } catch (error) {
    throw asVaultError(error);
  }
}

/** A path is appended to `baseUrl`. Dot segments are resolved before the origin is checked. */
function urlOf(input: string, baseUrl: string): string {
  const url = input.startsWith('/') ? baseUrl + input : input;
  return parseUrl(url, 'fetch needs an absolute URL, or a path that begins with /').href;
}

/** Returns the template of a path with values: ids and share tokens must not get into logs. */
function templateOf(path: string): string {
  return path
    .replace(/[?#].*$/, '')
    .replace(/^(\/api\/v1\/documents\/share\/).+/, '$1{token}')
    .replace(/\/(?!v1\b)[^/]*\d[^/]*/g, '/{id}');
}

/** Makes a response whose body can be read again of one that has been read. */
export function responseOf({ response, text }: ApiResponse): Response {
  // Statuses without a body, such as 204, allow null only.
  return new Response(text || null, response);
}
