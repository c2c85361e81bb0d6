export {
  DecryptionError,
  type DecryptionErrorContext,
  type DecryptionReason,
  isVaultError,
  SourceChangedError,
  UsageError,
  VaultError,
} from '../errors.ts';
export type { EncryptionMetadata } from '../generated/types.ts';
export {
  type Cipher,
  type CipherOptions,
  createCipher,
  type Decipher,
} from './cipher.ts';
export type { DecryptedContent } from './content.ts';
export { passkeyInput } from './context.ts';
export type {
  Decryptor,
  StoredContent,
  StoredDocument,
  StoredSealedContent,
} from './decryptor.ts';
export type { KeyedDocument, NamedDocument } from './document-key.ts';
export type { Encryptor, EncryptorOptions, EncryptorState, SealedFields } from './encryptor.ts';
export type { ByteRange } from './layout.ts';
export type { WrappedKeyMetadata } from './metadata.ts';
export type {
  ContentDescription,
  DocumentSource,
  EncryptedContent,
  FileSource,
  SealedContent,
  SealOptions,
  SealProgress,
} from './seal.ts';
export { decodeText, type TextOptions } from './text.ts';
