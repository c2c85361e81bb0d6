import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver, writeToConsole } from '../receiver/receiver.ts';
import type { Verifier } from '../verifier.ts';
import { readRequest } from './fetch-request.ts';

/**
 * Creates a function from `Request` to `Response` that receives webhooks, for Workers, Deno, Bun,
 * Next.js and other platforms with these types. It reads the raw body, verifies it and runs the
 * handler of the event's type once for each event. `docs/options.md` lists the responses. Errors go to
 * `console.error` unless there is an `onError` option.
 *
 * @param verifier the result of `createVerifier`
 * @param handlers a handler for each event type
 * @returns a function whose promise never rejects
 * @throws RangeError or TypeError that names the invalid option or handler
 * @example
 * ```ts
 * export default { fetch: fetchReceiver(webhooks, handlers) };
 * ```
 */
export function fetchReceiver(
  verifier: Verifier,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (request: Request) => Promise<Response> {
  const receive = createReceiver(verifier, handlers, options);
  return async (request) => {
    let unread = false;
    const { status, headers, message } = await receive({
      method: request.method,
      headers: request.headers,
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
