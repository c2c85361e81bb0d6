import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import type { Verifier } from '../verifier.ts';
import { fetchReceiver } from './fetch.ts';

export type * from '../receiver/index.ts';

/** The used part of a Hono context. */
export interface HonoContext {
  /** The request. `raw` is the platform's request. */
  readonly req: { readonly raw: Request };
}

/**
 * Creates a Hono handler that receives webhooks. It reads the raw body, verifies it and runs the
 * handler of the event's type once for each event. It responds to every request. Mount it before
 * code that reads the body, such as `c.req.json()`. `docs/options.md` lists the responses.
 *
 * Errors go to `console.error` unless there is an `onError` option. They do not go to `app.onError`,
 * which would send a response of its own.
 *
 * @param verifier the result of `createVerifier`
 * @param handlers a handler for each event type
 * @throws RangeError or TypeError that names the invalid option or handler
 * @example
 * ```ts
 * app.all('/hooks', honoReceiver(webhooks, handlers));
 * ```
 */
export function honoReceiver(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (context: HonoContext) => Promise<Response> {
  const receive = fetchReceiver(verifier, handlers, options);
  return ({ req }) => receive(req.raw);
}
