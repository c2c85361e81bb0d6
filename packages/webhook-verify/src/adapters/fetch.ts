import { writeToConsole } from '../receiver/console.ts';
import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver } from '../receiver/receiver.ts';
import { signatureHeader } from '../signature.ts';
import type { Verifier } from '../verifier.ts';
import { readRequest } from './fetch-body.ts';

export type * from '../receiver/index.ts';

/**
 * A function from `Request` to `Response` that receives webhooks, for Workers, Deno, Bun, Next.js
 * and whatever else speaks them: it reads the raw body, verifies it and runs the handler of the
 * event's type, once for each event. The README lists the answers. Failures go to `console.error`
 * unless there is an `onError` option.
 *
 * @param verifier what `createVerifier` returned
 * @param handlers what to do, by event type
 * @returns a function whose promise never rejects
 * @throws RangeError or TypeError that names the option or the handler which cannot be used
 */
export function fetchReceiver(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (request: Request) => Promise<Response> {
  const receive = createReceiver(verifier, handlers, options);
  return async (request) => {
    let unread = false;
    const { status, headers, message } = await receive({
      method: request.method,
      signature: request.headers.get(signatureHeader),
      readBody: (reading) =>
        readRequest(request, reading).catch((error) => {
          unread = true;
          throw error;
        }),
      report: writeToConsole,
    });
    return new Response(message, {
      status,
      headers: unread ? { ...headers, Connection: 'close' } : headers,
    });
  };
}
