import { createServer, type IncomingMessage, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import Express, { type RequestHandler } from 'express';
import Fastify from 'fastify';
import { Hono, type MiddlewareHandler } from 'hono';
import Koa from 'koa';
import { afterEach, describe, expect, test } from 'vitest';
import { fastifyReceiver } from '../../src/adapters/fastify.ts';
import { koaReceiver } from '../../src/adapters/koa.ts';
import { fetchReceiver, nodeReceiver } from '../../src/index.ts';
import { secret } from '../support/builds.ts';
import { vaultDeleted } from '../support/events.ts';
import { type BuildServer, honoServer } from '../support/receivers/frameworks.ts';
import {
  expectRefusal,
  post,
  startReceiver,
  stopServers,
  verifier,
} from '../support/receivers/receiver.ts';
import { sign } from '../support/sign.ts';

const body = JSON.stringify(vaultDeleted);

afterEach(stopServers);

const behindExpress =
  (...before: RequestHandler[]): BuildServer =>
  (...receiver) =>
    createServer(Express().use(before, nodeReceiver(...receiver)));

const behindKoa =
  (before: Koa.Middleware): BuildServer =>
  (...receiver) =>
    createServer(
      new Koa()
        .use(before)
        .use(koaReceiver(...receiver))
        .callback(),
    );

const behindHono =
  (before: MiddlewareHandler): BuildServer =>
  (...receiver) => {
    const receive = fetchReceiver(...receiver);
    return honoServer(new Hono().use(before).post('/hooks', (context) => receive(context.req.raw)));
  };

const behindRequest =
  (before: (request: Request) => unknown): BuildServer =>
  (...receiver) => {
    const receive = fetchReceiver(...receiver);
    return createServer(
      getRequestListener(async (request) => {
        await before(request);
        return receive(request);
      }),
    );
  };

const behindNode =
  (before: (request: IncomingMessage) => unknown): BuildServer =>
  (...receiver) => {
    const receive = nodeReceiver(...receiver);
    return createServer(async (request, response) => {
      await before(request);
      await receive(request, response);
    });
  };

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The app's own parser, inherited, and a hook that reads the body before Fastify parses. */
async function fastifyWithHook(...receiver: Parameters<BuildServer>): Promise<Server> {
  const app = Fastify();
  app.addHook('preParsing', async (request) => void (await readAll(request.raw)));
  app.register(fastifyReceiver(...receiver), { prefix: '/hooks' });
  await app.ready();
  return app.server;
}

describe('a body that was already read gets 500 at once, with the cause', () => {
  test.each<[string, BuildServer]>([
    ['express.json()', behindExpress(Express.json())],
    ['express.text()', behindExpress(Express.text({ type: '*/*' }))],
    [
      'an Express middleware',
      behindExpress(async (request, _response, next) => {
        await readAll(request);
        next();
      }),
    ],
    ['a Fastify hook', fastifyWithHook],
    [
      'a Koa body parser',
      behindKoa(async (context, next) => {
        const parsed = JSON.parse(String(await readAll(context.req)));
        Object.assign(context.request, { body: parsed, rawBody: JSON.stringify(parsed) });
        await next();
      }),
    ],
    [
      'a Koa middleware that keeps it',
      behindKoa(async (context, next) => {
        await readAll(context.req);
        await next();
      }),
    ],
    [
      'a Koa middleware that decodes it',
      behindKoa(async (context, next) => {
        context.req.setEncoding('utf8');
        await next();
      }),
    ],
    [
      'c.req.json()',
      behindHono(async (context, next) => {
        await context.req.json();
        await next();
      }),
    ],
    [
      'c.req.raw.text()',
      behindHono(async (context, next) => {
        await context.req.raw.text();
        await next();
      }),
    ],
    ['request.json()', behindRequest((request) => request.json())],
    [
      'another reader of the Request',
      behindRequest((request) => {
        request.body?.getReader();
      }),
    ],
    ['a listener of Node', behindNode(readAll)],
    [
      'a platform that parses',
      behindNode(async (request) => {
        const parsed = JSON.parse(String(await readAll(request)));
        Object.assign(request, { body: parsed });
      }),
    ],
  ])('%s', async (_, build) => {
    const receiver = await startReceiver(build);
    const answer = await post(receiver, body);
    expectRefusal(receiver, answer, {
      status: 500,
      text: 'The body was already read or parsed: put the webhook receiver before any body parser.',
      code: 'body_not_raw',
    });
  });
});

/** Gives every request the body `{}` before the parser of another type sees it, as Express 4 does. */
const behindExpress4 = (parser: RequestHandler): BuildServer =>
  behindExpress((request, _response, next) => {
    request.body = {};
    next();
  }, parser);

describe('a body that a parser of another type left unread is read and verified', () => {
  test.each<[string, BuildServer]>([
    ['express.urlencoded() of Express 4', behindExpress4(Express.urlencoded({ extended: true }))],
    ['express.text() of Express 4', behindExpress4(Express.text())],
    ['express.raw() of Express 4', behindExpress4(Express.raw())],
    ['express.json() of Express 4', behindExpress4(Express.json({ type: 'text/json' }))],
    ['express.urlencoded()', behindExpress(Express.urlencoded({ extended: true }))],
    ['express.text()', behindExpress(Express.text())],
    ['express.raw()', behindExpress(Express.raw())],
    ['express.json() of another type', behindExpress(Express.json({ type: 'text/json' }))],
    [
      'a Koa body parser of another type',
      behindKoa(async (context, next) => {
        Object.assign(context.request, { body: {} });
        await next();
      }),
    ],
    [
      'a listener of Node that parses another type',
      behindNode((request) => Object.assign(request, { body: {} })),
    ],
  ])('%s', async (_, build) => {
    const receiver = await startReceiver(build);
    expect(await post(receiver, body)).toEqual({ status: 200, text: 'OK' });
    expect(receiver.handled).toEqual(['vault.deleted: vault.deleted']);
    const answer = await post(receiver, body, sign(`${body} `, secret));
    expect(answer).toEqual({ status: 401, text: 'Unauthorized' });
    expect(receiver.handled).toHaveLength(1);
  });
});

describe('raw bytes that were already read are verified', () => {
  const rawBody = behindNode(async (request) => {
    const bytes = await readAll(request);
    Object.assign(request, { rawBody: bytes, body: JSON.parse(String(bytes)) });
  });
  const raw: [string, BuildServer][] = [
    ['by express.raw()', behindExpress(Express.raw({ type: '*/*', limit: 10_000 }))],
    [
      'by express.json() with a copy in rawBody',
      behindExpress(
        Express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) }),
      ),
    ],
    ['by a platform that leaves them in rawBody', rawBody],
  ];

  test.each(raw)('%s', async (_, build) => {
    const receiver = await startReceiver(build);
    expect(await post(receiver, body)).toEqual({ status: 200, text: 'OK' });
    expect(receiver.handled).toEqual(['vault.deleted: vault.deleted']);
  });

  test.each(raw)('%s, and refused with a wrong signature', async (_, build) => {
    const receiver = await startReceiver(build);
    const answer = await post(receiver, body, sign(`${body} `, secret));
    const code = 'signature_mismatch';
    expectRefusal(receiver, answer, { status: 401, text: 'Unauthorized', code });
  });

  test.each(raw)('%s, up to maxBodySize', async (_, build) => {
    const receiver = await startReceiver(build, { options: { maxBodySize: body.length - 1 } });
    const text = `The body is larger than ${body.length - 1} bytes.`;
    const answer = await post(receiver, body);
    expectRefusal(receiver, answer, { status: 400, text, code: 'body_too_large' });
  });
});

describe('the body parsers of a Fastify app', () => {
  async function fastifyApp(): Promise<{ url: string; handled: string[] }> {
    const handled: string[] = [];
    const app = Fastify();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, async () => 'parsed');
    app.addContentTypeParser('text/special', async () => 'special');
    app.post('/before', async (request) => ({ body: request.body }));
    const handlers = { default: ({ id }: { id: string }) => void handled.push(id) };
    app.register(fastifyReceiver(verifier, handlers), { prefix: '/hooks' });
    app.post('/after', async (request) => ({ body: request.body }));
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    apps.push(app);
    return { url, handled };
  }
  const apps: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  test('do not parse webhooks', async () => {
    const { url, handled } = await fastifyApp();
    expect((await post({ url: `${url}/hooks` }, body)).status).toBe(200);
    expect((await post({ url: `${url}/hooks/` }, body)).status).toBe(200);
    expect(handled).toEqual([vaultDeleted.id]);
  });

  test.each(['/before', '/after'])('parse the bodies of other routes: %s', async (path) => {
    const { url, handled } = await fastifyApp();
    const send = (type: string) =>
      fetch(url + path, { method: 'POST', headers: { 'Content-Type': type }, body });
    expect(await (await send('application/json')).json()).toEqual({ body: 'parsed' });
    expect(await (await send('text/special')).json()).toEqual({ body: 'special' });
    expect((await send('image/png')).status).toBe(415);
    expect(handled).toEqual([]);
  });
});
