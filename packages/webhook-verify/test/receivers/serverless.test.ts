import { describe, expect, test, vi } from 'vitest';
import { type ReceiverOptions, type ServerlessEvent, serverlessReceiver } from '../../src/index.ts';
import { signedRequest } from '../../src/testing.ts';
import { secret } from '../support/builds.ts';
import { vaultDeleted } from '../support/events.ts';
import { verifier } from '../support/receivers/receiver.ts';

const { body, headers } = await signedRequest(
  { ...vaultDeleted, data: { object: { ...vaultDeleted.data.object, id: '📄' } } },
  secret,
);
const multiValueHeaders = Object.fromEntries(
  Object.entries(headers).map(([name, value]) => [name, [value]]),
);
const base64 = { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
const text = { body, isBase64Encoded: false };
const http2 = { requestContext: { http: { method: 'POST' } } };
const lowerCase = Object.fromEntries(new Headers(headers));

/** The requests of the platforms, as their documentation shows them. */
const platforms: readonly (readonly [string, ServerlessEvent, 'statusCode' | 'status'])[] = [
  ['API Gateway 1.0', { httpMethod: 'POST', headers, multiValueHeaders, ...text }, 'statusCode'],
  [
    'API Gateway 1.0, base64',
    { httpMethod: 'POST', headers, multiValueHeaders, ...base64 },
    'statusCode',
  ],
  ['API Gateway 2.0', { ...http2, headers: lowerCase, ...text }, 'statusCode'],
  ['a function URL, base64', { ...http2, headers: lowerCase, ...base64 }, 'statusCode'],
  ['a load balancer', { httpMethod: 'POST', headers: lowerCase, ...text }, 'statusCode'],
  [
    'a load balancer with multi-value headers',
    { httpMethod: 'POST', multiValueHeaders, ...text },
    'statusCode',
  ],
  ['Netlify', { httpMethod: 'POST', headers: lowerCase, multiValueHeaders, ...text }, 'statusCode'],
  [
    'Azure',
    { method: 'POST', headers: lowerCase, body: JSON.parse(body), rawBody: body },
    'status',
  ],
  [
    'Azure with bytes',
    { method: 'POST', headers: lowerCase, body: JSON.parse(body), bufferBody: Buffer.from(body) },
    'status',
  ],
];

function start(options: ReceiverOptions = {}) {
  const handled: string[] = [];
  const reported: string[] = [];
  const onError = (error: Error) => void reported.push(error.message);
  const handlers = { 'vault.deleted': ({ id }: { id: string }) => void handled.push(id) };
  const receive = serverlessReceiver(verifier, handlers, { onError, ...options });
  return { receive, handled, reported };
}

describe.each(platforms)('a request of %s', (_, event, status) => {
  const [bodyName] = ['bufferBody', 'rawBody', 'body'].filter((name) => name in event) as [
    keyof ServerlessEvent,
  ];
  const isBase64 = event.isBase64Encoded === true;
  const changed = (content: string) =>
    isBase64 ? Buffer.from(content).toString('base64') : content;

  test('is verified and handled once', async () => {
    const { receive, handled } = start();
    expect(await receive(event)).toMatchObject({ [status]: 200, body: 'OK' });
    expect(await receive(event)).toMatchObject({ [status]: 200, body: 'OK' });
    expect(handled).toEqual([vaultDeleted.id]);
  });

  test('gets 401 when its body was changed', async () => {
    const { receive, handled, reported } = start();
    const answer = await receive({ ...event, [bodyName]: changed(`${body} `) });
    expect(answer).toMatchObject({ [status]: 401, body: 'Unauthorized' });
    expect(handled).toEqual([]);
    expect(reported).toEqual(['The secret is wrong, or the body was changed.']);
  });

  test('gets 401 without headers', async () => {
    const none = { headers: null, multiValueHeaders: null };
    expect(await start().receive({ ...event, ...none })).toMatchObject({ [status]: 401 });
  });

  test('gets 400 above maxBodySize', async () => {
    const { receive } = start({ maxBodySize: Buffer.byteLength(body) - 1 });
    expect(await receive(event)).toMatchObject({ [status]: 400 });
    const { receive: receiveAll } = start({ maxBodySize: Buffer.byteLength(body) });
    expect(await receiveAll(event)).toMatchObject({ [status]: 200 });
    expect(await receiveAll({ ...event, [bodyName]: changed('x'.repeat(100_000)) })).toMatchObject({
      [status]: 400,
    });
  });

  test('gets 405 with another method, and the headers of the response', async () => {
    const get = { httpMethod: undefined, method: undefined, requestContext: undefined };
    const name = status === 'status' ? 'method' : 'httpMethod';
    const response = await start().receive({ ...event, ...get, [name]: 'GET' });
    expect(response).toMatchObject({ [status]: 405 });
    const { Allow } = { ...response.headers, ...response.multiValueHeaders };
    expect([Allow].flat()).toEqual(['POST']);
  });
});

describe('serverlessReceiver()', () => {
  const single = { httpMethod: 'POST', headers, ...text };

  test('returns headers in the form of the request', async () => {
    const { receive } = start();
    const type = 'text/plain; charset=utf-8';
    expect(await receive(single)).toEqual({
      statusCode: 200,
      headers: { 'Content-Type': type },
      body: 'OK',
      isBase64Encoded: false,
    });
    expect(await receive({ httpMethod: 'POST', multiValueHeaders, ...text })).toEqual({
      statusCode: 200,
      multiValueHeaders: { 'Content-Type': [type] },
      body: 'OK',
      isBase64Encoded: false,
    });
    expect(await receive({ method: 'POST', headers, body: {}, rawBody: body })).toEqual({
      status: 200,
      headers: { 'Content-Type': type },
      body: 'OK',
    });
  });

  test.each(['webhook-id', 'webhook-signature'])(
    'responds with 401 when %s is given twice',
    async (name) => {
      const twice = { ...multiValueHeaders, [name]: [`${headers[name]}`, `${headers[name]}`] };
      const { receive, reported } = start();
      const event = { httpMethod: 'POST', headers, multiValueHeaders: twice, ...text };
      expect(await receive(event)).toMatchObject({ statusCode: 401 });
      expect(reported).toEqual([`${name} is malformed or given twice.`]);
    },
  );

  test('responds with 500 and the cause when the platform has parsed the body', async () => {
    const parsed = { method: 'POST', headers, body: JSON.parse(body) };
    expect(await start().receive(parsed)).toMatchObject({
      status: 500,
      body: expect.stringContaining('already read or parsed'),
    });
  });

  test.each([null, undefined, ''])('responds with 401 to the body %j', async (none) => {
    expect(await start().receive({ ...single, body: none })).toMatchObject({ statusCode: 401 });
  });

  test.each(['%', 'a', 'YQ=', '📄'])('responds with 400 to the base64 %j', async (broken) => {
    const onError = vi.fn();
    const { receive, handled } = start({ onError });
    expect(await receive({ ...single, body: broken, isBase64Encoded: true })).toMatchObject({
      statusCode: 400,
      body: 'The body is not base64.',
    });
    expect(handled).toEqual([]);
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 'body_not_base64' }),
      { status: 400, event: undefined },
    );
  });

  test('writes errors to the console by default', async () => {
    const toConsole = vi.spyOn(console, 'error').mockReturnValue();
    const receive = serverlessReceiver(verifier, {});
    await receive({ ...single, body: '{}' });
    expect(toConsole).toHaveBeenCalledWith(expect.objectContaining({ code: 'signature_mismatch' }));
    toConsole.mockRestore();
  });
});
