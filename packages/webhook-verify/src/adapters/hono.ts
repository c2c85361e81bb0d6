import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import type { Verifier } from '../verifier.ts';
import { fetchReceiver } from './fetch.ts';

export type * from '../receiver/index.ts';

/** What is used of a Hono context. */
export interface HonoContext {
  /** The request; `raw` is that of the platform. */
  readonly req: { readonly raw: Request };
}

/**
 * A Hono handler that receives webhooks: it reads the raw body, verifies it and runs the handler of
 * the event's type, once for each event. It answers every request that reaches it, and belongs
 * before whatever reads the body, such as `c.req.json()`. The README lists the answers.
 *
 * Failures go to `console.error` unless there is an `onError` option, and not to `app.onError`,
 * which would answer for it.
 *
 * @param verifier what `createVerifier` returned
 * @param handlers what to do, by event type
 * @throws RangeError or TypeError that names the option or the handler which cannot be used
 */
export function honoReceiver(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (context: HonoContext) => Promise<Response> {
  const receive = fetchReceiver(verifier, handlers, options);
  return ({ req }) => receive(req.raw);
}
