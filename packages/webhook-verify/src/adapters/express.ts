import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import type { Verifier } from '../verifier.ts';
import { type NodeRequest, type NodeResponse, nodeReceiver } from './node.ts';

export type * from '../receiver/index.ts';
export type { NodeRequest, NodeResponse, RequestSocket, RequestStream } from './node.ts';

/**
 * An Express handler that receives webhooks: it reads the raw body, verifies it and runs the handler
 * of the event's type, once for each event. It answers every request that reaches it and never calls
 * `next`. It belongs before `express.json()`; behind `express.raw()` it takes the bytes from there.
 * The README lists the answers.
 *
 * Failures go to `console.error` unless there is an `onError` option, and not to the app's error
 * handlers, which would answer for it.
 *
 * @param verifier what `createVerifier` returned
 * @param handlers what to do, by event type
 * @throws RangeError or TypeError that names the option or the handler which cannot be used
 */
export function expressReceiver(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return nodeReceiver(verifier, handlers, options);
}
