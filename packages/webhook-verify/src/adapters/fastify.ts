import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver } from '../receiver/receiver.ts';
import type { Verifier } from '../verifier.ts';
import { type ParsedRequest, rawBodyOf } from './node-request.ts';
import { refuseUnread } from './node-response.ts';

/**
 * Creates a Fastify plugin that receives webhooks at its `prefix`. It reads the raw body, verifies it
 * and runs the handler of the event's type once for each event. The plugin removes the body parsers
 * for its own route only. `docs/options.md` lists the responses.
 *
 * Errors go to the request's log: mistakes of the sender at `info`, others at `error`.
 *
 * @param verifier the result of `createVerifier`
 * @param handlers a handler for each event type
 * @throws RangeError or TypeError that names the invalid option or handler
 * @example
 * ```ts
 * app.register(fastifyReceiver(webhooks, handlers), { prefix: '/hooks' });
 * ```
 */
export function fastifyReceiver(
  verifier: Verifier,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): FastifyPluginAsync {
  const receive = createReceiver(verifier, handlers, options);
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', async () => undefined);
    app.all('/', async (request: FastifyRequest, reply) => {
      const response = await receive({
        method: request.method,
        headers: request.headers,
        readBody: (reading) => rawBodyOf(request as ParsedRequest, request.raw, reading),
        report: (error, { status, event }) => {
          const level = status >= 400 && status < 500 ? 'info' : 'error';
          request.log[level](
            { err: error, eventId: event?.id, eventType: event?.type },
            error.message,
          );
        },
      });
      const { status, headers, message } = response;
      if (refuseUnread(request.raw, reply.raw, response)) return reply.hijack();
      return reply.code(status).headers(headers).send(message);
    });
  };
}
