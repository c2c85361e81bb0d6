export { DocumentVault } from './client.ts';
export type { Cipher, Decipher } from './crypto/cipher.ts';
export type { NamedDocument } from './crypto/document-key.ts';
export type { EncryptorState } from './crypto/encryptor.ts';
export type { AccountKeys, Secret } from './crypto/keyring.ts';
export type {
  DocumentSource,
  EncryptedContent,
  FileSource,
  SealedContent,
  SealOptions,
  SealProgress,
} from './crypto/seal.ts';
export {
  AbortError,
  ApiError,
  AuthenticationError,
  CodeLoadError,
  ConnectionError,
  DecryptionError,
  type DecryptionErrorContext,
  type DecryptionReason,
  type ErrorContext,
  isVaultError,
  LockedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  SessionExpiredError,
  SourceChangedError,
  TimeoutError,
  UsageError,
  ValidationError,
  VaultError,
} from './errors.ts';
export type * from './generated/types.ts';
export type { ClientFetch, FetchInit } from './http/access.ts';
export type { ApiPromise, ApiResult, RateLimit, RateLimitWindow } from './http/api-result.ts';
export { memoryTokenStore } from './http/credentials.ts';
export type {
  AttemptEvent,
  CallLimits,
  CallOptions,
  Clock,
  DocumentVaultOptions,
  FailureEvent,
  Logger,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  SessionOptions,
  SignedIn,
  TokenStore,
  Tokens,
} from './options.ts';
export type { Page } from './page-iteration.ts';
export type { List, ListOptions } from './pages.ts';
export type { ApiKeys } from './resources/api-keys.ts';
export type { Auth, Sessions } from './resources/auth.ts';
export type { CheckpointStore, UploadCheckpoint } from './resources/checkpoints.ts';
export type { Consents } from './resources/consents.ts';
export type {
  ContentChoice,
  ContentOptions,
  ContentRange,
  DecryptedDocument,
  DecryptedFile,
  DecryptedStream,
  DownloadOptions,
  EncryptedStream,
  RenameOptions,
  UploadOptions,
  UploadProgress,
} from './resources/content.ts';
export type { Documents } from './resources/documents.ts';
export type { EventPage, Events, EventsAfter } from './resources/events.ts';
export type { Instances } from './resources/instances.ts';
export type { Keyrings } from './resources/keyring.ts';
export type { Shares } from './resources/shares.ts';
export type {
  AddedPasskey,
  KeyringProof,
  NewKeyring,
  UnlockOptions,
} from './resources/unlocking.ts';
export type { Uploads } from './resources/uploads.ts';
export type { Users } from './resources/users.ts';
export type { KeysOfVaults, SearchVaults, Vaults } from './resources/vaults.ts';
export type { Deliveries, Webhooks } from './resources/webhooks.ts';
