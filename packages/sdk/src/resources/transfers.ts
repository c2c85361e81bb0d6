/** Uploads and downloads with encryption, which the main entry loads at the first of them. */
import type { Decipher } from '../crypto/cipher.ts';
import type { DocumentSource, SealProgress } from '../crypto/seal.ts';
import { type ErrorContext, UsageError } from '../errors.ts';
import type { CreateDocument, Document, DocumentWithContent } from '../generated/types.ts';
import type { Generation } from '../http/credentials.ts';
import { withDeadline } from '../http/deadline.ts';
import type { ApiPromise, RawResult } from '../http/responses.ts';
import type { CallOptions } from '../options.ts';
import type { DecryptedDocument, UploadOptions } from './content.ts';

/** Maximum size of a content, in bytes (section 2 of the contract). */
const maxDocument = 32 * 1024 * 1024;

/** Sends an encrypted document. */
export type Create = (
  document: CreateDocument,
  options: CallOptions & { generation: Generation },
) => ApiPromise<Document>;

/** Options of a download. JavaScript callers may leave out the cipher. */
export type GivenDownloadOptions = CallOptions & { cipher?: Decipher | undefined };

/**
 * Encrypts and sends a document.
 *
 * @throws UsageError without a cipher or a name, and for content above 32 MiB
 */
export async function upload(
  source: DocumentSource,
  options: UploadOptions & { generation: Generation },
  { create, context }: { create: Create; context: ErrorContext },
): Promise<RawResult<Document>> {
  const { onProgress } = options;
  const body = await sealDocument(source, options, context);
  const total = body.sizeBytes;
  onProgress?.({ phase: 'uploading', loaded: 0, total });
  const result = await create(body, options).withResponse();
  onProgress?.({ phase: 'uploading', loaded: total, total });
  return result;
}

/** Reads and encrypts a source into the body of a request. */
async function sealDocument(
  source: DocumentSource,
  { vaultId, cipher, onProgress, encryptFileName, ...given }: UploadOptions,
  context: ErrorContext,
): Promise<CreateDocument> {
  if (!cipher) {
    throw new UsageError('upload needs a cipher');
  }
  const { name, type } = describe(source);
  const fileName = given.fileName ?? name;
  if (typeof fileName !== 'string') {
    throw new UsageError('fileName is required unless you pass a File');
  }
  // A type may carry parameters, such as a charset; the contract takes the bare type.
  const mimeType = given.mimeType ?? (type.replace(/;.*/, '').trim() || 'application/octet-stream');
  const hidden = encryptFileName ? { fileName } : undefined;
  const report = (progress: SealProgress) => {
    // While the source is read: encrypting it would be in vain.
    if ((progress.total ?? progress.loaded) > maxDocument) {
      throw new UsageError('The content is larger than 32 MiB');
    }
    onProgress?.(progress);
  };
  const sealed = await withDeadline({ signal: given.signal, context }, (signal) =>
    cipher.seal(source, { signal, onProgress: report, ...hidden }),
  );
  if (hidden && !sealed.fileName) throw new UsageError('This cipher cannot encrypt file names');
  return { vaultId, fileName, mimeType, ...sealed };
}

/** Name and type of a `File`, type of a `Blob`. */
function describe(source: DocumentSource): { name?: unknown; type: string } {
  if (source instanceof Blob) return source;
  return { type: typeof source === 'string' ? 'text/plain' : '' };
}

/**
 * Fetches and decrypts a document.
 *
 * @throws DecryptionError, and UsageError without a cipher
 */
export async function download(
  fetch: () => ApiPromise<DocumentWithContent>,
  { cipher, signal }: GivenDownloadOptions = {},
  context: ErrorContext,
): Promise<RawResult<DecryptedDocument>> {
  if (!cipher) {
    throw new UsageError('download needs a cipher');
  }
  const { data: fetched, response } = await fetch().withResponse();
  const { encryptedData: _, ...document } = fetched;
  const { mimeType } = document;
  const [bytes, fileName] = await withDeadline({ signal, context }, () =>
    Promise.all([cipher.unseal(fetched), cipher.fileName(document)]),
  );
  return { data: { bytes, fileName, mimeType, document }, response };
}
