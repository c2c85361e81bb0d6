import type { DocumentVault, UploadCheckpoint, UploadProgress } from '@document-vault/sdk';
import type { Cipher } from '@document-vault/sdk/crypto';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { check, rejects, same, sameBytes } from '../check.ts';
import { keyClient, quickCipher, withVault } from '../clients.ts';
import type { Case, Environment } from '../suite.ts';

/** Two parts of the service. */
const size = 9 * 1024 * 1024 + 17;

function content(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 4_093) bytes[at] = at % 251;
  return bytes;
}

interface Stored {
  readonly client: DocumentVault;
  readonly cipher: Cipher;
  readonly vaultId: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function setUp(environment: Environment): Promise<Stored> {
  const { client, vaultId } = await withVault(environment);
  return { client, vaultId, cipher: await quickCipher(), bytes: content() };
}

async function upload({ client, cipher, vaultId, bytes }: Stored) {
  const fileName = 'film.mp4';
  return client.documents.upload(new Blob([bytes]), { vaultId, cipher, fileName });
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
  );
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000_003) yield bytes.subarray(at, at + 1_000_003);
}

export const largeDocumentCases: readonly Case[] = [
  {
    name: 'a document above 8 MiB is sent in parts with progress, and downloaded',
    async run(environment) {
      const stored = await setUp(environment);
      const { client, cipher, vaultId, bytes } = stored;
      const seen: UploadProgress[] = [];
      const { id } = await client.documents.upload(new Blob([bytes]), {
        vaultId,
        cipher,
        fileName: 'film.mp4',
        onProgress: (progress) => seen.push(progress),
      });
      check(seen.length >= 3, 'reports of progress');
      const order = seen.map(({ loaded }) => loaded);
      same(
        order,
        order.toSorted((a, b) => a - b),
        'progress without a retry',
      );
      same(seen.at(-1), { phase: 'uploading', loaded: size, total: size }, 'the last progress');
      const download = await client.documents.download(id, { cipher });
      sameBytes(download.bytes, bytes, 'downloaded');
      same(download.fileName, 'film.mp4', 'name');
    },
  },
  {
    name: 'a stream above 8 MiB is sent in parts',
    async run(environment) {
      const { client, cipher, vaultId, bytes } = await setUp(environment);
      const options = { vaultId, cipher, fileName: 'film.mp4', size };
      const { id } = await client.documents.upload(inChunks(bytes), options);
      sameBytes((await client.documents.download(id, { cipher })).bytes, bytes, 'downloaded');
    },
  },
  {
    name: 'an interrupted upload is resumed by its checkpoint, and refuses a changed source',
    async run(environment) {
      const { cipher, vaultId, bytes } = await setUp(environment);
      const lossy = keyClient(environment, {
        maxRetries: 0,
        fetch: (url, init) =>
          url.endsWith('/parts/1')
            ? Promise.reject(new TypeError('fetch failed'))
            : fetch(url, init),
      });
      let text = '';
      const onCheckpoint = (checkpoint: UploadCheckpoint) => {
        text = JSON.stringify(checkpoint);
      };
      const options = { vaultId, cipher, fileName: 'film.mp4' };
      await rejects(lossy.documents.upload(bytes, { ...options, onCheckpoint }), {
        name: 'ConnectionError',
      });
      const resume: UploadCheckpoint = JSON.parse(text);
      const client = keyClient(environment);
      const changed = bytes.slice();
      changed[size - 1] = 1;
      await rejects(client.documents.upload(changed, { ...options, resume }), {
        name: 'SourceChangedError',
      });
      const { id } = await client.documents.upload(bytes, { ...options, resume });
      same(id, resume.uploadId, 'id');
      sameBytes((await client.documents.download(id, { cipher })).bytes, bytes, 'downloaded');
    },
  },
  {
    name: 'a download is read as a stream, and its ranges alone',
    async run(environment) {
      const stored = await setUp(environment);
      const { client, cipher, bytes } = stored;
      const { id } = await upload(stored);
      const {
        stream,
        slice,
        size: total,
      } = await client.documents.download(id, { cipher, as: 'stream' });
      same(total, size, 'size');
      sameBytes(await collect(stream), bytes, 'the stream');
      sameBytes(
        await collect(slice(5_000_000, 5_000_100)),
        bytes.subarray(5_000_000, 5_000_100),
        'the slice',
      );
      const range = { start: size - 9 };
      sameBytes(
        (await client.documents.download(id, { cipher, range })).bytes,
        bytes.subarray(-9),
        'the range',
      );
      const encrypted = await client.documents.content(id, { range: { start: 1, end: 100 } });
      same((await collect(encrypted.stream)).length, 99, 'ciphertext');
    },
  },
  {
    name: 'a stream that is cancelled or aborted ends',
    async run(environment) {
      const stored = await setUp(environment);
      const { client, cipher } = stored;
      const { id } = await upload(stored);
      const controller = new AbortController();
      const { signal } = controller;
      const { stream, slice } = await client.documents.download(id, {
        cipher,
        signal,
        as: 'stream',
      });
      const cancelled = slice(2_000_000).getReader();
      check(!(await cancelled.read()).done, 'a chunk before the cancellation');
      await cancelled.cancel();
      const reader = stream.getReader();
      await reader.read();
      controller.abort();
      await rejects(
        reader.read().then(() => reader.read()),
        { name: 'AbortError' },
      );
    },
  },
  {
    name: 'a share link opens a large document as a stream',
    async run(environment) {
      const stored = await setUp(environment);
      const { client, cipher, bytes } = stored;
      const document = await upload(stored);
      const share = await client.shares.create(document.id, {
        access: 'anyone',
        maxAccessCount: 1,
      });
      const link = await shareUrl(share, {
        cipher,
        document,
        page: 'https://app.example.com/open',
      });
      const { stream, slice } = await openShare(link, {
        baseUrl: environment.service,
        as: 'stream',
      });
      sameBytes(await collect(stream), bytes, 'the stream');
      sameBytes(await collect(slice(7, 70)), bytes.subarray(7, 70), 'the slice');
    },
  },
];
