import { beforeEach, describe, expect, test } from 'vitest';
import { expectEveryHeader } from './support/front-door.ts';
import { invalid } from './support/replies.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const mebibyte = 1024 * 1024;

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer();
});

/** Sends a body as it is. */
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

describe('a body', () => {
  test('that is not JSON is refused', async () => {
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
      '\ufeff{"name":"x"}',
    ]) {
      const reply = await json(text);
      expect(reply, text).toMatchObject(invalid('body', 'json'));
      expectEveryHeader(reply);
    }
  });

  test('of very many values is refused at little cost', async () => {
    const many = (count: number) => `{"name":"x","list":[${Array(count).fill('0').join()}]}`;
    expect(await json(many(9_990))).toMatchObject(invalid('list', 'additionalProperties'));
    expect(await json(many(10_000))).toMatchObject(invalid('body', 'json'));
    expect(await json(many(500_000))).toMatchObject(invalid('body', 'json'));
  });

  test('that breaks very many rules is told of the first hundred', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, 1]));
    const reply = await json(JSON.stringify(unknown));
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(reply.body).toMatchObject({
      error: { details: { violations: expect.objectContaining({ length: 100 }) } },
    });
  });

  test('that is not UTF-8 is refused', async () => {
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

  test('of another content type is refused', async () => {
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

  test('of JSON is taken, however its type is written', async () => {
    for (const contentType of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
    ]) {
      expect((await post('{"name":"x"}', contentType)).status, contentType).toBe(201);
    }
  });

  test('that is missing is refused where one is needed', async () => {
    const reply = await server.developer('POST', '/api/v1/vaults');
    expect(reply).toMatchObject(invalid('body', 'required'));
    expect(await json('')).toMatchObject(invalid('body', 'required'));
  });

  test('that is missing is taken for an empty one where none is needed', async () => {
    const reply = await server.developer('POST', '/api/v1/documents/unknown/share');
    expect(reply).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  });

  test('where none belongs is ignored', async () => {
    const reply = await server.developer('DELETE', '/api/v1/vaults/unknown', { body: '{' });
    expect(reply.status).toBe(404);
  });

  test('of countless nested objects or arrays is refused', async () => {
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

describe('a body that is too large', () => {
  /** As JSON, with that many bytes in all. */
  const ofBytes = (size: number) => `{"name":"${'x'.repeat(size - 11)}"}`;

  test('is refused by the length that it announces', async () => {
    const reply = await json(ofBytes(mebibyte + 1));
    expect(reply).toMatchObject(invalid('body', 'maxBytes'));
    expectEveryHeader(reply);
    // One byte less is read, and judged by what it says.
    expect(await json(ofBytes(mebibyte))).toMatchObject(invalid('name', 'maxLength'));
  });

  test('in chunks is read up to the limit', async () => {
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
