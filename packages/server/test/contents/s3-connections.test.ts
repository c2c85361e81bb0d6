import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { DocumentContent } from '../../src/store/contents/contents.ts';
import { openObjectStore } from '../../src/store/contents/s3/object-store.ts';
import { objectPieces } from '../../src/store/contents/s3/reading.ts';
import type { Store } from '../../src/store/store.ts';
import { useS3Credentials } from '../support/contents/s3-server.ts';
import { someBytes } from './contents.suite.ts';

const mebibyte = 2 ** 20;

beforeEach(useS3Credentials);

/** Opens a store with one object, which a server in this process sends without using more memory. */
function storeWith(object: Buffer) {
  return storeThat((_, response) => {
    response.writeHead(206, { 'content-length': object.length }).end(object);
  });
}

async function storeThat(responds: RequestListener) {
  const server = createServer(responds);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const store = await openObjectStore({ bucket: 'b', prefix: '', endpoint, region: 'us-east-1' });
  onTestFinished(async () => {
    store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return store;
}

test('reading an object needs no garbage collector when its reader frees the chunks', async () => {
  const object = someBytes(12 * mebibyte, 1);
  const store = await storeWith(object);
  const before = process.memoryUsage().arrayBuffers;
  const body = await store.get('key', { from: 0, to: object.length });
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    chunk.buffer.transfer(0);
  }
  expect(length).toBe(object.length);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(3 * mebibyte);
});

test('chunks of an object stay unchanged while its reader keeps them', async () => {
  const object = someBytes(4 * mebibyte, 2);
  const store = await storeWith(object);
  const body = await store.get('key', { from: 0, to: object.length });
  const chunks: Buffer[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(object)).toBe(true);
});

test('no response is open after the first piece of an object, also when its reader has gone', async () => {
  const object = someBytes(mebibyte, 4);
  const objects = await storeThat((request, response) => {
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    const part = object.subarray(Number(range[1]), Number(range[2]) + 1);
    response.writeHead(206, { 'content-length': part.length }).end(part);
  });
  const bodies: (Readable | undefined)[] = [];
  const get: typeof objects.get = async (...request) => {
    const body = await objects.get(...request);
    bodies.push(body);
    return body;
  };
  const store = { contentObjects: { keyOf: async () => 'key' } } as unknown as Store;
  const document = { id: 'document', sizeBytes: object.length } as DocumentContent;
  const source = { store, objects: { ...objects, get } };
  const pieces = objectPieces(source, document, { from: 0, to: object.length });
  const { value: first } = await pieces.next();
  expect(bodies.map((body) => body?.readableEnded)).toEqual([true]);
  const rest = await Readable.from(pieces).toArray();
  expect(Buffer.concat([first ?? Buffer.alloc(0), ...rest]).equals(object)).toBe(true);
});

const upload = { key: 'key', uploadId: 'upload' };

test('sending a part frees each chunk once it is sent, and sends the bytes unchanged', async () => {
  let received = Buffer.alloc(0);
  const store = await storeThat(async (request, response) => {
    // Until the sender has to wait.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    received = await buffer(request);
    response.writeHead(200, { etag: '"tag"' }).end();
  });
  const content = someBytes(8 * mebibyte, 3);
  const sent: Buffer[] = [];
  let mostKept = 0;
  async function* chunks() {
    for (let at = 0; at < content.length; at += 65_536) {
      const chunk = Buffer.allocUnsafeSlow(65_536);
      content.copy(chunk, 0, at);
      sent.push(chunk);
      mostKept = Math.max(mostKept, sent.filter(({ length }) => length > 0).length);
      yield chunk;
    }
  }
  const part = { part: 0, bytes: content.length };
  await expect(store.putPart(upload, part, chunks())).resolves.toMatchObject({ etag: '"tag"' });
  expect(received.equals(content)).toBe(true);
  expect(sent.filter(({ length }) => length > 0)).toEqual([]);
  expect(mostKept).toBeLessThan(16);
});

test('sending a part leaves memory alone that other bytes share', async () => {
  const store = await storeThat(async (request, response) => {
    await buffer(request);
    response.writeHead(200, { etag: '"tag"' }).end();
  });
  const shared = someBytes(1000, 4);
  async function* chunks() {
    yield shared.subarray(0, 400);
    yield shared.subarray(400);
  }
  await store.putPart(upload, { part: 0, bytes: shared.length }, chunks());
  expect(shared.equals(someBytes(1000, 4))).toBe(true);
});
