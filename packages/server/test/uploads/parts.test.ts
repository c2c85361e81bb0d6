import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { uploadLifetime, uploadPartBytes } from '../../src/generated/rules/uploads.ts';
import { command } from '../support/command-line.ts';
import { connectTo } from '../support/connection.ts';
import { dataFolder, rowsIn } from '../support/data-folder.ts';
import { refusal } from '../support/front-door.ts';
import { newKey, newVault } from '../support/resources.ts';
import { startTestServer, type TestServerOptions } from '../support/server.ts';
import {
  begin,
  contentDigest,
  contentOfLength,
  documentOfUpload,
  newId,
  partOf,
  putPart,
} from '../support/uploads.ts';

async function startWithUpload(sizeBytes: number, options: TestServerOptions = {}) {
  const server = await startTestServer(options);
  const { developer, url, apiKey } = server;
  const vault = await newVault(developer);
  const upload = (await begin(developer, vault.id, sizeBytes)).body;
  const { id } = upload;
  const send = (part: number | string, bytes: Uint8Array | string | ReadableStream, headers = {}) =>
    putPart({ url, headers: { 'x-api-key': apiKey, ...headers }, id, part, bytes });
  const parts = async () => (await developer('GET', `/api/v1/uploads/${id}`)).body.parts;
  return { ...server, vault, upload, send, parts };
}

/** Sends these chunks one by one, with Transfer-Encoding: chunked. */
function chunked(...chunks: Uint8Array[]): ReadableStream {
  return Readable.toWeb(Readable.from(chunks)) as ReadableStream;
}

const sha256Of = (bytes: Buffer) => contentDigest(bytes).slice('sha-256=:'.length, -1);

describe('PUT part', () => {
  test('returns 204, and GET lists the parts in the order of their numbers', async () => {
    const content = contentOfLength(2 * uploadPartBytes + 1000);
    const { send, parts } = await startWithUpload(content.length);
    for (const part of [2, 0, 1]) {
      const reply = await send(part, partOf(content, part));
      expect(reply).toMatchObject({ status: 204, body: undefined });
    }
    expect(await parts()).toEqual(
      [0, 1, 2].map((part) => ({
        part,
        sizeBytes: part === 2 ? 1000 : uploadPartBytes,
        sha256: sha256Of(partOf(content, part)),
      })),
    );
  });

  test('accepts parts in parallel, and chunked bodies', async () => {
    const content = contentOfLength(2 * uploadPartBytes + 1000);
    const { send, parts } = await startWithUpload(content.length);
    const replies = await Promise.all(
      [0, 1, 2].map((part) => {
        const bytes = partOf(content, part);
        return send(part, chunked(bytes.subarray(0, 7), bytes.subarray(7)));
      }),
    );
    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await parts()).toHaveLength(3);
  });

  test('of the same number again replaces the part: the last one counts', async () => {
    const { send, parts, upload, developer } = await startWithUpload(10);
    await send(0, Buffer.from('first part'));
    await send(0, Buffer.from('other part'));
    expect(await parts()).toEqual([
      { part: 0, sizeBytes: 10, sha256: sha256Of(Buffer.from('other part')) },
    ]);
    const body = documentOfUpload(upload);
    const { id } = (await developer('POST', '/api/v1/documents', { body })).body;
    const { encryptedData } = (await developer('GET', `/api/v1/documents/${id}`)).body;
    expect(Buffer.from(encryptedData, 'base64').toString()).toBe('other part');
  });

  test('of the same number from two places at once counts one of them whole', async () => {
    const content = contentOfLength(2 * uploadPartBytes);
    const { send, parts, upload, developer } = await startWithUpload(uploadPartBytes);
    const versions = [partOf(content, 0), partOf(content, 1)];
    const replies = await Promise.all(versions.map((bytes) => send(0, bytes)));
    expect(replies.map(({ status }) => status)).toEqual([204, 204]);
    const [{ sha256 }] = await parts();
    const body = documentOfUpload(upload);
    const { id } = (await developer('POST', '/api/v1/documents', { body })).body;
    const { encryptedData } = (await developer('GET', `/api/v1/documents/${id}`)).body;
    const stored = Buffer.from(encryptedData, 'base64');
    expect(sha256Of(stored)).toBe(sha256);
    expect(versions.some((version) => version.equals(stored))).toBe(true);
  });

  test('with another digest than Content-Digest returns 400 digest and stores nothing', async () => {
    const { send, parts } = await startWithUpload(10);
    const digest = contentDigest(Buffer.from('other part'));
    const headers = { 'content-digest': digest };
    expect(await send(0, Buffer.from('first part'), headers)).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'Content-Digest', constraint: 'digest' }),
    );
    expect(await parts()).toEqual([]);
    expect(await send(0, Buffer.from('other part'), headers)).toMatchObject({ status: 204 });
  });

  test('with a wrong digest leaves an earlier part as it is', async () => {
    const { send, parts } = await startWithUpload(10);
    await send(0, Buffer.from('first part'));
    const headers = { 'content-digest': contentDigest(Buffer.from('another')) };
    expect(await send(0, Buffer.from('other part'), headers)).toMatchObject({ status: 400 });
    expect(await parts()).toMatchObject([{ sha256: sha256Of(Buffer.from('first part')) }]);
  });

  test('takes the sha-256 among other digests, and returns 400 pattern without one', async () => {
    const { send } = await startWithUpload(10);
    const bytes = Buffer.from('first part');
    const others = `sha-512=:AAAA:, ${contentDigest(bytes)}`;
    expect(await send(0, bytes, { 'content-digest': others })).toMatchObject({ status: 204 });
    for (const digest of ['sha-512=:AAAA:', 'sha-256=AAAA', 'x', `sha-256=:${'A'.repeat(44)}:`]) {
      const reply = await send(0, bytes, { 'content-digest': digest });
      expect(reply, digest).toMatchObject(
        refusal('VALIDATION_ERROR', { field: 'Content-Digest', constraint: 'pattern' }),
      );
    }
  });

  test.each(['3', '-1', '01', '1.5', 'a', '%00', '99999999999999999999'])(
    'with the number %s of an upload of three parts returns 400 partNumber',
    async (part) => {
      const { send } = await startWithUpload(2 * uploadPartBytes + 1);
      const reply = await send(part, 'a');
      expect(reply).toMatchObject(
        refusal('VALIDATION_ERROR', { field: 'part', constraint: 'partNumber' }),
      );
      expect(reply.body.error.message).toBe(
        'part must be a whole number from 0 to 2: the upload has 3 parts.',
      );
    },
  );

  test.each([
    ['shorter', Buffer.alloc(9)],
    ['longer', Buffer.alloc(11)],
    ['empty', Buffer.alloc(0)],
  ])('with a body that is %s than the part returns 400 partBytes', async (_, bytes) => {
    const { send, parts } = await startWithUpload(10);
    const expected = refusal('VALIDATION_ERROR', { field: 'body', constraint: 'partBytes' });
    expect(await send(0, bytes)).toMatchObject(expected);
    expect(await send(0, chunked(bytes))).toMatchObject(expected);
    expect(await parts()).toEqual([]);
  });

  test('that is not application/octet-stream returns 400 contentType', async () => {
    const { send } = await startWithUpload(10);
    const headers = { 'content-type': 'application/json' };
    expect(await send(0, 'first part', headers)).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'Content-Type', constraint: 'contentType' }),
    );
  });

  test('with a Content-Encoding returns 400 contentEncoding', async () => {
    const { send } = await startWithUpload(10);
    expect(await send(0, 'first part', { 'content-encoding': 'gzip' })).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'body', constraint: 'contentEncoding' }),
    );
  });

  test('of an unknown, foreign, given up or expired upload returns 404', async () => {
    const { send, url, apiKey, signUp, upload, developer, clock } = await startWithUpload(10);
    const to = (id: string, headers: Record<string, string>) =>
      putPart({ url, headers, id, part: 0, bytes: 'first part' });
    const own = { 'x-api-key': apiKey };
    expect(await to(newId(), own)).toMatchObject(refusal('NOT_FOUND'));
    const { call } = await signUp('other@example.com');
    const { key } = await newKey(call, ['documents:write']);
    expect(await to(upload.id, { 'x-api-key': key })).toMatchObject(
      refusal('NOT_FOUND', { uploadId: upload.id }),
    );
    await developer('DELETE', `/api/v1/uploads/${upload.id}`);
    expect(await send(0, 'first part')).toMatchObject(refusal('NOT_FOUND'));
    const later = (await begin(developer, upload.vaultId, 10)).body;
    clock.advance(uploadLifetime);
    expect(await to(later.id, own)).toMatchObject(refusal('NOT_FOUND'));
  });
});

describe('a part whose upload or credentials end while it arrives', () => {
  const length = uploadPartBytes;

  /** Sends all of a part but its last byte. */
  async function almostSent(
    server: { readonly url: string; readonly upload: { readonly id: string } },
    key: string,
  ) {
    const connection = await connectTo(server.url);
    const head = [
      `PUT /api/v1/uploads/${server.upload.id}/parts/0 HTTP/1.1`,
      'Host: vault.example',
      `X-Api-Key: ${key}`,
      'Content-Type: application/octet-stream',
      `Content-Length: ${length}`,
    ];
    await connection.send(`${head.join('\r\n')}\r\n\r\n${'a'.repeat(length - 1)}`);
    return connection;
  }

  test('is not accepted with a key that was revoked', async () => {
    const server = await startTestServer({ minDataRate: 0 });
    const { call } = await server.signUp('other@example.com');
    const vault = await newVault(call);
    const upload = (await begin(call, vault.id, length)).body;
    const { keyId, key } = await newKey(call, ['documents:write']);
    const connection = await almostSent({ ...server, upload }, key);
    await call('DELETE', `/api/v1/api-keys/${keyId}`);
    connection.socket.write('a');
    expect(await connection.until(/\}\}$/)).toMatch(/^HTTP\/1\.1 401 [\s\S]*INVALID_API_KEY/);
    expect((await call('GET', `/api/v1/uploads/${upload.id}`)).body.parts).toEqual([]);
  });

  test('is not accepted from an account that was suspended', async () => {
    const data = await dataFolder();
    const server = await startWithUpload(length, { data, minDataRate: 0 });
    const connection = await almostSent(server, server.apiKey);
    const suspend = ['user', 'suspend', server.account?.email ?? '', '--data', data];
    expect(await command(suspend)).toMatchObject({ code: 0 });
    connection.socket.write('a');
    expect(await connection.until(/\}\}$/)).toMatch(/^HTTP\/1\.1 403 [\s\S]*ACCOUNT_SUSPENDED/);
    expect(rowsIn(data, 'content_parts')).toBe(0);
    expect(rowsIn(data, 'document_contents')).toBe(0);
  });

  test('returns 404 when the upload expired', async () => {
    const server = await startWithUpload(length, { minDataRate: 0 });
    const connection = await almostSent(server, server.apiKey);
    server.clock.advance(uploadLifetime);
    connection.socket.write('a');
    expect(await connection.until(/\}\}$/)).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('returns 404 when the upload was given up, and leaves no bytes behind', async () => {
    const server = await startWithUpload(length, { minDataRate: 0 });
    const connection = await almostSent(server, server.apiKey);
    await server.developer('DELETE', `/api/v1/uploads/${server.upload.id}`);
    connection.socket.write('a');
    expect(await connection.until(/\}\}$/)).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('does not count when the connection is cut', async () => {
    const server = await startWithUpload(length, { minDataRate: 0 });
    const connection = await almostSent(server, server.apiKey);
    connection.socket.destroy();
    await server.settled();
    expect(await server.parts()).toEqual([]);
    expect(await server.send(0, contentOfLength(length))).toMatchObject({ status: 204 });
  });

  test('below the minimum data rate ends the connection', async () => {
    const server = await startWithUpload(length, { minDataRate: 240, dataRateGrace: 1000 });
    const connection = await almostSent(server, server.apiKey);
    for (let second = 0; second < 3; second += 1) server.clock.advance(1000);
    await connection.end();
    expect(await server.parts()).toEqual([]);
  });
});
