import createClient, { type Client } from 'openapi-fetch';
import type { DocumentVault } from '../client.ts';
import type { components, operations, paths } from '../generated/openapi.ts';
import { accessOf, type ClientAccess } from '../http/access.ts';
import { knownOf, responseOf } from '../http/client-fetch.ts';
import { factsOf } from '../http/operation-facts.ts';
import { segment } from '../http/request.ts';
import type { CallOptions } from '../options.ts';

// Public, so that declarations of apps can name the type of their client, and its schemas and operations.
export type { components, operations, paths };

/** The openapi-fetch client of every operation in the contract. */
export type HttpClient = Client<paths, 'application/json'>;

/** What openapi-fetch gives to the constructor of a request. */
type Init = Omit<CallOptions, 'headers'> & { method: string; headers: Headers; body?: string };

/**
 * Replaces `Request` in openapi-fetch. It carries the URL and the init, call options included, so that
 * the transport can send them as often as it needs: cloning a `Request` costs time for each attempt.
 */
class ClientRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** Path template of the operation. */
  path = '';
  readonly #init: Init;

  constructor(url: string, init: Init) {
    this.url = url;
    this.method = init.method;
    this.headers = init.headers;
    this.#init = init;
  }

  async send(access: ClientAccess): Promise<Response> {
    const { method, path } = this;
    const headers = Object.fromEntries(this.headers);
    const { bytes: streamed = false } = factsOf(method, path);
    const { body } = this.#init;
    const init = { ...knownOf(this.#init), body, method, path, headers, streamed };
    const received = await access.send(this.url, init);
    if (streamed && received.ok) return received.response;
    // openapi-fetch would quote a body that it cannot parse in its error.
    if (received.ok || received.status > 599) access.data(received, { method, path });
    return responseOf(received);
  }
}

/**
 * Creates the [openapi-fetch](https://openapi-ts.dev/openapi-fetch/) client of a `DocumentVault`, with
 * its credentials, session, retries and timeouts. Each call also takes the options of
 * {@link CallOptions}. It resolves to `{ data, error, response }`: an error of the service is `error`,
 * and only a missing or unreadable response rejects. Middleware sees URL, method and headers of the
 * request.
 *
 * @throws UsageError when `client` is not a `DocumentVault`
 * @example
 * const http = createHttpClient(client);
 * const { data, error } = await http.GET('/api/v1/users/me');
 */
export function createHttpClient(client: DocumentVault): HttpClient {
  const access = accessOf(client);
  const http: HttpClient = createClient({
    baseUrl: access.baseUrl,
    pathSerializer: (template, values) =>
      template.replace(/\{(\w+)\}/g, (_, name) => segment(name, values[name])),
    // openapi-fetch only constructs requests of this class and hands them to the `fetch` below.
    Request: ClientRequest as unknown as typeof Request,
    fetch: (request) => (request as unknown as ClientRequest).send(access),
  });
  http.use({
    onRequest({ request, schemaPath }) {
      (request as unknown as ClientRequest).path = schemaPath;
    },
  });
  return http;
}
