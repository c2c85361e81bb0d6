import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { serve } from '@hono/node-server';
import Express, { type RequestHandler, Router } from 'express';
import Fastify, { type FastifyPluginAsync } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expectTypeOf, test } from 'vitest';
import * as fastifySurface from '../../src/adapters/fastify.ts';
import * as koaSurface from '../../src/adapters/koa.ts';
import {
  type EventStore,
  fetchReceiver,
  memoryStore,
  nodeReceiver,
  type ReceiverOptions,
  type serverlessReceiver,
} from '../../src/index.ts';
import { verifier } from '../support/receivers/receiver.ts';

describe('the adapters fit the types of the real frameworks', () => {
  test('express', () => {
    const receive = nodeReceiver(verifier, {});
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
    const receive = fetchReceiver(verifier, {});
    new Hono<{ Bindings: { SECRET: string } }>().post('/hooks', (c) => receive(c.req.raw));
  });

  test('koa', () => {
    const receive = koaSurface.koaReceiver(verifier, {});
    expectTypeOf(receive).toExtend<Koa.Middleware>();
    new Koa().use(receive).use((context) => receive(context));
  });

  test('fetch', () => {
    const receive = fetchReceiver(verifier, {});
    expectTypeOf(receive).toEqualTypeOf<(request: Request) => Promise<Response>>();
    expectTypeOf<Parameters<typeof serve>[0]['fetch']>().toExtend<unknown>();
    expectTypeOf<typeof receive>().toExtend<Parameters<typeof serve>[0]['fetch']>();
  });

  test('node', () => {
    const receive = nodeReceiver(verifier, {});
    createServer(receive);
    createSecureServer({}, receive);
  });

  test('all accept the same arguments', () => {
    type Arguments = Parameters<typeof nodeReceiver>;
    expectTypeOf<Parameters<typeof fastifySurface.fastifyReceiver>>().toEqualTypeOf<Arguments>();
    expectTypeOf<Parameters<typeof fetchReceiver>>().toEqualTypeOf<Arguments>();
    expectTypeOf<Parameters<typeof serverlessReceiver>>().toEqualTypeOf<Arguments>();
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
