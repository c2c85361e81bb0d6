/** Uploads and downloads, which the main entry loads at the first of them. */
import {
  type DocumentSource,
  describe,
  type SealOptions,
  type SealProgress,
} from '../crypto/seal.ts';
import type { ErrorContext } from '../errors.ts';
import type { CreateDocument, Document } from '../generated/types.ts';
import type { StartedCall } from '../http/api.ts';
import type { RawResult } from '../http/api-result.ts';
import { withDeadline } from '../http/deadline.ts';
import { knownOptions } from '../http/request.ts';
import { uploadFetch } from '../http/upload-body.ts';
import { requireKnown } from '../options.ts';
import { requireUnlocked } from './account-lock.ts';
import type { UploadOptions } from './content.ts';
import { createDocument, type UploadOperations } from './create-document.ts';
import { type NamedUpload, uploadInParts } from './large-upload.ts';
import { sentReporter } from './sent-progress.ts';
import { maxInline, openSource } from './upload-source.ts';
import type { VaultCipher } from './vault-keys.ts';

export { openContent, putPart } from './binary.ts';
export { download } from './download.ts';

interface UploadContext {
  readonly operations: UploadOperations;
  /** Encrypts when the options have no cipher. Undefined when the client is locked. */
  readonly vaultCipher: VaultCipher | undefined;
  readonly context: ErrorContext;
}

/**
 * Encrypts and sends a document.
 *
 * @throws UsageError without a cipher or a name, and for a stream above 32 MiB without `size`
 */
export async function upload(
  given: DocumentSource,
  options: UploadOptions & StartedCall,
  { vaultCipher, ...call }: UploadContext,
): Promise<RawResult<Document>> {
  // While the content is read and encrypted, nothing has been sent.
  const context = { ...call.context, attempts: 0 };
  const { generation: _, ...own } = options;
  requireKnown(own, knownOptions);
  const cipher = requireUnlocked(options.cipher ?? vaultCipher);
  const wrapForNewestKey = options.cipher ? undefined : vaultCipher?.wrapForNewestKey;
  const operations = { ...call.operations, wrapForNewestKey };
  const named: NamedUpload = { ...options, ...describe(given, options), cipher };
  const { resume, onProgress } = options;
  const source = await openSource(given, named, context);
  const { content, size, isBuffered } = source;
  if (resume || size > maxInline) {
    return uploadInParts(source, named, { operations, context });
  }
  const report = async (progress: SealProgress) => {
    if (!isBuffered || progress.phase !== 'reading') await onProgress?.(progress);
  };
  const body = await sealDocument(content, named, { report, context });
  const reportSent = sentReporter(onProgress, size);
  await reportSent(0);
  // The body is JSON, which is longer than the content.
  const onSent = (sent: number, total: number) => reportSent(Math.floor((size * sent) / total));
  const fetch = onProgress && uploadFetch(operations.transport.settings.fetch, onSent);
  const result = await createDocument(operations, body, { ...options, fetch });
  await reportSent(size);
  return result;
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
