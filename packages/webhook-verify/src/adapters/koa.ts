import { type EventHandlers, receive } from '../receiver.ts';
import { signatureHeader } from '../signature.ts';
import type { Verifier } from '../verifier.ts';
import { alreadyRead, type RequestStream, readRawBody } from './node-body.ts';

export type { DeliveryFacts, EventHandlers } from '../receiver.ts';

const defaultLimit = 1_048_576;

/** What is used of a Koa context; that of any Koa version from 2 on fits. */
export interface KoaContext {
  readonly app: { emit(event: 'error', error: Error, context: unknown): unknown };
  readonly req: RequestStream;
  /** Body parsers leave their result here, as `body`. */
  readonly request: object;
  get(field: string): string;
  status: number;
  body: unknown;
}

export interface KoaReceiverOptions {
  /** The largest body that is read, in bytes. @default 1_048_576 (1 MiB) */
  readonly limit?: number | undefined;
}

/**
 * Koa middleware that receives webhooks: it reads the raw body, verifies it and runs the handler of
 * the event's type. It answers every request that reaches it, so it belongs behind a route, and
 * before any body parser.
 *
 * Answers: 200 after the handler; 401 for a missing, malformed or wrong signature, or an event
 * outside `maxAge`; 400 for a body that is too large, cut off or not an event; 500 when the handler
 * threw or the body had already been parsed. All but 200 make the service try again. The reason is
 * emitted as the app's `error` event, which Koa writes to the console unless told otherwise.
 *
 * @param verifier what `createVerifier` returned
 * @param handlers what to do, by event type
 */
export function koa(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  { limit = defaultLimit }: KoaReceiverOptions = {},
): (context: KoaContext) => Promise<void> {
  return async (context) => {
    const { status, message, error } = await receive(verifier, handlers, {
      signature: context.get(signatureHeader),
      readRawBody: async () => {
        if ((context.request as { body?: unknown }).body !== undefined) throw alreadyRead();
        return readRawBody(context.req, limit);
      },
    });
    context.status = status;
    context.body = message;
    if (error !== undefined) context.app.emit('error', error, context);
  };
}
