import type { DocumentSource, UploadProgress } from '@document-vault/sdk';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { check, rejects, same, sameBytes } from '../check.ts';
import { quickCipher, withVault } from '../clients.ts';
import type { Case } from '../suite.ts';

const text = 'Grüße aus dem Tresor, zweimal: Grüße aus dem Tresor';
const bytes = new TextEncoder().encode(text);
const chunks = () => [bytes.subarray(0, 7), bytes.subarray(7, 20), bytes.subarray(20)];

async function* generated(): AsyncGenerator<Uint8Array> {
  yield* chunks();
}

const streamed = () =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks()) controller.enqueue(chunk);
      controller.close();
    },
  });

/** Every kind of source with its default media type. */
const sources: readonly (readonly [string, () => DocumentSource, string])[] = [
  ['a Uint8Array', () => bytes, 'application/octet-stream'],
  ['a subarray', () => bytes.subarray(3).subarray(-3), 'application/octet-stream'],
  ['an ArrayBuffer', () => Uint8Array.from(bytes).buffer, 'application/octet-stream'],
  ['a Blob', () => new Blob([bytes], { type: 'text/markdown;charset=utf-8' }), 'text/markdown'],
  ['a File', () => new File([bytes], 'x', { type: 'application/pdf' }), 'application/pdf'],
  ['a string', () => text, 'text/plain'],
  ['a ReadableStream', streamed, 'application/octet-stream'],
  ['the stream of a Response', () => new Response(text).body ?? '', 'application/octet-stream'],
  ['an async iterable', generated, 'application/octet-stream'],
];

/** Returns the bytes of a source. */
const contentOf = (kind: string) => (kind === 'a subarray' ? bytes.subarray(-3) : bytes);

const uploads: readonly Case[] = sources.map(([kind, source, mimeType]) => ({
  name: `a document uploaded from ${kind} is downloaded with content, name and media type`,
  run: async (environment) => {
    const { client, vaultId } = await withVault(environment);
    const cipher = await quickCipher();
    const { id } = await client.documents.upload(source(), {
      vaultId,
      cipher,
      fileName: 'gruß.txt',
    });
    const download = await client.documents.download(id, { cipher });
    sameBytes(download.bytes, contentOf(kind), 'downloaded');
    same([download.fileName, download.mimeType], ['gruß.txt', mimeType], 'name and type');
  },
}));

export const documentCases: readonly Case[] = [
  ...uploads,
  {
    name: 'an upload of more than 256 KiB reports three phases of progress',
    async run(environment) {
      const { client, vaultId } = await withVault(environment);
      const cipher = await quickCipher();
      const large = Uint8Array.from({ length: 2 ** 18 + 1 }, (_, n) => (n * 31) % 256);
      const seen: UploadProgress[] = [];
      const options = { vaultId, cipher, fileName: 'large.bin' };
      const { id, sizeBytes } = await client.documents.upload(new Blob([large]), {
        ...options,
        onProgress: (progress) => seen.push(progress),
      });
      check(sizeBytes > large.length, 'sizeBytes counts the ciphertext');
      same([...new Set(seen.map(({ phase }) => phase))].length, 3, 'phases');
      const total = large.length;
      same(seen.at(-1), { phase: 'uploading', loaded: total, total }, 'the last progress');
      sameBytes((await client.documents.download(id, { cipher })).bytes, large, 'downloaded');
    },
  },
  {
    name: 'a download with a wrong passphrase rejects with a DecryptionError',
    async run(environment) {
      const { client, vaultId } = await withVault(environment);
      const cipher = await quickCipher();
      const { id } = await client.documents.upload(text, { vaultId, cipher, fileName: 'a.txt' });
      const download = client.documents.download(id, { cipher: await quickCipher('open barley') });
      await rejects(download, { name: 'DecryptionError' });
    },
  },
  {
    name: 'a share opens maxAccessCount times, then rejects with a NotFoundError',
    async run(environment) {
      const { client, vaultId } = await withVault(environment);
      const cipher = await quickCipher();
      const { id } = await client.documents.upload(text, { vaultId, cipher, fileName: 'a.txt' });
      const { shareToken } = await client.shares.create(id, { maxAccessCount: 1 });
      const opened = await client.shares.open(shareToken, { cipher });
      sameBytes(opened.bytes, bytes, 'opened');
      await rejects(client.shares.open(shareToken, { cipher }), { name: 'NotFoundError' });
    },
  },
  {
    name: 'a share link opens a document with encrypted name, without passphrase and account',
    async run(environment) {
      const { client, vaultId } = await withVault(environment);
      const cipher = await quickCipher();
      const fileName = 'gruß.txt';
      const options = { vaultId, cipher, fileName, encryptFileName: true };
      const document = await client.documents.upload(text, options);
      const share = await client.shares.create(document.id, {
        access: 'anyone',
        maxAccessCount: 1,
      });
      const page = 'https://app.example.com/open';
      const link = await shareUrl(share, { cipher, page });
      same(
        link,
        await shareUrl(share, { cipher, document, page }),
        'the link from an uploaded document',
      );
      const baseUrl = environment.service;
      const openShortened = openShare(link.slice(0, -1), { baseUrl });
      await rejects(openShortened, { name: 'UsageError' });
      const opened = await openShare(link, { baseUrl });
      sameBytes(opened.bytes, bytes, 'opened');
      same([opened.fileName, opened.mimeType], [fileName, 'text/plain'], 'name and type');
      await rejects(openShare(link, { baseUrl }), { name: 'NotFoundError' });
    },
  },
];
