import type { EncryptionMetadata } from '../crypto/metadata.ts';
import type { PageQuery } from '../pages.ts';

/** A document without its content. */
export interface Document {
  id: string;
  vaultId: string;
  fileName: string;
  /** Bytes of the encrypted content. */
  sizeBytes: number;
  /** Media type of the plaintext. */
  mimeType: string;
  encryptionMetadata: EncryptionMetadata;
  uploadedAt: string;
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
  /** 1 to 255 characters, without control characters, `/` and `\`. */
  fileName: string;
  /** The encrypted content in base64 with padding, at most 32 MiB decoded. */
  encryptedData: string;
  /** Length of the decoded `encryptedData`, in bytes: the guard against a truncated upload. */
  sizeBytes: number;
  /** Media type of the plaintext: `type/subtype`. */
  mimeType: string;
  encryptionMetadata: EncryptionMetadata;
}

/** What can change about a document; what is left out stays. */
export interface UpdateDocument {
  fileName?: string;
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
  vaultId?: string;
  mimeType?: string;
  /** A part of the file name, in any case. */
  search?: string;
}
