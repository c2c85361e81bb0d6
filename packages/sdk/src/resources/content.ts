import type { Cipher, Decipher } from '../crypto/cipher.ts';
import type { DecryptedContent } from '../crypto/content.ts';
import type { SealProgress } from '../crypto/seal.ts';
import type { Document } from '../generated/types.ts';
import type { CallOptions } from '../options.ts';
import type { UploadCheckpoint } from './checkpoints.ts';

/** Progress of an upload. */
export interface UploadProgress {
  /** The current phase. */
  phase: SealProgress['phase'] | 'uploading';
  /** Bytes of the content that are done in this phase. Encrypting is reported at its start and end. */
  loaded: number;
  /** Undefined while a source of unknown length is read. */
  total: number | undefined;
}

/** Options of an upload. */
export interface UploadOptions extends CallOptions {
  /** Id of the vault that takes the document. */
  vaultId: string;
  /** Encrypts the content on this machine. @default that of the unlocked client, for the vault */
  cipher?: Cipher | undefined;
  /** Name of the document. Required unless the source is a `File`. @default the name of the `File` */
  fileName?: string | undefined;
  /**
   * Also encrypts the file name, which may then have at most 160 bytes of UTF-8. The service still
   * knows its length, and can neither search nor sort by it. `download` and `shares.open` return the
   * decrypted name; `documents.fileName` decrypts that of a listed document. @default false
   */
  encryptFileName?: boolean | undefined;
  /** @default the type of a `Blob`, `text/plain` for a string, else `application/octet-stream` */
  mimeType?: string | undefined;
  /**
   * Called with the progress in bytes of the content; above 8 MiB with the phase `uploading` alone. While bytes are
   * sent, it is called in steps of at most 256 KiB in Node, and as often as the browser reports them. Other runtimes, a
   * `fetch` of your own, service workers, and browsers with an API key or with `headers` of your own report the start
   * and each confirmed request. `loaded` goes back when a request is sent again. Bytes that have been sent are not
   * stored yet: the promise of the upload resolves when they are. The upload waits for a returned promise, but in
   * browsers not while bytes are sent. An error ends the upload.
   */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
  /**
   * Maximum number of retries of each request. @default that of the client; of an upload in parts four times as
   * many, so 8, which is about half a minute without a connection
   */
  maxRetries?: number | undefined;
  /** Bytes of a stream. Needed above 32 MiB: a shorter stream without it is read into memory first. */
  size?: number | undefined;
  /**
   * Called with a checkpoint when an upload in parts begins, and before each part is first sent. The part is
   * sent when the returned promise has resolved: store the checkpoint durably. An error that it throws ends the
   * upload. With this option, an upload that fails can be resumed for 24 hours, unless `signal` aborted it. An
   * upload that fails waits for the promise before it rejects; one that was aborted or ran out of `totalTimeout`
   * does not.
   */
  onCheckpoint?: ((checkpoint: UploadCheckpoint) => void | Promise<void>) | undefined;
  /**
   * The last checkpoint of an upload that failed or was interrupted, unchanged: its `mac` is verified. The source
   * is encrypted again, and what the service does not have is sent. Name and type are those of the first call. Resume
   * an upload only once at a time.
   */
  resume?: UploadCheckpoint | undefined;
}

/** Options of reading a document. */
export interface ContentChoice extends CallOptions {
  /** Whether `encryptedData` is returned. @default true */
  content?: boolean | undefined;
}

/** Options of a download. */
export interface DownloadOptions extends CallOptions {
  /** Decrypts the content on this machine. @default that of the unlocked client */
  cipher?: Decipher | undefined;
  /** Bytes of the content to download. Only the segments of 1 MiB around them are decrypted. @default all */
  range?: ContentRange | undefined;
  /**
   * `stream` returns the content as it arrives, in constant memory. `bytes` returns it as a whole.
   * @default bytes
   */
  as?: 'bytes' | 'stream' | undefined;
}

/** Options of `documents.rename`. */
export interface RenameOptions extends CallOptions {
  /** Encrypts the name on this machine. @default that of the unlocked client */
  cipher?: Pick<Cipher, 'encryptFileName'> | undefined;
}

/** Name, type and size of a document that has been decrypted. */
export interface DecryptedFile extends Omit<DecryptedContent, 'bytes'> {
  /** Bytes of the whole content. */
  size: number;
  /**
   * The document as the service returned it, without its content. Its `fileName` and `mimeType` are not
   * verified.
   */
  document: Document;
}

/** A document that has been downloaded and decrypted. */
export interface DecryptedDocument extends DecryptedFile {
  /** The plaintext; of a `range`, its bytes alone. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** A document that is downloaded and decrypted while it is read. */
export interface DecryptedStream extends DecryptedFile {
  /**
   * The plaintext, or its `range`. Every byte has been authenticated. It ends normally after the last byte only,
   * and fails when the content was changed or cut off. A connection that is lost is replaced. The
   * reader may pause: `timeout` is the longest time without a byte while it waits for one. At most one segment
   * of 1 MiB is read ahead.
   */
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /**
   * Returns other bytes of the same document, as `Blob.slice` does; each stream is read once. Opens
   * no share again.
   *
   * @throws {@link UsageError} when a position is not a whole number
   * @example
   * const video = await client.documents.download(document.id, { as: 'stream' });
   * const lastMegabyte = video.slice(-1_000_000);
   */
  slice(start?: number, end?: number): ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Bytes of a content, as `Blob.slice` takes them. Positions are whole numbers; a negative one counts from the end. */
export interface ContentRange {
  /** Position of the first byte. @default 0 */
  start?: number | undefined;
  /** Position after the last byte. A later one than the end means the end. @default the end */
  end?: number | undefined;
}

/** Options of reading encrypted content. */
export interface ContentOptions extends CallOptions {
  /**
   * Bytes of the ciphertext: at least one, and no position is negative, since the service is asked for them before
   * the size is known. @default all of it
   */
  range?: ContentRange | undefined;
}

/** Encrypted content as the service stores it. */
export interface EncryptedStream {
  /**
   * The ciphertext. A connection that is lost is replaced, and the stream goes on where it was cut. Read it
   * to its end, or cancel it: it holds a connection.
   */
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Length of the whole ciphertext, in bytes. */
  size: number;
  /** Identifies the ciphertext: it changes with every byte. */
  etag: string | null;
}
