import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { secret } from '../support/builds.ts';
import { vaultDeleted } from '../support/events.ts';
import { frameworks } from '../support/receivers/frameworks.ts';
import {
  expectRefusal,
  openRequest,
  post,
  startReceiver,
  stopServers,
  until,
} from '../support/receivers/receiver.ts';
import { sign } from '../support/sign.ts';

const limit = 1_048_576;
const json = JSON.stringify(vaultDeleted);

/** A vault.deleted event of the given size in bytes. */
function eventOfSize(size: number): string {
  const empty = JSON.stringify({ ...vaultDeleted, note: '' });
  return JSON.stringify({ ...vaultDeleted, note: 'x'.repeat(size - empty.length) });
}

afterEach(stopServers);

describe.each(frameworks)('the body in %s', (_framework, build) => {
  test('is verified byte for byte, with invalid UTF-8 and a byte order mark', async () => {
    const receiver = await startReceiver(build);
    const [before, after] = JSON.stringify({ ...vaultDeleted, note: '|' }).split('|');
    const body = Buffer.concat([
      Buffer.from(`\ufeff${before}`),
      Buffer.from([0xff]),
      Buffer.from(`${after}`),
    ]);
    expect(await post(receiver, body)).toEqual({ status: 200, text: 'OK' });
    expect(receiver.handled).toEqual(['vault.deleted: vault.deleted']);
  });

  test.each([
    ['nothing', ''],
    ['a form', 'type=vault.deleted'],
    ['JSON of another kind', '[]'],
    ['compressed', gzipSync(json)],
  ])('gets 400 when it is signed but not an event: %s', async (_, body) => {
    const receiver = await startReceiver(build);
    const answer = await post(receiver, body);
    const text = 'The body is no JSON event.';
    expectRefusal(receiver, answer, { status: 400, text, code: 'invalid_event' });
  });

  test('is used as sent, for any Content-Encoding and Content-Type', async () => {
    const receiver = await startReceiver(build);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'image/png']) {
      const body = JSON.stringify({ ...vaultDeleted, id: `evt_${type}` });
      const headers = {
        'Content-Type': type,
        'Content-Encoding': 'gzip',
        'X-Service-Signature': sign(body, secret),
      };
      expect((await fetch(receiver.url, { method: 'POST', headers, body })).status).toBe(200);
    }
    expect(receiver.handled).toHaveLength(3);
  });

  test('gets 400, not 401, when it is signed and compressed', async () => {
    const receiver = await startReceiver(build);
    const body = gzipSync(json);
    const headers = { 'Content-Encoding': 'gzip', 'X-Service-Signature': sign(body, secret) };
    const response = await fetch(receiver.url, { method: 'POST', headers, body });
    const answer = { status: response.status, text: await response.text() };
    const text = 'The body is no JSON event.';
    expectRefusal(receiver, answer, { status: 400, text, code: 'invalid_event' });
  });

  test('of exactly maxBodySize is accepted', async () => {
    const receiver = await startReceiver(build);
    expect(await post(receiver, eventOfSize(limit))).toEqual({ status: 200, text: 'OK' });
    expect(receiver.handled).toHaveLength(1);
  });

  test('one byte above maxBodySize gets 400, and the next request is handled', async () => {
    const receiver = await startReceiver(build);
    const text = 'The body is larger than 1048576 bytes.';
    const answer = await post(receiver, eventOfSize(limit + 1));
    expectRefusal(receiver, answer, { status: 400, text, code: 'body_too_large' });
    expect(await post(receiver, json)).toEqual({ status: 200, text: 'OK' });
  });

  test('above the option maxBodySize gets 400', async () => {
    const receiver = await startReceiver(build, { options: { maxBodySize: 1000 } });
    const text = 'The body is larger than 1000 bytes.';
    const answer = await post(receiver, eventOfSize(16 * limit));
    expectRefusal(receiver, answer, { status: 400, text, code: 'body_too_large' });
    expect(await post(receiver, eventOfSize(1000))).toEqual({ status: 200, text: 'OK' });
  });

  test('may exceed the default limit of the framework when maxBodySize does', async () => {
    const receiver = await startReceiver(build, { options: { maxBodySize: 4 * limit } });
    expect(await post(receiver, eventOfSize(3 * limit))).toEqual({ status: 200, text: 'OK' });
  });

  test('gets 400 while the sender is still writing', async () => {
    const receiver = await startReceiver(build);
    const request = openRequest(receiver, { 'Transfer-Encoding': 'chunked' });
    const responded = once(request, 'response');
    const chunk = Buffer.alloc(65_536, 'x');
    const write = () => {
      while (!request.destroyed && request.write(chunk));
    };
    request.on('drain', write);
    write();

    const [response] = await responded;
    expect(response.statusCode).toBe(400);
    expect(receiver.handled).toEqual([]);
    request.destroy();
  });

  test('that arrives in pieces is verified', async () => {
    const receiver = await startReceiver(build);
    const request = openRequest(receiver, { 'X-Service-Signature': sign(json, secret) });
    const responded = once(request, 'response');
    for (const character of json) request.write(character);
    request.end();
    const [response] = await responded;
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test('is requested with 100 Continue when the sender expects it', async () => {
    const receiver = await startReceiver(build);
    const request = openRequest(receiver, {
      Expect: '100-continue',
      'X-Service-Signature': sign(json, secret),
    });
    const responded = once(request, 'response');
    request.flushHeaders();
    await once(request, 'continue');
    expect(receiver.handled).toEqual([]);
    request.end(json);
    const [response] = await responded;
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test('that ends early runs no handler', async () => {
    const receiver = await startReceiver(build);
    const request = openRequest(receiver, {
      'Content-Length': `${json.length + 1}`,
      'X-Service-Signature': sign(json, secret),
    });
    request.write(json, () => request.destroy());

    await until(() => receiver.reports.length > 0);
    expect(receiver.reports).toMatchObject([{ error: { code: 'body_incomplete' }, status: 400 }]);
    expect(receiver.handled).toEqual([]);
    expect(await post(receiver, json)).toEqual({ status: 200, text: 'OK' });
  });
});
