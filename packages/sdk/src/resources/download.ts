import type { Decipher } from '../crypto/cipher.ts';
import { requireDocument } from '../crypto/document-key.ts';
import { isStream, streamAlgorithm } from '../crypto/metadata.ts';
import { DecryptionError, type ErrorContext, UsageError } from '../errors.ts';
import type { DocumentWithContent, SharedDocument } from '../generated/types.ts';
import type { RawResult } from '../http/api-result.ts';
import { byteStream, type ChunkSource } from '../http/byte-stream.ts';
import { withDeadline } from '../http/deadline.ts';
import type { ApiPromise } from '../http/responses.ts';
import type { Transport } from '../http/transport.ts';
import { resolveLimits } from '../options.ts';
import { type ContentPath, contentAt } from './binary.ts';
import type {
  DecryptedDocument,
  DecryptedFile,
  DecryptedStream,
  DownloadOptions,
} from './content.ts';
import {
  boundedRange,
  collect,
  DecryptedContent,
  inlineCiphertext,
  releasing,
  remoteCiphertext,
  requireRange,
} from './decrypted-content.ts';

/** Options of a download. JavaScript callers may leave out the cipher. */
export type GivenDownloadOptions = Omit<DownloadOptions, 'cipher'> & {
  cipher?: Decipher | undefined;
};

/** One of both, by the option `as`: the overloads of the methods return the right one. */
type Downloaded = DecryptedDocument & DecryptedStream;

/** Where a document comes from. */
export interface DocumentOrigin {
  readonly transport: Transport;
  /** Fetches the document. */
  fetch(): ApiPromise<DocumentWithContent | SharedDocument>;
  /** Id of the document, if the caller knows it. */
  readonly id?: string | undefined;
  /** Whether it is opened by a share. Its content then has a path of its own. */
  readonly isShared?: boolean;
}

/** A content that can be read in ranges. */
interface Readable extends Omit<DecryptedFile, 'document'> {
  read(range: { start: number; end: number }): ChunkSource;
}

/**
 * Fetches and decrypts a document.
 *
 * @throws DecryptionError, and UsageError without a cipher
 */
export async function download(
  origin: DocumentOrigin,
  options: GivenDownloadOptions = {},
  context: ErrorContext,
): Promise<RawResult<Downloaded>> {
  const { cipher, signal, as = 'bytes', range } = options;
  if (!cipher) throw new UsageError('download needs a cipher');
  if (as !== 'bytes' && as !== 'stream') throw new UsageError('as must be bytes or stream');
  // Before the request, which may count as an access.
  requireRange(range);
  const { totalTimeout } = resolveLimits(options, origin.transport.settings);
  return withDeadline({ signal, timeoutMs: totalTimeout, context }, async (ended) => {
    const { data: fetched, response } = await origin.fetch().withResponse();
    const { encryptedData = null, ...document } = fetched;
    if (origin.id !== undefined) requireDocument(origin.id, document);
    if (encryptedData !== null && as === 'bytes' && !range) {
      const content = await cipher.unseal(fetched);
      const data = { ...content, size: content.bytes.length, document };
      return { data: data as Downloaded, response };
    }
    const given = { ...options, cipher, signal: ended };
    const { read, ...about } = await openDocument(origin, fetched, given);
    const bounded = boundedRange(range, about.size);
    const streamOf = (range: { start: number; end: number }) =>
      byteStream(read(range), { signal, context });
    const slice: DecryptedStream['slice'] = (start, end) => {
      requireRange({ start, end });
      return streamOf(boundedRange({ start, end }, about.size));
    };
    const data =
      as === 'bytes'
        ? { bytes: await collect(releasing(read(bounded))(ended), bounded.end - bounded.start) }
        : { stream: streamOf(bounded), slice };
    return { data: { ...data, ...about, document } as Downloaded, response };
  });
}

/** @throws DecryptionError, and the errors of reading */
async function openDocument(
  { transport, isShared }: DocumentOrigin,
  fetched: DocumentWithContent | SharedDocument,
  options: DownloadOptions & { signal: AbortSignal },
): Promise<Readable> {
  const { encryptedData = null, ...document } = fetched;
  const { cipher, signal } = options;
  if (!isStream(document.encryptionMetadata)) return openWhole(fetched, cipher);
  const [path, location]: [ContentPath, string] = isShared
    ? ['/api/v1/contents/{ticket}', document.contentUrl]
    : ['/api/v1/documents/{id}/content', document.id];
  const ciphertext =
    encryptedData === null
      ? remoteCiphertext(contentAt(transport, path, location, options))
      : inlineCiphertext(encryptedData);
  const content = await DecryptedContent.open(ciphertext, { cipher, document }, signal);
  const { fileName, mimeType, charset, size } = content;
  return { fileName, mimeType, charset, size, bound: true, read: (range) => content.read(range) };
}

/** Decrypts a content that can only be authenticated as a whole. */
async function openWhole(
  fetched: DocumentWithContent | SharedDocument,
  cipher: Decipher,
): Promise<Readable> {
  if (typeof fetched.encryptedData !== 'string') {
    throw new DecryptionError(
      `Cannot decrypt: encryptionMetadata.algorithm is not ${streamAlgorithm}, as it has to be above 32 MiB`,
      { reason: 'metadata' },
    );
  }
  const { bytes, ...about } = await cipher.unseal(fetched);
  const read: Readable['read'] = ({ start, end }) =>
    async function* () {
      yield bytes.subarray(start, end);
    };
  return { ...about, size: bytes.length, read };
}
