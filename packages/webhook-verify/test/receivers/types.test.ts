import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { serve } from '@hono/node-server';
import Express, { type RequestHandler, Router } from 'express';
import Fastify, { type FastifyPluginAsync } from 'fastify';
import { type Handler, Hono } from 'hono';
import Koa from 'koa';
import { describe, expectTypeOf, test } from 'vitest';
import * as expressSurface from '../../src/adapters/express.ts';
import * as fastifySurface from '../../src/adapters/fastify.ts';
import * as fetchSurface from '../../src/adapters/fetch.ts';
import * as honoSurface from '../../src/adapters/hono.ts';
import * as koaSurface from '../../src/adapters/koa.ts';
import * as nodeSurface from '../../src/adapters/node.ts';
import { type EventStore, memoryStore, type ReceiverOptions } from '../../src/receiver/index.ts';
import { verifier } from '../support/receivers/receiver.ts';

describe('the adapters fit the types of the real frameworks', () => {
  test('express', () => {
    const receive = expressSurface.expressReceiver(verifier, {});
    expectTypeOf(receive).toExtend<RequestHandler>();
    Express()
      .use('/hooks', receive)
      .post('/hooks', Express.raw({ type: '*/*' }), receive);
    Router().post('/hooks', receive);
  });

  test('fastify', () => {
    const plugin = fastifySurface.fastifyReceiver(verifier, {});
    expectTypeOf(plugin).toExtend<FastifyPluginAsync>();
    Fastify({ logger: true }).register(plugin, { prefix: '/hooks' });
    Fastify({ https: {} }).register(plugin, { prefix: '/hooks' });
    Fastify({ http2: true }).register(plugin);
  });

  test('hono', () => {
    const receive = honoSurface.honoReceiver(verifier, {});
    expectTypeOf(receive).toExtend<Handler>();
    new Hono<{ Bindings: { SECRET: string } }>().post('/hooks', receive);
  });

  test('koa', () => {
    const receive = koaSurface.koaReceiver(verifier, {});
    expectTypeOf(receive).toExtend<Koa.Middleware>();
    new Koa().use(receive).use((context) => receive(context));
  });

  test('fetch', () => {
    const receive = fetchSurface.fetchReceiver(verifier, {});
    expectTypeOf(receive).toEqualTypeOf<(request: Request) => Promise<Response>>();
    expectTypeOf<Parameters<typeof serve>[0]['fetch']>().toExtend<unknown>();
    expectTypeOf<typeof receive>().toExtend<Parameters<typeof serve>[0]['fetch']>();
  });

  test('node', () => {
    const receive = nodeSurface.nodeReceiver(verifier, {});
    createServer(receive);
    createSecureServer({}, receive);
  });

  test('all accept the same arguments', () => {
    type Arguments = Parameters<typeof nodeSurface.nodeReceiver>;
    expectTypeOf<Parameters<typeof expressSurface.expressReceiver>>().toEqualTypeOf<Arguments>();
    expectTypeOf<Parameters<typeof fastifySurface.fastifyReceiver>>().toEqualTypeOf<Arguments>();
    expectTypeOf<Parameters<typeof fetchSurface.fetchReceiver>>().toEqualTypeOf<Arguments>();
    expectTypeOf<Parameters<typeof honoSurface.honoReceiver>>().toEqualTypeOf<Arguments>();
    expectTypeOf<Parameters<typeof koaSurface.koaReceiver>>().toEqualTypeOf<Arguments>();
  });

  test('accept stores that return values or promises', () => {
    const later: EventStore = {
      claim: async (id) => (id === '' ? 'claimed' : 'running'),
      complete: async () => 'OK',
      release: async () => 1,
    };
    expectTypeOf({ store: later }).toExtend<ReceiverOptions>();
    expectTypeOf({ store: memoryStore() }).toExtend<ReceiverOptions>();
  });
});
