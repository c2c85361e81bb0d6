import { writeToConsole } from '../receiver/console.ts';
import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver } from '../receiver/receiver.ts';
import { signatureHeader } from '../signature.ts';
import type { Verifier } from '../verifier.ts';
import { closeUnread } from './connection.ts';
import { type ParsedRequest, type RequestStream, rawBodyOf } from './node-body.ts';

export type * from '../receiver/index.ts';
export type { RequestSocket, RequestStream } from './node-body.ts';

/** What is used of a Node `IncomingMessage`. */
export interface NodeRequest extends RequestStream {
  /** HTTP method, in capitals. */
  readonly method?: string | undefined;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What is used of a Node `ServerResponse`. */
export interface NodeResponse {
  /** Whether the answer has begun. */
  readonly headersSent: boolean;
  /** Begins the answer. */
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/**
 * A listener for requests of Node's `http` and `https` servers that receives webhooks: it reads the
 * raw body, verifies it and runs the handler of the event's type, once for each event. It answers
 * every request that it is given. The README lists the answers. Failures go to `console.error`
 * unless there is an `onError` option.
 *
 * @param verifier what `createVerifier` returned
 * @param handlers what to do, by event type
 * @returns a function that never throws, and whose promise resolves when the answer is written
 * @throws RangeError or TypeError that names the option or the handler which cannot be used
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
    // The app may have responded meanwhile, for example because of a time limit of its own.
    if (response.headersSent) return;
    response.writeHead(status, { ...headers, ...closeUnread(request) }).end(message);
  };
}
