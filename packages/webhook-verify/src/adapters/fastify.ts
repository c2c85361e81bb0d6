import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { EventHandlers } from '../receiver/handlers.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver } from '../receiver/receiver.ts';
import { signatureHeader } from '../signature.ts';
import type { Verifier } from '../verifier.ts';
import { closeUnread } from './connection.ts';
import { type ParsedRequest, rawBodyOf } from './node-body.ts';

export type * from '../receiver/index.ts';

/**
 * A Fastify plugin that receives webhooks at its `prefix`: it reads the raw body, verifies it and
 * runs the handler of the event's type, once for each event. Its content type parser, which leaves
 * the body alone, is encapsulated: the app's other routes are parsed as ever. The README lists the
 * answers.
 *
 * Failures go to the request's log: `info` for what the sender did wrong, `error` for the rest.
 *
 * @example app.register(fastifyReceiver(webhooks, handlers), { prefix: '/hooks' });
 * @param verifier what `createVerifier` returned
 * @param handlers what to do, by event type
 * @throws RangeError or TypeError that names the option or the handler which cannot be used
 */
export function fastifyReceiver(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): FastifyPluginAsync {
  const receive = createReceiver(verifier, handlers, options);
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', async () => undefined);
    app.all('/', async (request: FastifyRequest, reply) => {
      const { status, headers, message } = await receive({
        method: request.method,
        signature: request.headers[signatureHeader.toLowerCase()],
        readBody: (reading) => rawBodyOf(request as ParsedRequest, request.raw, reading),
        report: (error, { status, event }) => {
          const level = status >= 400 && status < 500 ? 'info' : 'error';
          request.log[level](
            { err: error, eventId: event?.id, eventType: event?.type },
            error.message,
          );
        },
      });
      return reply
        .code(status)
        .headers({ ...headers, ...closeUnread(request.raw) })
        .send(message);
    });
  };
}
