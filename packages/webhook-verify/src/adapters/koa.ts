import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver } from '../receiver/receiver.ts';
import { signatureHeader } from '../signature.ts';
import type { Verifier } from '../verifier.ts';
import { closeUnread, type ParsedRequest, type RequestStream, rawBodyOf } from './node-request.ts';

export type * from '../receiver/index.ts';
export type { RequestSocket, RequestStream } from './node-request.ts';

/** The used part of a Koa context, the same in all versions from 2 on. */
export interface KoaContext {
  /** Emits errors. */
  readonly app: { emit(event: 'error', error: Error, context: unknown): unknown };
  /** Node's request. */
  readonly req: RequestStream;
  /** Koa's request, in which body parsers store `body`. */
  readonly request: object;
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** Returns a header of the request. */
  get(field: string): string;
  /** Sets headers of the response. */
  set(headers: Record<string, string>): void;
  /** HTTP status of the response. */
  status: number;
  /** Body of the response. */
  body: unknown;
}

/**
 * Creates Koa middleware that receives webhooks. It reads the raw body, verifies it and runs the
 * handler of the event's type once for each event. It responds to every request, so mount it on a
 * route, and before any body parser. `docs/options.md` lists the responses.
 *
 * Errors are emitted as the app's `error` event, which Koa writes to the console by default.
 *
 * @param verifier the result of `createVerifier`
 * @param handlers a handler for each event type
 * @throws RangeError or TypeError that names the invalid option or handler
 * @example
 * ```ts
 * router.all('/hooks', koaReceiver(webhooks, handlers));
 * ```
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
