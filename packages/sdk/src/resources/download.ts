import type { Decipher } from '../crypto/cipher.ts';
import { requireDocument } from '../crypto/document-key.ts';
import type { ByteRange } from '../crypto/layout.ts';
import { type ErrorContext, UsageError } from '../errors.ts';
import type { DocumentWithContent, SharedDocument } from '../generated/types.ts';
import type { ApiPromise, RawResult } from '../http/api-result.ts';
import { byteStream, type ChunkSource } from '../http/byte-stream.ts';
import { withDeadline } from '../http/deadline.ts';
import type { Transport } from '../http/transport.ts';
import { resolveLimits } from '../options.ts';
import { requireUnlocked } from './account-lock.ts';
import { type ContentPath, contentAt } from './binary.ts';
import type {
  DecryptedDocument,
  DecryptedFile,
  DecryptedStream,
  DownloadOptions,
} from './content.ts';
import {
  boundedRange,
  ContentReader,
  collect,
  releasing,
  requireRange,
} from './decrypted-content.ts';

/** One of both, by the option `as`: the overloads of the methods return the right one. */
type Downloaded = DecryptedDocument & DecryptedStream;

/** Where a document comes from. */
export interface DocumentOrigin {
  readonly transport: Transport;
  /** Fetches the document, without its content if `content` is false. */
  fetch(choice: { content: boolean | undefined }): ApiPromise<DocumentWithContent | SharedDocument>;
  /** Id of the document, if the caller knows it. */
  readonly id?: string | undefined;
  /** Whether it is opened by a share. Its content then has a path of its own. */
  readonly isShared?: boolean;
}

/** A content that can be read in ranges. */
interface Readable extends Omit<DecryptedFile, 'document'> {
  read(range: ByteRange): ChunkSource;
}

/**
 * Fetches and decrypts a document.
 *
 * @throws DecryptionError, and LockedError without a cipher
 */
export async function download(
  origin: DocumentOrigin,
  options: DownloadOptions,
  context: ErrorContext,
): Promise<RawResult<Downloaded>> {
  const { signal, as = 'bytes', range } = options;
  const cipher = requireUnlocked(options.cipher);
  if (as !== 'bytes' && as !== 'stream') throw new UsageError('as must be bytes or stream');
  // Before the request, which may count as an access.
  requireRange(range);
  const { totalTimeout } = resolveLimits(options, origin.transport.settings);
  return withDeadline({ signal, timeoutMs: totalTimeout, context }, async (ended) => {
    // Ranges and streams are requested separately, so the JSON does not need to contain the content.
    const isWhole = as === 'bytes' && !range;
    const content = isWhole ? undefined : false;
    const { data: fetched, response } = await origin.fetch({ content }).withResponse();
    const { encryptedData = null, ...document } = fetched;
    if (origin.id !== undefined) requireDocument(origin.id, document);
    if (encryptedData !== null && isWhole) {
      const decrypted = await cipher.unseal(fetched);
      const data = { ...decrypted, size: decrypted.bytes.length, document };
      return { data: data as Downloaded, response };
    }
    const given = { ...options, cipher, signal: ended };
    const { read, ...about } = await openDocument(origin, document, given);
    const bounded = boundedRange(range, about.size);
    const streamOf = (range: ByteRange) => byteStream(read(range), { signal, context });
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
  document: Omit<DocumentWithContent | SharedDocument, 'encryptedData'>,
  options: DownloadOptions & { cipher: Decipher; signal: AbortSignal },
): Promise<Readable> {
  const { cipher, signal } = options;
  const [path, location]: [ContentPath, string] = isShared
    ? ['/api/v1/contents/{ticket}', document.contentUrl]
    : ['/api/v1/documents/{id}/content', document.id];
  const ciphertext = contentAt(transport, path, location, options);
  const content = await ContentReader.open(ciphertext, { cipher, document }, signal);
  const { fileName, mimeType, charset, size } = content.decryptor;
  return { fileName, mimeType, charset, size, read: (range) => content.read(range) };
}
