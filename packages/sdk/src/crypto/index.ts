export { DecryptionError, isVaultError, UsageError, VaultError } from '../errors.ts';
export {
  type Cipher,
  type CipherOptions,
  createCipher,
  type Decipher,
  type NamedDocument,
} from './cipher.ts';
export type { EncryptionMetadata } from './metadata.ts';
export type { EncryptedContent, SealedContent, SealOptions, SealProgress } from './seal.ts';
export type { DocumentSource } from './source.ts';
