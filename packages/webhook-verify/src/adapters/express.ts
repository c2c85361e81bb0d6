import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import type { Verifier } from '../verifier.ts';
import { type NodeRequest, type NodeResponse, nodeReceiver } from './node.ts';

export type * from '../receiver/index.ts';
export type { NodeRequest, NodeResponse, RequestSocket, RequestStream } from './node.ts';

/**
 * Creates an Express handler that receives webhooks. It reads the raw body, verifies it and runs the
 * handler of the event's type once for each event. It responds to every request and never calls
 * `next`. Mount it before `express.json()`; behind `express.raw()` it uses the bytes in
 * `request.body`. `docs/options.md` lists the responses.
 *
 * Errors go to `console.error` unless there is an `onError` option. They do not go to the app's error
 * handlers, which would send a response of their own.
 *
 * @param verifier the result of `createVerifier`
 * @param handlers a handler for each event type
 * @throws RangeError or TypeError that names the invalid option or handler
 * @example
 * ```ts
 * app.use('/hooks', expressReceiver(webhooks, handlers));
 * ```
 */
export function expressReceiver(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return nodeReceiver(verifier, handlers, options);
}
