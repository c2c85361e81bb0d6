import type { EncryptionMetadata } from '../crypto/metadata.ts';
import type { PageQuery } from '../pages.ts';

/** A document without its content. */
export interface Document {
  /** Document id (UUIDv7). */
  id: string;
  /** The vault that holds the document. */
  vaultId: string;
  /**
   * File name, without control characters, slashes and backslashes. A client that encrypts names too
   * puts the ciphertext here.
   */
  fileName: string;
  /** Bytes of the encrypted content. */
  sizeBytes: number;
  /** Media type of the plaintext. */
  mimeType: string;
  /** What decrypting the content needs besides the passphrase; at most 16 KiB as JSON. */
  encryptionMetadata: EncryptionMetadata;
  /** When the document was uploaded (ISO 8601). */
  uploadedAt: string;
  /** When the document was last changed (ISO 8601); equal to `uploadedAt` until then. */
  updatedAt: string;
}

/** A document with its content. */
export interface DocumentWithContent extends Document {
  /** The encrypted content in base64. */
  encryptedData: string;
}

/** A document whose content is encrypted already. */
export interface CreateDocument {
  /** The vault to put it in; it must be active. */
  vaultId: string;
  /** 1 to 255 characters, without control characters, slashes and backslashes. */
  fileName: string;
  /** The encrypted content in base64 with padding, at most 32 MiB decoded. */
  encryptedData: string;
  /** Length of the decoded `encryptedData`, in bytes: the guard against a truncated upload. */
  sizeBytes: number;
  /** Media type of the plaintext: `type/subtype`. */
  mimeType: string;
  /** What decrypting the content needs besides the passphrase; at most 16 KiB as JSON. */
  encryptionMetadata: EncryptionMetadata;
}

/** What can change about a document; what is left out stays. */
export interface UpdateDocument {
  /**
   * File name, without control characters, slashes and backslashes. A client that encrypts names too
   * puts the ciphertext here. 1 to 255 characters.
   */
  fileName?: string;
  /**
   * Media type of the plaintext as the client declares it: `type/subtype` without parameters. 3 to
   * 255 characters.
   */
  mimeType?: string;
  /** Moves the document to another vault of the account. */
  vaultId?: string;
}

/** Which documents a list holds, and in which order. */
export interface ListDocuments extends PageQuery {
  /** @default uploadedAt */
  sortBy?: 'uploadedAt' | 'updatedAt' | 'fileName' | 'sizeBytes';
  /** @default desc for times, asc for the rest */
  sortOrder?: 'asc' | 'desc';
  /**
   * Only documents of this vault. A vault that the caller does not have gives an empty page. 1 to
   * 255 characters.
   */
  vaultId?: string;
  /** Only documents of this media type. 1 to 255 characters. */
  mimeType?: string;
  /** A part of the file name, in any case. */
  search?: string;
}
