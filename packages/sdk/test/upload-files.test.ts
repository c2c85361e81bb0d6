/** Uploads of open files of Node, which are read by position. */
import { type FileHandle, mkdtemp, open, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceChangedError, UsageError } from '@document-vault/sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSource } from '../src/resources/upload-source.ts';
import { rejection } from './support/client.ts';
import { partBytes } from './support/upload-service.ts';
import { content, expectContent, interruptedUpload, setUpUploads } from './support/uploads.ts';

const GiB = 2 ** 30;
const { signal } = new AbortController();

let folder: string;
let path: string;
let file: FileHandle;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upload-'));
  path = join(folder, 'film.mp4');
  await writeFile(path, content);
  file = await open(path, 'r+');
});
afterEach(async () => {
  await file.close();
  await rm(folder, { recursive: true });
});

test.each([
  ['in parts', content.length],
  ['in one request', 1_234_567],
  ['of no bytes', 0],
])('documents.upload takes an open file, %s, and leaves it open', async (_, size) => {
  const { client, options } = await setUpUploads();
  await file.truncate(size);
  const document = await client.documents.upload(file, { ...options, size });
  const { bytes, mimeType } = await client.documents.download(document.id, options);
  expect(Buffer.compare(bytes, content.subarray(0, size))).toBe(0);
  expect(mimeType).toBe('application/octet-stream');
  expect((await file.stat()).size).toBe(size);
});

test('documents.upload rejects an open file without fileName or of another size, and sends nothing', async () => {
  const { client, options, calls } = await setUpUploads();
  const { fileName: _, ...nameless } = options;
  const unnamed = await rejection(client.documents.upload(file, nameless));
  expect(unnamed).toBeInstanceOf(UsageError);
  const size = content.length + 1;
  const error = await rejection(client.documents.upload(file, { ...options, size }));
  expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining('size is') });
  expect(calls).toEqual([]);
});

test('a resumed upload reads the first, the last and the missing parts of an unchanged file', async () => {
  const service = await setUpUploads();
  const resume = await interruptedUpload(service, { source: file, failAt: 3 });
  const parts = new Set<number>();
  const recorded = {
    stat: () => file.stat(),
    read: (buffer: Uint8Array, offset: number, length: number, position: number) => {
      // A segment begins a little before its place in the ciphertext.
      parts.add(Math.floor((position + 1_000) / partBytes));
      return file.read(buffer, offset, length, position);
    },
  };
  const options = { ...service.options, resume };
  const document = await service.client.documents.upload(recorded, options);
  expect([...parts]).toEqual([0, 3]);
  expectContent((await service.client.documents.download(document.id, options)).bytes);
});

test('a resumed upload of a file with another time rejects with SourceChangedError', async () => {
  const service = await setUpUploads();
  const resume = await interruptedUpload(service, { source: file });
  await utimes(path, 1, 1);
  const resuming = service.client.documents.upload(file, { ...service.options, resume });
  expect(await rejection(resuming)).toBeInstanceOf(SourceChangedError);
  expect(service.calls).toEqual([]);
});

test.each<[string, () => Promise<unknown>]>([
  ['becomes shorter', () => file.truncate(partBytes)],
  ['becomes longer', () => file.write(content, 0, 1, content.length)],
  ['is written to', () => utimes(path, 1, 1)],
])('an upload of a file that %s meanwhile rejects and creates no document', async (_, change) => {
  const { client, options, state, documents } = await setUpUploads();
  state.intercept = async ({ part }) => {
    if (part === 0) await change();
    return undefined;
  };
  const error = await rejection(client.documents.upload(file, options));
  expect(error).toBeInstanceOf(SourceChangedError);
  expect(documents.size).toBe(0);
});

test('a file of more than 4 GiB has its size, and is read at its end', async () => {
  const size = 5 * GiB + 123;
  // A sparse file: it takes no space.
  await file.truncate(size);
  await file.write('the end', size - 7);
  const source = await openSource(file, { signal });
  expect(source.size).toBe(size);
  expect(Buffer.from(await source.read(size - 9, size)).toString()).toBe('\0\0the end');
  await source.finish();
});
