import { createServer, type Server } from 'node:http';
import { createAdaptorServer, getRequestListener } from '@hono/node-server';
import Express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { fastifyReceiver } from '../../../src/adapters/fastify.ts';
import { koaReceiver } from '../../../src/adapters/koa.ts';
import type { EventHandlers, ReceiverOptions, Verifier } from '../../../src/index.ts';
import { fetchReceiver, nodeReceiver } from '../../../src/index.ts';

/** The arguments of an adapter. */
export type AdapterArguments = [
  verifier: Verifier,
  handlers: EventHandlers,
  options?: ReceiverOptions,
];

/** Builds a server of the real framework that receives webhooks at `/hooks`; not listening yet. */
export type BuildServer = (...receiver: AdapterArguments) => Promise<Server> | Server;

async function fastifyServer(...receiver: AdapterArguments): Promise<Server> {
  const app = Fastify();
  app.register(fastifyReceiver(...receiver), { prefix: '/hooks' });
  await app.ready();
  return app.server;
}

function koaServer(...receiver: AdapterArguments): Server {
  const app = new Koa();
  // Koa also emits errors of broken connections.
  app.on('error', () => {});
  return createServer(app.use(koaReceiver(...receiver)).callback());
}

function honoApp(...receiver: AdapterArguments): Hono {
  const receive = fetchReceiver(...receiver);
  return new Hono().all('/hooks', (context) => receive(context.req.raw));
}

/** Every adapter, on its real framework. */
export const frameworks: readonly (readonly [name: string, build: BuildServer])[] = [
  ['express', (...receiver) => createServer(Express().use('/hooks', nodeReceiver(...receiver)))],
  ['fastify', fastifyServer],
  ['hono', (...receiver) => honoServer(honoApp(...receiver))],
  ['koa', koaServer],
  ['fetch', (...receiver) => createServer(getRequestListener(fetchReceiver(...receiver)))],
  ['node', (...receiver) => createServer(nodeReceiver(...receiver))],
];

/** A server of a Hono app. */
export function honoServer(app: Hono): Server {
  return createAdaptorServer({ fetch: app.fetch }) as Server;
}
