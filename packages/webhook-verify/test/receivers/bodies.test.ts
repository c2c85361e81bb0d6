import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { sign } from '../../src/sign.ts';
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

const limit = 1_048_576;
const json = JSON.stringify(vaultDeleted);

/** A vault.deleted event of so many bytes. */
function eventOfSize(size: number): string {
  const empty = JSON.stringify({ ...vaultDeleted, note: '' });
  return JSON.stringify({ ...vaultDeleted, note: 'x'.repeat(size - empty.length) });
}

afterEach(stopServers);

describe.each(frameworks)('the body in %s', (_framework, build) => {
  it('is verified byte for byte: invalid UTF-8 and a byte order mark arrive', async () => {
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

  it.each([
    ['nothing', ''],
    ['a form', 'type=vault.deleted'],
    ['JSON of another kind', '[]'],
    ['compressed', gzipSync(json)],
  ])('is answered 400 when it is signed but not an event: %s', async (_, body) => {
    const receiver = await startReceiver(build);
    const answer = await post(receiver, body);
    const text = 'The body is not a JSON event.';
    expectRefusal(receiver, answer, { status: 400, text, code: 'invalid_event' });
  });

  it('is taken as it was sent, whatever encoding and type the headers speak of', async () => {
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

  it('is 400, not 401, when it is rightly signed and compressed', async () => {
    const receiver = await startReceiver(build);
    const body = gzipSync(json);
    const headers = { 'Content-Encoding': 'gzip', 'X-Service-Signature': sign(body, secret) };
    const response = await fetch(receiver.url, { method: 'POST', headers, body });
    const answer = { status: response.status, text: await response.text() };
    const text = 'The body is not a JSON event.';
    expectRefusal(receiver, answer, { status: 400, text, code: 'invalid_event' });
  });

  it('may be as large as the limit', async () => {
    const receiver = await startReceiver(build);
    expect(await post(receiver, eventOfSize(limit))).toEqual({ status: 200, text: 'OK' });
    expect(receiver.handled).toHaveLength(1);
  });

  it('is answered 400 one byte above the limit, and the receiver goes on', async () => {
    const receiver = await startReceiver(build);
    const text = 'The body is larger than 1048576 bytes.';
    const answer = await post(receiver, eventOfSize(limit + 1));
    expectRefusal(receiver, answer, { status: 400, text, code: 'body_too_large' });
    expect(await post(receiver, json)).toEqual({ status: 200, text: 'OK' });
  });

  it('has a limit of its own when one is set', async () => {
    const receiver = await startReceiver(build, { options: { maxBodySize: 1000 } });
    const text = 'The body is larger than 1000 bytes.';
    const answer = await post(receiver, eventOfSize(16 * limit));
    expectRefusal(receiver, answer, { status: 400, text, code: 'body_too_large' });
    expect(await post(receiver, eventOfSize(1000))).toEqual({ status: 200, text: 'OK' });
  });

  it('may be larger than a framework reads by itself', async () => {
    const receiver = await startReceiver(build, { options: { maxBodySize: 4 * limit } });
    expect(await post(receiver, eventOfSize(3 * limit))).toEqual({ status: 200, text: 'OK' });
  });

  it('is answered 400 while the sender is still writing without end', async () => {
    const receiver = await startReceiver(build);
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

  it('arrives in pieces', async () => {
    const receiver = await startReceiver(build);
    const request = openRequest(receiver, { 'X-Service-Signature': sign(json, secret) });
    const answered = once(request, 'response');
    for (const character of json) request.write(character);
    request.end();
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  it('is asked for when the sender expects that', async () => {
    const receiver = await startReceiver(build);
    const request = openRequest(receiver, {
      Expect: '100-continue',
      'X-Service-Signature': sign(json, secret),
    });
    const answered = once(request, 'response');
    request.flushHeaders();
    await once(request, 'continue');
    expect(receiver.handled).toEqual([]);
    request.end(json);
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  it('that ends early reaches no handler', async () => {
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
