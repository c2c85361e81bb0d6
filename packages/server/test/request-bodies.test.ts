import { beforeEach, describe, expect, test } from 'vitest';
import { expectEveryHeader } from './support/front-door.ts';
import { invalid } from './support/replies.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const mebibyte = 1024 * 1024;

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer();
});

/** Sends a body without changing it. */
async function post(body: RequestInit['body'], contentType?: string) {
  const response = await fetch(`${server.url}/api/v1/vaults`, {
    method: 'POST',
    headers: {
      'x-api-key': server.account?.apiKey ?? '',
      ...(contentType !== undefined && { 'content-type': contentType }),
    },
    body,
    duplex: 'half',
  } as RequestInit);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const json = (text: string | Uint8Array<ArrayBuffer>) => post(text, 'application/json');

describe('request body', () => {
  test('text that is not JSON returns 400 json', async () => {
    for (const text of [
      '{',
      '{"name":"x"',
      '{"name":"x"} {}',
      "{'name':'x'}",
      '{"name":"x",}',
      '{name:"x"}',
      '{"name":NaN}',
      '{"name":"a\nb"}',
      '// {"name":"x"}',
      ' ',
      'undefined',
    ]) {
      const reply = await json(text);
      expect(reply, text).toMatchObject(invalid('body', 'json'));
      expectEveryHeader(reply);
    }
  });

  test('a body of more than 10 000 values returns 400 json, however long it is', async () => {
    const many = (count: number) => `{"name":"x","list":[${Array(count).fill('0').join()}]}`;
    expect(await json(many(9_990))).toMatchObject(invalid('list', 'additionalProperties'));
    expect(await json(many(10_000))).toMatchObject(invalid('body', 'json'));
    expect(await json(many(500_000))).toMatchObject(invalid('body', 'json'));
  });

  test('a body that breaks 5000 rules returns the first 100 violations', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, 1]));
    const reply = await json(JSON.stringify(unknown));
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(reply.body).toMatchObject({
      error: { details: { violations: expect.objectContaining({ length: 100 }) } },
    });
  });

  test('a body that is not UTF-8 returns 400 json', async () => {
    for (const [name, bytes] of [
      ['Latin-1', Buffer.from('{"name":"Zürich"}', 'latin1')],
      ['UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
      ['half a character', Buffer.from('{"name":"😀"}').subarray(0, 12)],
      ['a surrogate on its own', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
      ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ] as const) {
      expect(await json(new Uint8Array(bytes)), name).toMatchObject(invalid('body', 'json'));
    }
  });

  test('another or missing Content-Type returns 400 contentType', async () => {
    for (const contentType of [
      undefined,
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'application/jsonp',
      'json',
    ]) {
      const bytes = new TextEncoder().encode('{"name":"x"}');
      expect(await post(bytes, contentType), contentType).toMatchObject(
        invalid('Content-Type', 'contentType'),
      );
    }
  });

  test('every spelling of application/json is accepted', async () => {
    for (const contentType of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
    ]) {
      expect((await post('{"name":"x"}', contentType)).status, contentType).toBe(201);
    }
  });

  test('a missing body returns 400 required where one is required', async () => {
    const reply = await server.developer('POST', '/api/v1/vaults');
    expect(reply).toMatchObject(invalid('body', 'required'));
    expect(await json('')).toMatchObject(invalid('body', 'required'));
  });

  test('a missing body counts as an empty object where every field is optional', async () => {
    const reply = await server.developer('POST', '/api/v1/documents/unknown/share');
    expect(reply).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  });

  test('a body is ignored where the operation has none', async () => {
    const reply = await server.developer('DELETE', '/api/v1/vaults/unknown', { body: '{' });
    expect(reply.status).toBe(404);
  });

  test('100 000 nested objects or arrays return 400 json', async () => {
    for (const [kind, open, close] of [
      ['objects', '{"a":', '}'],
      ['arrays', '[', ']'],
    ] as const) {
      const depth = 100_000;
      const metadata = `${open.repeat(depth)}1${close.repeat(depth)}`;
      const body = `{"url":"http://127.0.0.1:9/","events":["vault.created"],
        "secret":"a secret of these tests, long enough","metadata":{"deep":${metadata}}}`;
      const reply = await server.developer('POST', '/api/v1/webhooks', { body });
      expect(reply, kind).toMatchObject(invalid('body', 'json'));
    }
  });
});

describe('request body above 1 MiB', () => {
  /** JSON of exactly `size` bytes. */
  const ofBytes = (size: number) => `{"name":"${'x'.repeat(size - 11)}"}`;

  test('a Content-Length above the limit returns 400 maxBytes', async () => {
    const reply = await json(ofBytes(mebibyte + 1));
    expect(reply).toMatchObject(invalid('body', 'maxBytes'));
    expectEveryHeader(reply);
    // A body of exactly 1 MiB is read and validated.
    expect(await json(ofBytes(mebibyte))).toMatchObject(invalid('name', 'maxLength'));
  });

  test('a chunked body above the limit returns 400 maxBytes', async () => {
    const stream = (text: string) => new Blob([text]).stream();
    expect(await post(stream(ofBytes(mebibyte + 1)), 'application/json')).toMatchObject(
      invalid('body', 'maxBytes'),
    );
    expect(await post(stream(ofBytes(mebibyte)), 'application/json')).toMatchObject(
      invalid('name', 'maxLength'),
    );
    expect((await post(stream('{"name":"x"}'), 'application/json')).status).toBe(201);
  });
});
