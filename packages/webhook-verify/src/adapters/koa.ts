import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver } from '../receiver/receiver.ts';
import { signatureHeader } from '../signature.ts';
import type { Verifier } from '../verifier.ts';
import { closeUnread } from './connection.ts';
import { type ParsedRequest, type RequestStream, rawBodyOf } from './node-body.ts';

export type * from '../receiver/index.ts';
export type { RequestSocket, RequestStream } from './node-body.ts';

/** What is used of a Koa context; that of any Koa version from 2 on fits. */
export interface KoaContext {
  /** Where failures are emitted. */
  readonly app: { emit(event: 'error', error: Error, context: unknown): unknown };
  /** The request of Node. */
  readonly req: RequestStream;
  /** Body parsers leave their result here, as `body`. */
  readonly request: object;
  /** HTTP method, in capitals. */
  readonly method: string;
  /** Answers a header of the request. */
  get(field: string): string;
  /** Sets headers of the answer. */
  set(headers: Record<string, string>): void;
  /** HTTP status of the answer. */
  status: number;
  /** Body of the answer. */
  body: unknown;
}

/**
 * Koa middleware that receives webhooks: it reads the raw body, verifies it and runs the handler of
 * the event's type, once for each event. It answers every request that reaches it, so it belongs
 * behind a route, and before any body parser. The README lists the answers.
 *
 * Failures are emitted as the app's `error` event, which Koa writes to the console unless told
 * otherwise.
 *
 * @param verifier what `createVerifier` returned
 * @param handlers what to do, by event type
 * @throws RangeError or TypeError that names the option or the handler which cannot be used
 */
export function koaReceiver(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (context: KoaContext) => Promise<void> {
  const receive = createReceiver(verifier, handlers, options);
  return async (context) => {
    const { status, headers, message } = await receive({
      method: context.method,
      signature: context.get(signatureHeader),
      readBody: (reading) => rawBodyOf(context.request as ParsedRequest, context.req, reading),
      report: (error) => context.app.emit('error', error, context),
    });
    context.status = status;
    context.set({ ...headers, ...closeUnread(context.req) });
    context.body = message;
  };
}
