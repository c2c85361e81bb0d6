import { once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';
import type Koa from 'koa';
import { afterEach, describe, expect, it } from 'vitest';
import { sign } from '../src/sign.ts';
import { secret } from './builds.ts';
import { vaultDeleted } from './events.ts';
import { post, type Receiver, startReceiver, stopReceivers } from './koa-receiver.ts';

const limit = 1_048_576;

afterEach(stopReceivers);

/** A vault.deleted event of so many bytes. */
function eventOfSize(size: number): string {
  const empty = JSON.stringify({ ...vaultDeleted, note: '' });
  return JSON.stringify({ ...vaultDeleted, note: 'x'.repeat(size - empty.length) });
}

function openRequest({ url }: Receiver, headers: Record<string, string>): ClientRequest {
  const request = httpRequest(url, { method: 'POST', headers });
  // The tests break these connections themselves.
  request.on('error', () => {});
  return request;
}

describe('the body', () => {
  it('is verified byte for byte: invalid UTF-8 and a byte order mark arrive', async () => {
    const receiver = await startReceiver();
    const [before, after] = JSON.stringify({ ...vaultDeleted, note: '|' }).split('|');
    const body = Buffer.concat([
      Buffer.from(`\ufeff${before}`),
      Buffer.from([0xff]),
      Buffer.from(`${after}`),
    ]);
    expect(await post(receiver, body)).toEqual({ status: 200, text: 'OK' });
    expect(receiver.handled).toEqual(['vault.deleted: vault.deleted']);
  });

  it.each([
    ['nothing', ''],
    ['a form', 'type=vault.deleted'],
    ['JSON of another kind', '[]'],
  ])('is answered 400 when it is signed but not an event: %s', async (_, body) => {
    const receiver = await startReceiver();
    expect(await post(receiver, body)).toEqual({
      status: 400,
      text: 'The body is not a JSON event.',
    });
    expect(receiver.handled).toEqual([]);
    expect(receiver.errors).toMatchObject([{ code: 'invalid_event' }]);
  });

  it('may be as large as the limit', async () => {
    const receiver = await startReceiver();
    expect(await post(receiver, eventOfSize(limit))).toMatchObject({ status: 200 });
    expect(receiver.handled).toHaveLength(1);
  });

  it('is answered 400 one byte above the limit, and the connection stays usable', async () => {
    const receiver = await startReceiver();
    expect(await post(receiver, eventOfSize(limit + 1))).toEqual({
      status: 400,
      text: 'The body is larger than 1048576 bytes.',
    });
    expect(receiver.handled).toEqual([]);
    expect(receiver.errors).toMatchObject([{ name: 'UnreadableBodyError' }]);
    expect(await post(receiver, JSON.stringify(vaultDeleted))).toMatchObject({ status: 200 });
  });

  it('has a limit of its own when one is set', async () => {
    const receiver = await startReceiver({ options: { limit: 1000 } });
    expect(await post(receiver, eventOfSize(1000))).toMatchObject({ status: 200 });
    expect(await post(receiver, eventOfSize(16 * limit))).toEqual({
      status: 400,
      text: 'The body is larger than 1000 bytes.',
    });
  });

  it('is answered 400 while the sender is still writing without end', async () => {
    const receiver = await startReceiver();
    const request = openRequest(receiver, { 'Transfer-Encoding': 'chunked' });
    const answered = once(request, 'response');
    const chunk = Buffer.alloc(65_536, 'x');
    const write = () => {
      while (!request.destroyed && request.write(chunk));
    };
    request.on('drain', write);
    write();

    const [response] = await answered;
    expect(response.statusCode).toBe(400);
    expect(receiver.handled).toEqual([]);
    request.destroy();
  });

  it('that ends early reaches no handler', async () => {
    const receiver = await startReceiver();
    const body = JSON.stringify(vaultDeleted);
    const request = openRequest(receiver, {
      'Content-Length': `${body.length + 1}`,
      'X-Service-Signature': sign(body, secret),
    });
    const reported = receiver.errorNamed('UnreadableBodyError');
    request.write(body, () => request.destroy());

    expect(await reported).toHaveProperty('message', 'The body ended early.');
    expect(receiver.handled).toEqual([]);
  });
});

describe('a body that somebody else has read', () => {
  const message =
    'The body was already read or parsed: put the webhook receiver before any body parser.';

  it.each<[string, Koa.Middleware]>([
    [
      'a body parser',
      async (context, next) => {
        const chunks: Buffer[] = [];
        for await (const chunk of context.req) chunks.push(chunk);
        Object.assign(context.request, { body: JSON.parse(Buffer.concat(chunks).toString()) });
        await next();
      },
    ],
    [
      'a middleware that keeps it to itself',
      async (context, next) => {
        for await (const _chunk of context.req);
        await next();
      },
    ],
    [
      'a middleware that puts something in its place',
      async (context, next) => {
        Object.assign(context.request, { body: {} });
        await next();
      },
    ],
    [
      'a middleware that decodes it',
      async (context, next) => {
        context.req.setEncoding('utf8');
        await next();
      },
    ],
  ])('is answered 500 with the cause: %s', async (_, before) => {
    const receiver = await startReceiver({ before });
    const answer = await post(receiver, JSON.stringify(vaultDeleted));

    expect(answer).toEqual({ status: 500, text: message });
    expect(receiver.handled).toEqual([]);
    expect(receiver.errors).toMatchObject([{ code: 'body_not_raw', message }]);
  });
});
