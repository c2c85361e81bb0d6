import type { Cipher, Decipher } from '../crypto/cipher.ts';
import type { SealProgress } from '../crypto/seal.ts';
import type { DocumentSource } from '../crypto/source.ts';
import { type ErrorFacts, UsageError } from '../errors.ts';
import { type ApiPromise, apiPromise } from '../http/api-promise.ts';
import { bounded } from '../http/limits.ts';
import type { CallOptions } from '../options.ts';
import type { CreateDocument, Document, DocumentWithContent } from './document.ts';

/** How far an upload has come. */
export interface UploadProgress {
  /** What is being done: reading, encrypting or uploading. */
  phase: SealProgress['phase'] | 'uploading';
  /** Bytes done in this phase; encrypting and uploading are reported at their beginning and end. */
  loaded: number;
  /** Undefined while reading a source that does not say how long it is. */
  total: number | undefined;
}

/** Options of an upload. */
export interface UploadOptions extends CallOptions {
  /** The vault to put the document in. */
  vaultId: string;
  /** Encrypts the content before it leaves this machine. */
  cipher: Cipher;
  /** @default the name of a `File`; needed for everything else */
  fileName?: string | undefined;
  /**
   * Encrypts the name too, so that the service never learns it: then it has at most 160 bytes of
   * UTF-8. `download` and `shares.open` answer the true name, `cipher.fileName(document)` reads it
   * from a list, and `cipher.encryptFileName` makes another one for `documents.update`. The service
   * still knows how long it is, and can neither search nor sort by it. @default false
   */
  encryptFileName?: boolean | undefined;
  /** @default the type of a `Blob`, `text/plain` for a string, else `application/octet-stream` */
  mimeType?: string | undefined;
  /**
   * Is told how far the upload has come: reading in steps, encrypting and uploading when they begin
   * and when they are done, so that a bar has no end to show in between. `fetch` tells nothing of a
   * body on its way. A streamed body would, but only over HTTP/2 and in Chromium, and elsewhere without
   * its length; `XMLHttpRequest` would, but follows redirects with the credentials. Attempts that are
   * repeated are not reported: `onRetry` of the client is told of them. What it throws ends the upload.
   */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Options of a download. */
export interface DownloadOptions extends CallOptions {
  /** Decrypts the content on this machine. */
  cipher: Decipher;
}

/** A document that has been fetched and decrypted. */
export interface DecryptedDocument {
  /** The plaintext. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The true name, also where the service knows an encrypted one. */
  fileName: string;
  /** Media type of the plaintext, as `type/subtype`. */
  mimeType: string;
  /** What the service knows about it. */
  document: Document;
}

/** Ends work from outside, and names the call in the error. */
interface Ends {
  signal: AbortSignal | undefined;
  facts: ErrorFacts;
}

const timeoutMs = Infinity;

/**
 * Reads and encrypts a source into what the service takes.
 *
 * @throws UsageError without a cipher or a name
 * @internal
 */
export async function sealDocument(
  source: DocumentSource,
  { vaultId, cipher, onProgress, encryptFileName, ...given }: UploadOptions,
  ends: Ends,
): Promise<CreateDocument> {
  if (!cipher) throw new UsageError('upload needs a cipher; documents.create takes ciphertext');
  const described = describeSource(source);
  const fileName = given.fileName ?? described.fileName;
  if (fileName === undefined) throw new UsageError('fileName is needed: the source has none');
  const mimeType = given.mimeType ?? (described.mimeType || 'application/octet-stream');
  const hidden = encryptFileName ? { fileName } : undefined;
  const sealed = await bounded({ ...ends, timeoutMs }, (signal) =>
    cipher.seal(source, { signal, onProgress, ...hidden }),
  );
  if (hidden && !sealed.fileName) throw new UsageError('This cipher encrypts no file name');
  return { vaultId, fileName, mimeType, ...sealed };
}

/** What a source says about itself: a `File` its name and type, a `Blob` its type. */
function describeSource(source: DocumentSource): Partial<Record<'fileName' | 'mimeType', string>> {
  if (typeof source === 'string') return { mimeType: 'text/plain' };
  if (!(source instanceof Blob)) return {};
  const { name, type }: Blob & { name?: unknown } = source;
  // A type may carry parameters, such as a charset; the contract takes the bare type.
  const [mimeType = ''] = type.split(';');
  return { ...(typeof name === 'string' && { fileName: name }), mimeType: mimeType.trim() };
}

/**
 * Fetches and decrypts a document.
 *
 * @param path - path template of what fetches it
 * @throws DecryptionError, and UsageError without a cipher
 * @internal
 */
export function unsealed(
  fetch: () => ApiPromise<DocumentWithContent>,
  { cipher, signal }: CallOptions & { cipher?: Decipher | undefined } = {},
  path: string,
): ApiPromise<DecryptedDocument> {
  const facts = { method: 'GET', path };
  return apiPromise(async () => {
    if (!cipher) throw new UsageError('download needs a cipher; documents.get does not decrypt');
    const { data: fetched, response } = await fetch().withResponse();
    const { encryptedData: _, ...document } = fetched;
    const { mimeType } = document;
    const [bytes, fileName] = await bounded({ signal, facts, timeoutMs }, () =>
      Promise.all([cipher.unseal(fetched), cipher.fileName(document)]),
    );
    return { data: { bytes, fileName, mimeType, document }, response };
  }, facts);
}
