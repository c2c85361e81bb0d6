import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver, writeToConsole } from '../receiver/receiver.ts';
import { signatureHeader } from '../signature.ts';
import type { Verifier } from '../verifier.ts';
import { closeUnread, type ParsedRequest, type RequestStream, rawBodyOf } from './node-request.ts';

export type * from '../receiver/index.ts';
export type { RequestSocket, RequestStream } from './node-request.ts';

/** The used part of a Node `IncomingMessage`. */
export interface NodeRequest extends RequestStream {
  /** The HTTP method, in capitals. */
  readonly method?: string | undefined;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The used part of a Node `ServerResponse`. */
export interface NodeResponse {
  /** Whether the response has begun. */
  readonly headersSent: boolean;
  /** Begins the response. */
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/**
 * Creates a request listener for Node's `http` and `https` servers that receives webhooks. It reads
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
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const receive = createReceiver(verifier, handlers, options);
  return async (request, response) => {
    const { status, headers, message } = await receive({
      method: request.method,
      signature: request.headers[signatureHeader.toLowerCase()],
      readBody: (reading) => rawBodyOf(request as ParsedRequest, request, reading),
      report: writeToConsole,
    });
    // The app may have responded before, for example after a time limit of its own.
    if (response.headersSent) return;
    response.writeHead(status, { ...headers, ...closeUnread(request) }).end(message);
  };
}
