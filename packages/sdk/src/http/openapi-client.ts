import createClient, { type ClientOptions, type Middleware } from 'openapi-fetch';
import type { CallOptions } from '../options.ts';
import type { Door } from './door.ts';
import type { Answer } from './exchange.ts';

/** The one method that the others of an openapi-fetch client come down to, without types. */
export interface OpenApiClient {
  request(method: string, path: string, init: { middleware: Middleware[] }): Promise<unknown>;
}

/** Throws when an answer is none of the service. */
export type AnswerCheck = (answer: Answer, call: { method: string; path: string }) => void;

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

  async send(door: Door, check: AnswerCheck): Promise<Response> {
    const { method, path } = this;
    const headers = Object.fromEntries(this.headers);
    const answer = await door.send(this.url, { ...this.#init, method, path, headers });
    check(answer, { method, path });
    const { response, text } = answer;
    const { status, statusText, headers: received } = response;
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? text : null, { status, statusText, headers: received });
  }
}

/**
 * Makes the openapi-fetch client that goes through the door. This module is loaded by its first call,
 * and shares no code with what has been loaded by then: bundlers would cut that into a piece more.
 */
export function createOpenApiClient(
  door: Door,
  { check, ...options }: Pick<ClientOptions, 'baseUrl' | 'pathSerializer'> & { check: AnswerCheck },
): OpenApiClient {
  const client = createClient<Record<string, Record<string, object>>>({
    ...options,
    // openapi-fetch makes requests of this class and hands them to the `fetch` below, nobody else.
    Request: DoorRequest as unknown as typeof Request,
    fetch: (request) => (request as unknown as DoorRequest).send(door, check),
  });
  client.use({
    onRequest({ request, schemaPath }) {
      (request as unknown as DoorRequest).path = schemaPath;
    },
  });
  return client as unknown as OpenApiClient;
}
