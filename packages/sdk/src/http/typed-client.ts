import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../generated/openapi.ts';
import type { CallOptions } from '../options.ts';
import type { Door } from './door.ts';
import { fillPath } from './path.ts';

/** The typed client of every operation in the contract. */
export type TypedClient = Client<paths, 'application/json'>;

/**
 * Stands in for `Request`: it only carries what openapi-fetch gave it, options of the call included,
 * so that the door can send URL and init as often as it needs, without a clone per attempt.
 */
class DoorRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** Path template of the operation. */
  path = '';
  readonly #init: CallOptions & { body?: string };

  constructor(
    url: string,
    init: CallOptions & { method: string; headers: Headers; body?: string },
  ) {
    this.url = url;
    this.method = init.method;
    this.headers = init.headers;
    this.#init = init;
  }

  async send(door: Door): Promise<Response> {
    const { method, path } = this;
    const headers = Object.fromEntries(this.headers);
    const { response, text } = await door.send(this.url, { ...this.#init, method, path, headers });
    const { status, statusText, headers: received } = response;
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? text : null, { status, statusText, headers: received });
  }
}

/**
 * Makes the openapi-fetch client that goes through the door. Beside its own options every call takes
 * those of {@link CallOptions}. It answers `{ data, error, response }` as openapi-fetch does, and
 * rejects only when there is no answer. Middleware sees the URL, method and headers of a request.
 */
export function createTypedClient(door: Door, baseUrl: string): TypedClient {
  const client = createClient<paths, 'application/json'>({
    baseUrl,
    pathSerializer: fillPath,
    // openapi-fetch makes requests of this class and hands them to the `fetch` below, nobody else.
    Request: DoorRequest as unknown as typeof Request,
    fetch: (request) => (request as unknown as DoorRequest).send(door),
  });
  client.use({
    onRequest({ request, schemaPath }) {
      (request as unknown as DoorRequest).path = schemaPath;
    },
  });
  return client;
}
