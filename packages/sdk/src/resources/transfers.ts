/** Uploads and downloads, which the main entry loads at the first of them. */
import { requireDocument } from '../crypto/document-key.ts';
import {
  bytesAtHand,
  type DocumentSource,
  describe,
  isFile,
  readSource,
  type SealOptions,
  type SealProgress,
} from '../crypto/seal.ts';
import { type ErrorContext, UsageError } from '../errors.ts';
import type { CreateDocument, Document } from '../generated/types.ts';
import type { StartedCall } from '../http/api.ts';
import type { RawResult } from '../http/api-result.ts';
import { withDeadline } from '../http/deadline.ts';
import { callOptions } from '../http/request.ts';
import { requireKnown } from '../options.ts';
import type { UploadOptions } from './content.ts';
import { type UploadOperations, uploadInParts } from './large-upload.ts';
import { requireSize } from './upload-source.ts';

export { openContent, putPart } from './binary.ts';
export { download } from './download.ts';
export { rewrap } from './rewrap.ts';

/**
 * Up to this size, a content is sent as JSON in one request, in bytes. It is the size of a part, which is sent
 * and confirmed as a whole too, and needs two more requests.
 */
const maxInline = 8 * 1024 * 1024;

/** Maximum size of a stream without `size`, in bytes. It is read into memory first. */
const maxBuffered = 32 * 1024 * 1024;

/** Options of an upload with the name and type of its document. */
type NamedUpload = UploadOptions & StartedCall & { fileName: string; mimeType: string };

/**
 * Encrypts and sends a document.
 *
 * @throws UsageError without a cipher or a name, and for a stream above 32 MiB without `size`
 */
export async function upload(
  given: DocumentSource,
  options: UploadOptions & StartedCall,
  { operations, context: call }: { operations: UploadOperations; context: ErrorContext },
): Promise<RawResult<Document>> {
  // While the content is read and encrypted, nothing has been sent.
  const context = { ...call, attempts: 0 };
  const { generation: _, ...own } = options;
  requireKnown(own, callOptions);
  if (!options.cipher) throw new UsageError('upload needs a cipher');
  const named = { ...options, ...describe(given, options) };
  const { resume, onProgress } = options;
  const { source, size, isRead } = await measure(given, named, context);
  if (resume || size > maxInline) {
    return uploadInParts(source, named, { operations, context });
  }
  const report = async (progress: SealProgress) => {
    if (!isRead || progress.phase !== 'reading') await onProgress?.(progress);
  };
  const body = await sealDocument(source, named, { report, context });
  await onProgress?.({ phase: 'uploading', loaded: 0, total: size });
  const result = await operations.documents.create(body, options).withResponse();
  requireDocument(body.id, result.data);
  await onProgress?.({ phase: 'uploading', loaded: size, total: size });
  return result;
}

/** A source of known size. */
interface Measured {
  readonly source: DocumentSource;
  /** Bytes of the content. */
  readonly size: number;
  /** Whether it is a stream that has been read into memory. */
  readonly isRead: boolean;
}

/** Reads a stream into memory when it is small or its size is unknown. */
async function measure(
  given: DocumentSource,
  options: NamedUpload,
  context: ErrorContext,
): Promise<Measured> {
  const source = given instanceof Blob ? given : bytesAtHand(given);
  if (source) {
    const known = source instanceof Blob ? source.size : source.length;
    requireSize(options.size, known);
    return { source, size: known, isRead: false };
  }
  if (isFile(given)) {
    const { size } = await given.stat();
    requireSize(options.size, size);
    return { source: given, size, isRead: false };
  }
  const { size = 0, signal, onProgress } = options;
  if (size > maxInline) return { source: given, size, isRead: false };
  const onRead = async (loaded: number) => {
    if (loaded > maxBuffered) {
      throw new UsageError('A stream above 32 MiB needs its size: pass the option size');
    }
    await onProgress?.({ phase: 'reading', loaded, total: options.size });
  };
  const bytes = await withDeadline({ signal, context }, (ended) =>
    readSource(given, { onRead, signal: ended }),
  );
  requireSize(options.size, bytes.length);
  return { source: bytes, size: bytes.length, isRead: true };
}

/** Encrypts a source into the body of a request. */
async function sealDocument(
  source: DocumentSource,
  { vaultId, cipher, fileName, mimeType, encryptFileName, signal }: NamedUpload,
  { report, context }: { report: NonNullable<SealOptions['onProgress']>; context: ErrorContext },
): Promise<CreateDocument & { id: string }> {
  const described = { fileName, mimeType, encryptFileName, onProgress: report };
  const sealed = await withDeadline({ signal, context }, (ended) =>
    cipher.seal(source, { ...described, signal: ended }),
  );
  return { vaultId, ...sealed };
}
