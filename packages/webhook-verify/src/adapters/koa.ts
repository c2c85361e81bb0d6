import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver } from '../receiver/receiver.ts';
import type { Verifier } from '../verifier.ts';
import { type ParsedRequest, type RequestStream, rawBodyOf } from './node-request.ts';
import { type NodeResponse, refuseUnread } from './node-response.ts';

export type { RequestStream } from './node-request.ts';
export type { NodeResponse, ResponseSocket } from './node-response.ts';

/** The used part of a Koa context, the same in all versions from 2 on. */
export interface KoaContext {
  /** Emits errors. */
  readonly app: { emit(event: 'error', error: Error, context: unknown): unknown };
  /** Node's request. */
  readonly req: RequestStream;
  /** Node's response. */
  readonly res: NodeResponse;
  /** Whether Koa sends the response. */
  respond?: boolean | undefined;
  /** Koa's request, in which body parsers store `body`. */
  readonly request: object;
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
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
  verifier: Verifier,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (context: KoaContext) => Promise<void> {
  const receive = createReceiver(verifier, handlers, options);
  return async (context) => {
    const response = await receive({
      method: context.method,
      headers: context.headers,
      readBody: (reading) => rawBodyOf(context.request as ParsedRequest, context.req, reading),
      report: (error) => context.app.emit('error', error, context),
    });
    context.status = response.status;
    if (refuseUnread(context.req, context.res, response)) {
      context.respond = false;
      return;
    }
    context.set({ ...response.headers });
    context.body = response.message;
  };
}
