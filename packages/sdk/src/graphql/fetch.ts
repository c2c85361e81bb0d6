import { UsageError } from '../errors.ts';
import type { GraphqlAccess } from '../http/access.ts';

/** What other GraphQL clients take as their `fetch`. */
export type GraphqlFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Makes a `fetch` that posts to GraphQL through a client's door. An answer of any status is an answer
 * here.
 *
 * @throws UsageError, in what it makes, for another address or a body that is no string; otherwise
 * what the door throws
 */
export function createGraphqlFetch(access: GraphqlAccess): GraphqlFetch {
  return async (input, { headers, body, signal } = {}) => {
    if (String(input) !== access.url) throw new UsageError(`This fetch is for ${access.url} alone`);
    if (typeof body !== 'string') throw new UsageError('This fetch takes a string as its body');
    const { response, text } = await access.send({
      headers: Object.fromEntries(new Headers(headers)),
      body,
      signal: signal ?? undefined,
    });
    const { status, statusText, headers: received } = response;
    return new Response(text, { status, statusText, headers: received });
  };
}
