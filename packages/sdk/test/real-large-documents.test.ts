/** Large documents of the real server: above 32 MiB, their content is in no JSON response. */
import { randomFillSync } from 'node:crypto';
import type { UploadCheckpoint, UploadProgress } from '@document-vault/sdk';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { keyClient, rejection } from './support/client.ts';
import { startKeyClient } from './support/real-server.ts';

const MiB = 1024 * 1024;
const content = randomFillSync(new Uint8Array(34 * MiB + 123));

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const expectBytes = (bytes: Uint8Array, expected: Uint8Array) =>
  expect(Buffer.compare(bytes, expected)).toBe(0);

test('an interrupted upload of 34 MiB is resumed, read in ranges and shared as a stream', async () => {
  const { server, client, sent } = await startKeyClient();
  const vault = await client.vaults.create({ name: 'Films' });
  const cipher = await cheapCipher('open sesame');
  const options = { vaultId: vault.id, cipher, fileName: 'film.mp4' };

  const cut = keyClient({
    baseUrl: server.url,
    apiKey: server.apiKey,
    maxRetries: 0,
    fetch: (url, init) =>
      url.endsWith('/parts/3') ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init),
  });
  let resume: UploadCheckpoint | undefined;
  const onCheckpoint = (checkpoint: UploadCheckpoint) => {
    resume = checkpoint;
  };
  const interrupted = cut.documents.upload(content, { ...options, onCheckpoint });
  expect(await rejection(interrupted)).toMatchObject({ name: 'ConnectionError' });
  expect((await client.documents.list()).data).toEqual([]);

  const seen: UploadProgress[] = [];
  const document = await client.documents.upload(content, {
    ...options,
    resume,
    onProgress: (progress) => seen.push(progress),
  });
  expect(document.id).toBe(resume?.uploadId);
  expect(seen[0]?.loaded).toBeGreaterThan(0);
  expect(seen.at(-1)?.loaded).toBe(content.length);
  expect((await client.documents.get(document.id)).encryptedData).toBeNull();

  const { stream, slice } = await client.documents.download(document.id, { cipher, as: 'stream' });
  expectBytes(await collect(stream), content);
  expectBytes(
    await collect(slice(20 * MiB, 20 * MiB + 9)),
    content.subarray(20 * MiB, 20 * MiB + 9),
  );
  expectBytes((await client.documents.download(document.id, { cipher })).bytes, content);

  const share = await client.shares.create(document.id, { access: 'anyone', maxAccessCount: 1 });
  const link = await shareUrl(share, { cipher, document });
  const opened = await openShare(link, { baseUrl: server.url, as: 'stream' });
  expectBytes(await collect(opened.slice(33 * MiB)), content.subarray(33 * MiB));
  expectBytes(await collect(opened.stream), content);
  await client.shares.delete(document.id, share.id);
  expect(await rejection(collect(opened.slice(9 * MiB, 9 * MiB + 5)))).toMatchObject({
    name: 'NotFoundError',
  });
  // The parts that had arrived were not sent again.
  expect(sent.filter((call) => call.startsWith('PUT')).length).toBeLessThan(5);
}, 120_000);

test('a range of 100 bytes of 20 MiB receives at most 2 segments, also of a share', async () => {
  const { server, client } = await startKeyClient();
  const vault = await client.vaults.create({ name: 'Films' });
  const cipher = await cheapCipher('open sesame');
  const film = content.subarray(0, 20 * MiB);
  const options = { vaultId: vault.id, cipher, fileName: 'film.mp4' };
  const document = await client.documents.upload(film, options);
  const share = await client.shares.create(document.id, { access: 'anyone' });

  let received = 0;
  const counting = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        received += chunk.length;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(counter), response);
  };
  const counted = keyClient({ baseUrl: server.url, apiKey: server.apiKey, fetch: counting });
  const range = { start: 10 * MiB, end: 10 * MiB + 100 };
  const expected = film.subarray(range.start, range.end);
  const { bytes } = await counted.documents.download(document.id, { cipher, range });
  expectBytes(bytes, expected);
  const opened = await counted.documents.download(document.id, { cipher, range, as: 'stream' });
  expectBytes(await collect(opened.stream), expected);
  const link = await shareUrl(share, { cipher, document });
  const shared = await openShare(link, { baseUrl: server.url, fetch: counting, range });
  expectBytes(shared.bytes, expected);
  expect(received).toBeLessThan(3 * 2.1 * MiB);
}, 120_000);
