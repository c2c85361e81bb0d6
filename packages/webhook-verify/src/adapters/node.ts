import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver, writeToConsole } from '../receiver/receiver.ts';
import type { Verifier } from '../verifier.ts';
import { type ParsedRequest, type RequestStream, rawBodyOf } from './node-request.ts';
import { type NodeResponse, refuseUnread } from './node-response.ts';

export type { RequestStream } from './node-request.ts';
export type { NodeResponse, ResponseSocket } from './node-response.ts';

/** The used part of a Node `IncomingMessage`. */
export interface NodeRequest extends RequestStream {
  /** The HTTP method, in capitals. */
  readonly method?: string | undefined;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Creates a request listener for Node's `http` and `https` servers, and a handler for Express, that receives webhooks. It reads
 * the raw body, verifies it and runs the handler of the event's type once for each event. It responds
 * to every request. `docs/options.md` lists the responses. Errors go to `console.error` unless there is an
 * `onError` option.
 *
 * @param verifier the result of `createVerifier`
 * @param handlers a handler for each event type
 * @returns a function that never throws, and whose promise resolves when the response is written
 * @throws RangeError or TypeError that names the invalid option or handler
 * @example
 * ```ts
 * createServer(nodeReceiver(webhooks, handlers)).listen(3000);
 * ```
 */
export function nodeReceiver(
  verifier: Verifier,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const receive = createReceiver(verifier, handlers, options);
  return async (request, response) => {
    const received = await receive({
      method: request.method,
      headers: request.headers,
      readBody: (reading) => rawBodyOf(request as ParsedRequest, request, reading),
      report: writeToConsole,
    });
    // The app may have responded before, for example after a time limit of its own.
    if (response.headersSent || refuseUnread(request, response, received)) return;
    const { status, headers, message } = received;
    response.writeHead(status, { ...headers }).end(message);
  };
}
