export { DocumentVault } from './client.ts';
export type { Cipher } from './crypto/cipher.ts';
export type { EncryptionMetadata } from './crypto/metadata.ts';
export type { EncryptedContent, SealedContent, SealOptions, SealProgress } from './crypto/seal.ts';
export type { DocumentSource } from './crypto/source.ts';
export {
  AbortError,
  ApiError,
  AuthenticationError,
  ConnectionError,
  DecryptionError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorFacts,
  isVaultError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  SessionExpiredError,
  TimeoutError,
  UsageError,
  ValidationError,
  VaultError,
  type Violation,
} from './errors.ts';
export type { ClientFetch, FetchInit } from './http/access.ts';
export type { ApiPromise, ApiResult, RateLimit } from './http/api-promise.ts';
export type { TokenPair } from './http/session.ts';
export { localStorageTokenStore, memoryTokenStore } from './http/token-store.ts';
export type {
  CallOptions,
  Clock,
  DocumentVaultOptions,
  Limits,
  Logger,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  SessionOptions,
  TokenStore,
  Tokens,
} from './options.ts';
export type { List, ListOptions, Page, PageQuery, Pagination } from './pages.ts';
export type * from './resources/api-keys.ts';
export type * from './resources/auth.ts';
export type * from './resources/consents.ts';
export type * from './resources/content.ts';
export type * from './resources/document.ts';
export type * from './resources/documents.ts';
export type * from './resources/instances.ts';
export type * from './resources/openapi-document.ts';
export type * from './resources/sessions.ts';
export type * from './resources/shares.ts';
export type * from './resources/users.ts';
export type * from './resources/vaults.ts';
export type * from './resources/webhook.ts';
export type * from './resources/webhooks.ts';
