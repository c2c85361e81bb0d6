import type { Cipher, Decipher } from '../crypto/cipher.ts';
import type { SealProgress } from '../crypto/seal.ts';
import type { Document } from '../generated/types.ts';
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
