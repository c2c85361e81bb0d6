import type { ClientAccess } from '../http/access.ts';
import { responseOf } from '../http/client-fetch.ts';
import { jsonObject } from '../http/responses.ts';
import type { CallOptions, Clock, Settings } from '../options.ts';

/** Sends requests through the transport of a client, without the client's credentials. */
export interface TokenService {
  readonly baseUrl: string;
  readonly clock: Clock;
  /** Returns the service with another signal for its requests. */
  until(signal: AbortSignal): TokenService & { readonly signal: AbortSignal };
  /**
   * Sends a form. Resolves to a success, or to an error of OAuth (RFC 6749, section 5.2).
   *
   * @throws ApiError for every other response, ConnectionError and TimeoutError
   */
  fetch(
    url: string,
    init: { method: string; headers: Record<string, string>; body: URLSearchParams },
  ): Promise<Response>;
}

/** Creates the service of one call. */
export function tokenService(transport: object, options: CallOptions = {}): TokenService {
  const { baseUrl, settings, send, error } = transport as ClientAccess;
  return {
    baseUrl,
    clock: settings.clock,
    until: (signal) => ({ ...tokenService(transport, { ...options, signal }), signal }),
    async fetch(url, { method, headers, body }) {
      const { authorization, ...others } = headers;
      const path = url.slice(baseUrl.length);
      const received = await send(url, {
        ...options,
        method,
        path,
        headers: others,
        body: String(body),
        fetch: authorization === undefined ? undefined : withHeader(settings, { authorization }),
      });
      if (!isOAuth(received)) throw error(received, { method, path });
      const response = responseOf(received);
      // The body of a 401 says more, and oauth4webapi would read the challenge alone.
      response.headers.delete('www-authenticate');
      return response;
    },
  };
}

/** Adds a header to each attempt only: hooks and logs of the client do not see it. */
function withHeader(settings: Settings, header: Record<string, string>): Settings['fetch'] {
  const send = settings.fetch ?? fetch;
  return (url, init) => send(url, { ...init, headers: { ...init.headers, ...header } });
}

/** Whether a response is a success or an error of OAuth, which its caller reads. */
function isOAuth({ ok, status, text }: { ok: boolean; status: number; text: string }): boolean {
  return ok || (status < 500 && status !== 429 && typeof jsonObject(text)?.error === 'string');
}
