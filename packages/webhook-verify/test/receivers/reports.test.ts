import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import Fastify from 'fastify';
import Koa from 'koa';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fastifyReceiver } from '../../src/adapters/fastify.ts';
import { koaReceiver } from '../../src/adapters/koa.ts';
import { vaultDeleted } from '../support/events.ts';
import { frameworks } from '../support/receivers/frameworks.ts';
import { listen, post, stopServers, verifier } from '../support/receivers/receiver.ts';

const body = JSON.stringify(vaultDeleted);
const failure = new Error('the database is away');
const failing = { 'vault.deleted': () => Promise.reject(failure) };

const toConsole = vi.fn();
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(toConsole);
});
afterEach(async () => {
  await stopServers();
  vi.restoreAllMocks();
  toConsole.mockReset();
});

describe.each(frameworks.filter(([name]) => name !== 'koa' && name !== 'fastify'))(
  '%s writes errors to the console',
  (_, build) => {
    test('for a refused request and for a failed handler', async () => {
      const url = await listen(await build(verifier, failing));
      await post({ url }, body, null);
      await post({ url }, body);
      expect(toConsole.mock.calls).toEqual([
        [expect.objectContaining({ code: 'missing_signature' })],
        [failure],
      ]);
    });
  },
);

describe('koa emits errors', () => {
  test('as the error event of the app, with the context', async () => {
    const reported: [Error, string][] = [];
    const app = new Koa().use(koaReceiver(verifier, failing));
    app.on('error', (error, context) => reported.push([error, context.path]));
    const url = await listen(createServer(app.callback()));
    await post({ url }, body, null);
    await post({ url }, body);
    expect(reported).toEqual([
      [expect.objectContaining({ code: 'missing_signature' }), '/hooks'],
      [failure, '/hooks'],
    ]);
    expect(toConsole).not.toHaveBeenCalled();
  });

  test('and responds when a listener throws', async () => {
    const app = new Koa().use(koaReceiver(verifier, failing));
    app.on('error', () => {
      throw new Error('no room in the log');
    });
    const url = await listen(createServer(app.callback()));
    expect(await post({ url }, body)).toEqual({ status: 500, text: 'The handler failed.' });
  });
});

describe('fastify logs errors', () => {
  test('to the log of the request, at info or error', async () => {
    const stream = new PassThrough();
    const app = Fastify({ logger: { level: 'info', stream } });
    app.register(fastifyReceiver(verifier, failing), { prefix: '/hooks' });
    await app.ready();
    const url = await listen(app.server);
    await post({ url }, body, null);
    await post({ url }, body);

    const lines = String(stream.read())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ err }) => err)).toEqual([
      expect.objectContaining({
        level: 30,
        err: expect.objectContaining({ code: 'missing_signature' }),
      }),
      expect.objectContaining({
        level: 50,
        msg: 'the database is away',
        reqId: expect.any(String),
        eventId: vaultDeleted.id,
        eventType: 'vault.deleted',
      }),
    ]);
    expect(toConsole).not.toHaveBeenCalled();
  });
});

describe.each(frameworks)('onError in %s', (_, build) => {
  test('receives errors in place of the log', async () => {
    const onError = vi.fn();
    const url = await listen(await build(verifier, failing, { onError }));
    await post({ url }, body);
    expect(onError.mock.calls).toEqual([[failure, { status: 500, event: vaultDeleted }]]);
    expect(toConsole).not.toHaveBeenCalled();
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no room in the log');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no room in the log'))],
  ])('does not change the response when it %s', async (_name, onError) => {
    const url = await listen(await build(verifier, failing, { onError }));
    expect(await post({ url }, body, null)).toEqual({ status: 401, text: 'Unauthorized' });
    expect(await post({ url }, body)).toEqual({ status: 500, text: 'The handler failed.' });
    expect(toConsole.mock.calls).toHaveLength(2);
  });
});
