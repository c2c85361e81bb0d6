import { afterEach, describe, expect, test } from 'vitest';
import { createVerifier, type EventHandlers } from '../../src/index.ts';
import { signedRequest as standardRequest } from '../../src/testing.ts';
import { builds, otherSecret, secret } from '../support/builds.ts';
import { unknownEvent, vaultDeleted } from '../support/events.ts';
import { frameworks } from '../support/receivers/frameworks.ts';
import {
  expectRefusal,
  openRequest,
  post,
  startReceiver,
  stopServers,
} from '../support/receivers/receiver.ts';
import { sign, signedRequest } from '../support/sign.ts';

const body = JSON.stringify(vaultDeleted);

afterEach(stopServers);

describe.each(frameworks)('%s', (_framework, build) => {
  describe.each(builds)('on %s', (_build, create) => {
    const verifier = create({ secrets: [secret, otherSecret] });

    test('responds with 200 after the handler of the type has run', async () => {
      const receiver = await startReceiver(build, { verifier });
      const response = await fetch(receiver.url, signedRequest(vaultDeleted, secret));

      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
      expect(await response.text()).toBe('OK');
      expect(receiver.handled).toEqual(['vault.deleted: vault.deleted']);
      expect(receiver.reports).toEqual([]);
    });

    test.each([
      ['missing', null, 'missing_signature'],
      ['empty', '', 'missing_signature'],
      ['malformed', 'sha256=abc', 'malformed_signature'],
      ['of another secret', sign(body, `${secret}x`), 'signature_mismatch'],
      ['of another body', sign('{}', secret), 'signature_mismatch'],
    ])(
      'responds with 401 without a reason when the signature is %s',
      async (_name, signature, code) => {
        const receiver = await startReceiver(build, { verifier });
        const answer = await post(receiver, body, signature);
        expectRefusal(receiver, answer, { status: 401, text: 'Unauthorized', code });
      },
    );
  });

  test('responds with 500 while the secret of the function is too short, and says so', async () => {
    const verifier = createVerifier({ secrets: () => [''] });
    const receiver = await startReceiver(build, { verifier });
    const answer = await post(receiver, body);
    const text = 'The receiver has no valid secret.';
    expectRefusal(receiver, answer, { status: 500, text, code: 'secret_too_short' });
  });

  test('responds with 401 to two signatures, also when one is right', async () => {
    const receiver = await startReceiver(build);
    const request = openRequest(receiver, {
      'X-Service-Signature': [sign(body, secret), sign('{}', secret)],
    });
    const status = await new Promise((resolve) => {
      request.on('response', (response) => resolve(response.resume().statusCode)).end(body);
    });
    const code = 'malformed_signature';
    expectRefusal(receiver, { status: Number(status), text: '' }, { status: 401, text: '', code });
  });

  test('passes the time of the attempt to the handler when webhook-signature is right', async () => {
    const times: (Date | undefined)[] = [];
    const handlers: EventHandlers = { default: (_, { sentAt }) => void times.push(sentAt) };
    const receiver = await startReceiver(build, { handlers });
    const sentAt = new Date(Math.floor(Date.now() / 1000) * 1000 - 100_000);
    const request = await standardRequest(vaultDeleted, secret, { sentAt });
    expect((await fetch(receiver.url, request)).status).toBe(200);
    expect(times).toEqual([sentAt]);
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'responds with 401 to two headers %s',
    async (name) => {
      const receiver = await startReceiver(build);
      const signed = await standardRequest(vaultDeleted, secret);
      const twice = [`${signed.headers[name]}`, `${signed.headers[name]}`];
      const request = openRequest(receiver, { ...signed.headers, [name]: twice });
      const status = await new Promise((resolve) => {
        request
          .on('response', (response) => resolve(response.resume().statusCode))
          .end(signed.body);
      });
      expect(status).toBe(401);
      expect(receiver.handled).toEqual([]);
    },
  );

  test.each(['GET', 'PUT', 'DELETE'])('responds with 405 to %s, signed or not', async (method) => {
    const receiver = await startReceiver(build);
    const { headers } = signedRequest(vaultDeleted, secret);
    const request = method === 'GET' ? { method } : { method, headers, body };
    const response = await fetch(receiver.url, request);

    const answer = { status: response.status, text: await response.text() };
    expectRefusal(receiver, answer, {
      status: 405,
      text: 'Webhooks are sent with POST.',
      code: 'method_not_allowed',
    });
    expect(response.headers.get('Allow')).toBe('POST');
  });

  test('responds with 500 when the verifier throws another error', async () => {
    const broken = { verifyDetailed: () => Promise.reject(new Error('out of keys')) };
    const verifier = { ...createVerifier({ secrets: [secret] }), ...broken };
    const receiver = await startReceiver(build, { verifier });
    expect(await post(receiver, body)).toEqual({ status: 500, text: 'Verification failed.' });
    expect(receiver.handled).toEqual([]);
    expect(receiver.reports).toMatchObject([{ error: { message: 'out of keys' }, status: 500 }]);
  });

  test('responds after the handler has finished', async () => {
    let finished = false;
    const receiver = await startReceiver(build, {
      handlers: {
        'vault.deleted': async () => {
          await new Promise(setImmediate);
          finished = true;
        },
      },
    });
    await post(receiver, body);
    expect(finished).toBe(true);
  });

  test('responds with 500 when the handler fails, and reports the error with its event', async () => {
    const failure = new Error('the database is away');
    const handlers = { 'vault.deleted': () => Promise.reject(failure) };
    const receiver = await startReceiver(build, { handlers });
    expect(await post(receiver, body)).toEqual({ status: 500, text: 'The handler failed.' });
    expect(receiver.reports).toEqual([{ error: failure, status: 500, eventId: vaultDeleted.id }]);
  });
});

describe('the handlers', () => {
  const [, build] = frameworks[0] as (typeof frameworks)[number];
  const other = (id: string, type: string) => JSON.stringify({ ...unknownEvent(type), id });

  test('default receives the events without a handler of their own', async () => {
    const receiver = await startReceiver(build);
    await post(receiver, other('evt_1', 'vault.created'));
    await post(receiver, other('evt_2', 'vault.archived'));
    expect(receiver.handled).toEqual(['default: vault.created', 'default: vault.archived']);
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'takes nothing inherited for a handler: %s',
    async (type) => {
      const receiver = await startReceiver(build);
      expect(await post(receiver, other('evt_1', type))).toEqual({ status: 200, text: 'OK' });
      expect(receiver.handled).toEqual([`default: ${type}`]);
    },
  );

  test('an event without a handler gets 200', async () => {
    const receiver = await startReceiver(build, { handlers: {} });
    expect(await post(receiver, body)).toEqual({ status: 200, text: 'OK' });
    expect(receiver.reports).toEqual([]);
  });

  test('a handler receives the index of the secret that matched', async () => {
    const used: number[] = [];
    const handlers = {
      default: (_event: unknown, { secretIndex }: { secretIndex: number }) =>
        used.push(secretIndex),
    };
    const receiver = await startReceiver(build, { handlers });
    await post(receiver, other('evt_1', 'vault.archived'));
    const second = other('evt_2', 'vault.archived');
    await post(receiver, second, sign(second, otherSecret));
    expect(used).toEqual([0, 1]);
  });

  test.each<[string, () => unknown, unknown]>([
    [
      'throws at once',
      () => {
        throw new Error('at once');
      },
      { message: 'at once' },
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
      () => Promise.reject(Object.assign(new Error('gone'), { status: 410, expose: true })),
      { message: 'gone' },
    ],
    [
      'verifies something itself, in vain',
      () => createVerifier({ secrets: [secret] }).verify('{}', undefined),
      { code: 'missing_signature' },
    ],
  ])('the response is 500 when the handler %s', async (_, handler, error) => {
    const receiver = await startReceiver(build, { handlers: { 'vault.deleted': handler } });
    expect(await post(receiver, body)).toEqual({ status: 500, text: 'The handler failed.' });
    expect(receiver.reports).toMatchObject([{ error, status: 500 }]);
  });
});
