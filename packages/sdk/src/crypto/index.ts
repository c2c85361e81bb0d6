export { DecryptionError, isVaultError, UsageError, VaultError } from '../errors.ts';
export type { EncryptionMetadata } from '../generated/types.ts';
export {
  type Cipher,
  type CipherOptions,
  createCipher,
  type Decipher,
  type NamedDocument,
} from './cipher.ts';
export type {
  DocumentSource,
  EncryptedContent,
  SealedContent,
  SealOptions,
  SealProgress,
} from './seal.ts';
