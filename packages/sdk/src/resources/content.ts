import type { Cipher, Decipher } from '../crypto/cipher.ts';
import type { DocumentSource, SealProgress } from '../crypto/seal.ts';
import { type ErrorContext, UsageError } from '../errors.ts';
import type { CreateDocument, Document, DocumentWithContent } from '../generated/types.ts';
import { withDeadline } from '../http/deadline.ts';
import { type ApiPromise, apiPromise } from '../http/responses.ts';
import type { CallOptions } from '../options.ts';

/** Progress of an upload. */
export interface UploadProgress {
  /** The current phase. */
  phase: SealProgress['phase'] | 'uploading';
  /** Bytes done in this phase. Encrypting and uploading are reported at their start and end. */
  loaded: number;
  /** Undefined while a source of unknown length is read. */
  total: number | undefined;
}

/** Options of an upload. */
export interface UploadOptions extends CallOptions {
  /** Id of the vault that takes the document. */
  vaultId: string;
  /** Encrypts the content on this machine. */
  cipher: Cipher;
  /** Name of the document. Required unless the source is a `File`. @default the name of the `File` */
  fileName?: string | undefined;
  /**
   * Also encrypts the file name, which may then have at most 160 bytes of UTF-8. The service still
   * knows its length, and can neither search nor sort by it. `download` and `shares.open` return the
   * decrypted name; `cipher.fileName(document)` decrypts the name of a listed document. @default false
   */
  encryptFileName?: boolean | undefined;
  /** @default the type of a `Blob`, `text/plain` for a string, else `application/octet-stream` */
  mimeType?: string | undefined;
  /**
   * Called with the progress: in steps while reading, at start and end of encrypting and uploading.
   * `fetch` reports no progress of a body in flight, so show an indeterminate bar in between. Retries
   * are not reported here; the client's `onRetry` reports them. An error that it throws ends the
   * upload.
   */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Options of a download. */
export interface DownloadOptions extends CallOptions {
  /** Decrypts the content on this machine. */
  cipher: Decipher;
}

/** A document that has been downloaded and decrypted. */
export interface DecryptedDocument {
  /** The plaintext. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The decrypted file name, if the name was encrypted; otherwise the name as stored. */
  fileName: string;
  /** Media type of the plaintext, as `type/subtype`. */
  mimeType: string;
  /** The document as the service returned it, without its content. */
  document: Document;
}

/**
 * Reads and encrypts a source into the body of a request.
 *
 * @throws UsageError without a cipher or a name
 * @internal
 */
export async function sealDocument(
  source: DocumentSource,
  { vaultId, cipher, onProgress, encryptFileName, ...given }: UploadOptions,
  deadline: { signal: AbortSignal | undefined; context: ErrorContext },
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
  const sealed = await withDeadline(deadline, (signal) =>
    cipher.seal(source, { signal, onProgress, ...hidden }),
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
 * @param path - path template of the operation that fetches it
 * @throws DecryptionError, and UsageError without a cipher
 * @internal
 */
export function downloaded(
  fetch: () => ApiPromise<DocumentWithContent>,
  { cipher, signal }: CallOptions & { cipher?: Decipher | undefined } = {},
  path: string,
): ApiPromise<DecryptedDocument> {
  const context = { method: 'GET', path };
  return apiPromise(async () => {
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
  }, context);
}
