import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openObjectStore } from '../../src/store/contents/s3/object-store.ts';
import { useS3Credentials } from '../support/contents/s3-server.ts';
import { someBytes } from './contents.suite.ts';

const mebibyte = 2 ** 20;

beforeEach(useS3Credentials);

/** Opens a store with one object, which a server in this process sends without using more memory. */
async function storeWith(object: Buffer) {
  const server = createServer((_, response) => {
    response.writeHead(206, { 'content-length': object.length }).end(object);
  });
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
