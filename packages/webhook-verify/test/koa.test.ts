import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterEach, describe, expect, it } from 'vitest';
import { koa } from '../src/adapters/koa.ts';
import { createVerifier as createNodeVerifier } from '../src/index.node.ts';
import { createVerifier as createWebVerifier } from '../src/index.ts';
import { sign, signedRequest } from '../src/sign.ts';
import { otherSecret, secret } from './builds.ts';
import { unknownEvent, vaultDeleted } from './events.ts';
import { post, startReceiver, stopReceivers } from './koa-receiver.ts';

afterEach(stopReceivers);

describe.each([
  ['Node', createNodeVerifier],
  ['Web Crypto', createWebVerifier],
])('the koa adapter on the %s build', (_, createVerifier) => {
  it('answers 200 after the handler of the type has run', async () => {
    const receiver = await startReceiver({ createVerifier });
    const response = await fetch(receiver.url, signedRequest(vaultDeleted, secret));

    expect(response.status).toBe(200);
    expect(await response.text()).toBe('OK');
    expect(receiver.handled).toEqual(['vault.deleted: vault.deleted']);
    expect(receiver.errors).toEqual([]);
  });

  it.each([
    ['missing', null, 'missing_signature'],
    ['empty', '', 'missing_signature'],
    ['malformed', 'sha256=abc', 'malformed_signature'],
    ['of another secret', sign(JSON.stringify(vaultDeleted), `${secret}x`), 'signature_mismatch'],
    ['of another body', sign('{}', secret), 'signature_mismatch'],
  ])('answers 401 without a reason when the signature is %s', async (_name, signature, code) => {
    const receiver = await startReceiver({ createVerifier });
    const answer = await post(receiver, JSON.stringify(vaultDeleted), signature);

    expect(answer).toEqual({ status: 401, text: 'Unauthorized' });
    expect(receiver.handled).toEqual([]);
    expect(receiver.errors).toMatchObject([{ name: 'WebhookVerificationError', code }]);
  });
});

describe('dispatch', () => {
  it('hands a type without a handler of its own to other', async () => {
    const receiver = await startReceiver();
    await post(receiver, JSON.stringify({ ...vaultDeleted, type: 'vault.created' }));
    await post(receiver, JSON.stringify(unknownEvent('vault.archived')));
    expect(receiver.handled).toEqual(['other: vault.created', 'other: vault.archived']);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'takes nothing inherited for a handler: %s',
    async (type) => {
      const receiver = await startReceiver();
      expect(await post(receiver, JSON.stringify(unknownEvent(type)))).toMatchObject({
        status: 200,
      });
      expect(receiver.handled).toEqual([`other: ${type}`]);
    },
  );

  it('acknowledges a type that nobody handles', async () => {
    const receiver = await startReceiver({ handlers: {} });
    expect(await post(receiver, JSON.stringify(vaultDeleted))).toEqual({ status: 200, text: 'OK' });
    expect(receiver.errors).toEqual([]);
  });

  it('tells the handler which secret matched', async () => {
    const used: number[] = [];
    const receiver = await startReceiver({
      handlers: { 'vault.deleted': (_event, { secretIndex }) => void used.push(secretIndex) },
    });
    await fetch(receiver.url, signedRequest(vaultDeleted, secret));
    await fetch(receiver.url, signedRequest(vaultDeleted, otherSecret));
    expect(used).toEqual([0, 1]);
  });

  it('waits for the handler before it answers', async () => {
    let finished = false;
    const receiver = await startReceiver({
      handlers: {
        'vault.deleted': async () => {
          await new Promise(setImmediate);
          finished = true;
        },
      },
    });
    await post(receiver, JSON.stringify(vaultDeleted));
    expect(finished).toBe(true);
  });

  it('does not call the middleware after it', async () => {
    const app = new Koa();
    const reached: string[] = [];
    const verifier = createNodeVerifier({ secrets: [secret] });
    app.use(koa(verifier, {})).use((context) => void reached.push(context.path));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}`, signedRequest(vaultDeleted, secret));
    server.closeAllConnections();
    server.close();

    expect(response.status).toBe(200);
    expect(reached).toEqual([]);
  });
});

describe('a handler that fails', () => {
  const failure = new Error('the database is away');

  it.each<[string, () => unknown, unknown]>([
    ['rejects', async () => Promise.reject(failure), failure],
    [
      'throws',
      () => {
        throw failure;
      },
      failure,
    ],
    [
      'throws a string',
      () => {
        throw 'the database is away';
      },
      { cause: 'the database is away' },
    ],
    [
      'throws an error that asks for another status',
      () => {
        throw Object.assign(new Error('gone'), { status: 410, expose: true });
      },
      { message: 'gone' },
    ],
    [
      'verifies something itself, in vain',
      () => createNodeVerifier({ secrets: [secret] }).verify('{}', undefined),
      { code: 'missing_signature' },
    ],
  ])('answers 500 and reports it when it %s', async (_, handler, reported) => {
    const receiver = await startReceiver({ handlers: { 'vault.deleted': handler } });
    const answer = await post(receiver, JSON.stringify(vaultDeleted));

    expect(answer).toEqual({ status: 500, text: 'The handler failed.' });
    expect(receiver.errors).toMatchObject([reported]);
  });
});
