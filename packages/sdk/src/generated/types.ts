// Generated from openapi/ by `npm run generate`. Do not edit.

import type { components } from './openapi.ts';

/**
 * What an account contains, and what its tier allows. A request that would exceed a limit is a
 * `VALIDATION_ERROR`: with the constraint `accountQuota` for `bytes`, `accountRows` for the others.
 * `details.resource` is the name of the limit here.
 */
export interface AccountUsage {
  /**
   * Bytes of contents, names, descriptions, metadata and webhook settings, and the declared bytes
   * of open uploads. The content of a deleted document counts until the sweeper has erased it,
   * about a minute later. Users, sessions, events and deliveries are not counted.
   */
  bytes: UsageOfLimit;
  /** Vaults. */
  vaults: UsageOfLimit;
  /** Documents. */
  documents: UsageOfLimit;
  /**
   * Shares. Those that have ended count until they are removed, 30 days after they expire or with
   * their document.
   */
  shares: UsageOfLimit;
  /** Consents in every status. */
  consents: UsageOfLimit;
  /** API keys that are not revoked. */
  keys: UsageOfLimit;
  /** Webhooks. */
  webhooks: UsageOfLimit;
  /** Open uploads. Their declared bytes count in `bytes`. */
  uploads: UsageOfLimit;
  /** OAuth clients, disabled ones too. */
  clients: UsageOfLimit;
}

/** The fields to change; a field that is not sent stays as it is. */
export interface AdministerUser {
  /** `admin` sees every account and may manage instances and accounts. */
  role?: 'user' | 'admin';
  /** Rate-limit and storage tier of an account. */
  tier?: Tier;
  /** `suspended` rejects all sessions and API keys of the account until it is `active` again. */
  status?: 'active' | 'suspended';
}

/** An API key without its secret value. */
export interface ApiKey {
  /** API key id. Not a secret. */
  keyId: string;
  /** Name to recognise the key by. White space at both ends is removed before the length counts. */
  name: string;
  /** What the key may do. */
  scopes: Scope[];
  /** First characters of the key, to recognise it by. */
  prefix: string;
  /** When the key was created. As ISO 8601. */
  createdAt: string;
  /** When the key was last used, exact to the minute; `null` before its first use. As ISO 8601. */
  lastUsedAt: string | null;
  /** When the key ends; `null` when it does not. As ISO 8601. */
  expiresAt: string | null;
}

/** The facts of a valid API key. */
export interface ApiKeyValidation {
  /** Always `true`: an invalid key returns 401. */
  valid: true;
  /** API key id. Not a secret. */
  keyId: string;
  /** Name to recognise the key by. White space at both ends is removed before the length counts. */
  name: string;
  /** What the key may do. */
  scopes: Scope[];
  /** When the key ends; `null` when it does not. As ISO 8601. */
  expiresAt: string | null;
}

/**
 * A public key (RFC 7517). RSA keys have `n` of at least 2,048 bits and `e`, elliptic curves `crv`,
 * `x` and `y`, and `OKP` keys `crv` and `x` (constraint `publicKey`).
 */
export interface ClientKey {
  /** Type of the key. */
  kty: 'RSA' | 'EC' | 'OKP';
  /** Id of the key. */
  kid?: string;
  /** Use of the key. */
  use?: 'sig';
  /** Algorithm of the key. */
  alg?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'Ed25519';
  /** Operations of the key. */
  key_ops?: 'verify'[];
  /** As Web Crypto exports keys; without meaning here. */
  ext?: boolean;
  /** Modulus of an RSA key, base64url. */
  n?: string;
  /** Exponent of an RSA key, base64url. */
  e?: string;
  /** Curve of the key. */
  crv?: 'P-256' | 'Ed25519';
  /** First coordinate, base64url. */
  x?: string;
  /** Second coordinate, base64url. */
  y?: string;
}

/** Public keys that verify the assertions of a client (RFC 7517, section 5). */
export interface ClientKeySet {
  /** The keys. Private and symmetric keys are refused. */
  keys: ClientKey[];
}

/** A consent that a user has given. */
export interface Consent {
  /** Consent id (UUIDv7). */
  id: string;
  /** The user who gave the consent. */
  userId: string;
  /** What the consent is for. White space at both ends is removed before the length counts. */
  purpose: string;
  /** Free text; `null` when there is none. */
  description: string | null;
  /** Who receives the consent. White space at both ends is removed before the length counts. */
  grantedTo: string;
  /**
   * What the consent covers, in the words of the caller; `null` when it names nothing in
   * particular.
   */
  scopes: string[] | null;
  /** State of a consent. */
  status: ConsentStatus;
  /** When the consent was given, or last renewed. As ISO 8601. */
  grantedAt: string;
  /** When the consent ends; `null` when it has no end. As ISO 8601. */
  expiresAt: string | null;
  /** When the consent was revoked; `null` while it is not. As ISO 8601. */
  revokedAt: string | null;
  /** Why the consent was revoked; `null` while it is not, or when no reason was given. */
  revocationReason: string | null;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata: Record<string, unknown> | null;
  /**
   * The app that the user gave access to by this consent. It can be deleted by now. Revoking the
   * consent ends the access at once; once revoked or expired, it cannot be renewed. Null for a
   * consent that concerns no app.
   */
  clientId: string | null;
  /** When the consent was first given. As ISO 8601. */
  createdAt: string;
  /** When the consent was last changed; equal to `createdAt` until then. As ISO 8601. */
  updatedAt: string;
}

/** State of a consent. */
export type ConsentStatus = 'granted' | 'revoked' | 'expired';

/** A new API key. */
export interface CreateApiKey {
  /**
   * Name to recognise the key by. White space at both ends is removed before the length counts. 1
   * to 120 characters.
   */
  name: string;
  /**
   * What the key may do. A key never gets a scope that its creator does not have. 1 to 14 items.
   */
  scopes: Scope[];
  /** When the key ends, in the future. Not sent or `null`: it does not end. As ISO 8601. */
  expiresAt?: string | null;
}

/** A new consent of the caller. */
export interface CreateConsent {
  /**
   * What the consent is for. White space at both ends is removed before the length counts. 1 to 200
   * characters.
   */
  purpose: string;
  /** Free text; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Who receives the consent. White space at both ends is removed before the length counts. 1 to
   * 200 characters.
   */
  grantedTo: string;
  /**
   * What the consent covers, in the words of the caller; `null` when it names nothing in
   * particular. 1 to 50 items.
   */
  scopes?: string[] | null;
  /** When the consent ends, in the future. Not sent or `null`: it has no end. As ISO 8601. */
  expiresAt?: string | null;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata?: Record<string, unknown> | null;
}

/**
 * A new document. The client has encrypted the content already. It has either `encryptedData` or
 * `uploadId`.
 */
export interface CreateDocument {
  /**
   * Id of the new document, a UUIDv7 that the client has made, so that it can bind the ciphertext
   * to it (in lower case). An id that was ever used, in any account, is refused (constraint
   * `unique`). Default: the service makes one.
   */
  id?: string;
  /**
   * The vault to put the document in. It must belong to the caller and be active. 1 to 255
   * characters.
   */
  vaultId: string;
  /**
   * File name, without `/` and `\`. It is not `.` or `..`, which name folders. The rules of names
   * apply: it has a visible character, and no invisible ones, which can disguise an extension. A
   * client that encrypts names too puts the ciphertext here. 1 to 255 characters.
   */
  fileName: string;
  /**
   * The encrypted content. Base64 with padding (RFC 4648, section 4), without line breaks. At most
   * 32 MiB once decoded, unless the service is configured otherwise; an empty string is the
   * encryption of an empty file. Required unless `uploadId` is given.
   */
  encryptedData?: string;
  /**
   * In place of `encryptedData`: an upload that has all of its parts. Its id becomes the id of the
   * document, so `id` is not given either. 1 to 255 characters.
   */
  uploadId?: string;
  /**
   * Length of the decoded `encryptedData` or of the upload, in bytes. It must match exactly: it is
   * the guard against a truncated upload.
   */
  sizeBytes: number;
  /**
   * Media type of the plaintext as the client declares it: `type/subtype` without parameters. 3 to
   * 255 characters.
   */
  mimeType: string;
  /**
   * What a client needs to decrypt the content, except its secret. The service stores it and never
   * uses it. Further properties are allowed and kept; as JSON in UTF-8, all of it together has at
   * most 16 KiB.
   */
  encryptionMetadata: EncryptionMetadata;
}

/** A new instance. */
export interface CreateInstance {
  /**
   * Name of the instance. White space at both ends is removed before the length counts. 1 to 120
   * characters.
   */
  name: string;
  /**
   * Where the instance runs: lower-case letters, digits and `-`. 1 to 64 characters. @default
   * 'default'
   */
  region?: string;
  /**
   * How many bytes of encrypted content the instance may hold. Default: as the service is
   * configured.
   */
  quotaBytes?: number;
}

/** A new client. */
export interface CreateOAuthClient {
  /**
   * Name of the application, as users see it when they are asked for their consent. White space at
   * both ends is removed before the length counts. The rules of names apply; U+200C, U+200D and
   * spaces other than U+0020, U+00A0 and U+3000 are refused too. 1 to 120 characters.
   */
  name: string;
  /**
   * `confidential`: keeps a secret, on a server. `public`: runs on the devices of its users and has
   * no secret.
   */
  type: 'confidential' | 'public';
  /**
   * Addresses that users may be sent back to. A request must name one of them exactly; only the
   * port of `http` on `127.0.0.1` and `[::1]` is free. At most 10 items. @default
   */
  redirectUris?: string[];
  /**
   * The scopes that the client may ask for. A client never gets a scope that its creator does not
   * have. 1 to 14 items.
   */
  scopes: Scope[];
  /**
   * The grants that the client may use. Not sent: `authorization_code` and `refresh_token`. 1 to 4
   * items. @default authorization_code,refresh_token
   */
  grantTypes?: OAuthGrantType[];
  /**
   * How the client authenticates. Not sent: `client_secret_basic` for a confidential client, `none`
   * for a public one. Another method than those of the type is refused (constraint `clientType`).
   */
  tokenEndpointAuthMethod?: OAuthClientAuthMethod;
  /** Public keys of the client. Required for `private_key_jwt`; other methods do not use them. */
  jwks?: ClientKeySet;
  /** Whether the client must push its authorization requests (RFC 9126). @default false */
  requirePar?: boolean;
}

/** The terms of a new share. Every field is optional. */
export interface CreateShare {
  /** What the holder of the link may do. 1 to 10 items. @default read */
  permissions?: SharePermission[];
  /**
   * When the link ends: in the future and at most 365 days away. Default: 7 days from now. As ISO
   * 8601.
   */
  expiresAt?: string;
  /** How many accesses the link allows; `null` for no cap. @default null */
  maxAccessCount?: number | null;
  /**
   * Who may use the link: `authenticated`, callers with credentials for `documents:share`;
   * `anyone`, every caller with the token. Credentials that are sent are checked either way.
   * @default 'authenticated'
   */
  access?: ShareAccessMode;
}

/** The beginning of an upload in parts. */
export interface CreateUpload {
  /**
   * Id of the upload and of the later document, a UUIDv7 that the client has made, so that it can
   * bind the ciphertext to it (in lower case). An id that was ever used, in any account, is refused
   * (constraint `unique`). Default: the service makes one.
   */
  id?: string;
  /**
   * The vault to put the document in. It must belong to the caller and be active. 1 to 255
   * characters.
   */
  vaultId: string;
  /**
   * Length of the ciphertext, in bytes. At most 16 GiB, unless the service is configured otherwise
   * (constraint `maximum`).
   */
  sizeBytes: number;
}

/** A new vault. A name is enough. */
export interface CreateVault {
  /**
   * Name of the vault. White space at both ends is removed before the length counts. 1 to 120
   * characters.
   */
  name: string;
  /** Free text about the vault; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Category of the vault, for filtering: lower-case letters, digits, `_` and `-`. `null` when
   * there is none. 1 to 50 characters.
   */
  category?: string | null;
}

/** A new webhook. */
export interface CreateWebhook {
  /**
   * Where events are sent, by HTTP POST. `https` only; `http` and private or loopback addresses
   * only where the service is configured to allow them (development). It is stored in its normal
   * form: scheme and host in lower case, an international name in punycode. At most 2,048
   * characters.
   */
  url: string;
  /** The event types to receive. 1 to 22 items. */
  events: EventType[];
  /**
   * Key of the signatures, 32 to 256 characters without white space at either end. Without it, the
   * service generates one: `whsec_` and the base64 of 30 random bytes. 32 to 256 characters.
   */
  secret?: string;
  /** Free text; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Headers added to each delivery, at most 20 and 16 KiB as JSON in UTF-8; `null` when there are
   * none. Names are HTTP tokens; values are visible Latin-1 characters, spaces and tabs.
   * `X-Service-*`, `webhook-*`, `Host`, `Content-Length`, `Content-Type`, `Content-Encoding`,
   * `Accept-Encoding`, `Expect`, `traceparent`, `tracestate` and hop-by-hop headers are reserved
   * and refused in any letter case.
   */
  headers?: Record<string, string> | null;
  /** `false` registers the webhook switched off. @default true */
  active?: boolean;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata?: Record<string, unknown> | null;
  /**
   * `all` receives the events of every account. It needs an administrator's credentials with
   * `admin:*`, and is the default with them. The default is `own` otherwise.
   */
  accounts?: 'own' | 'all';
}

/** A new API key with its secret value. This is the only response that contains the value. */
export interface CreatedApiKey extends ApiKey {
  /** The secret value, for the header `X-Api-Key`. The service stores only a hash of it. */
  key: string;
}

/** A new client with its secret. No other response contains this secret. */
export interface CreatedOAuthClient extends OAuthClient {
  /**
   * The secret: `service_cs_` and 40 letters and digits. The service stores only a hash of it.
   * `null` for a client without a secret.
   */
  clientSecret: string | null;
}

/** A new share with its token. This is the only response that contains the token. */
export interface CreatedShare extends Share {
  /** Random token that opens the document, base64url. The service stores only a hash of it. */
  shareToken: string;
}

/**
 * A new webhook, and its secret when the service has generated it. Only this response contains the
 * secret, and that to a repeated `Idempotency-Key`.
 */
export interface CreatedWebhook extends Webhook {
  /** The generated secret; absent when the request had one. */
  secret?: string;
}

/** A user account, with what it uses of its limits. */
export interface CurrentUser extends User {
  /**
   * What an account contains, and what its tier allows. A request that would exceed a limit is a
   * `VALIDATION_ERROR`: with the constraint `accountQuota` for `bytes`, `accountRows` for the
   * others. `details.resource` is the name of the limit here.
   */
  usage: AccountUsage;
}

/** Confirmation of the deletion of an account. */
export interface DeleteUser {
  /** The password of the account. 1 to 1,024 characters. */
  password: string;
}

/** The delivery of one event to one webhook. */
export interface Delivery {
  /** Delivery id. */
  id: string;
  /** The webhook. */
  webhookId: string;
  /** The event. */
  eventId: string;
  /** Type of an event. New types may be added. */
  eventType: EventType;
  /**
   * State of a delivery: `pending`, not attempted yet; `retrying`, failed at least once with
   * attempts left; `succeeded`, acknowledged with a 2xx status; `failed`, given up.
   */
  status: DeliveryStatus;
  /**
   * Status of the receiver's response to the latest attempt; `null` without a response or before
   * the first attempt.
   */
  statusCode: number | null;
  /** How long the latest attempt took, in milliseconds; `null` before the first. */
  durationMs: number | null;
  /** Number of the latest attempt: 1 for the first, 0 before it. */
  attemptNumber: number;
  /** Why the latest attempt failed; `null` when it did not. */
  error: string | null;
  /** When the next attempt is due; `null` when none is. As ISO 8601. */
  nextAttemptAt: string | null;
  /** When the event happened that is delivered. As ISO 8601. */
  createdAt: string;
  /** When the delivery succeeded or was given up; `null` until then. As ISO 8601. */
  completedAt: string | null;
  /**
   * `true` for a delivery that `POST /api/v1/webhooks/{id}/test` has caused. It is not retried and
   * not counted.
   */
  test: boolean;
}

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  /** Number of the attempt, from 1. */
  attemptNumber: number;
  /** When the attempt started. As ISO 8601. */
  startedAt: string;
  /** Status of the receiver's response; `null` without a response. */
  statusCode: number | null;
  /** How long the attempt took, in milliseconds; `null` while it runs. */
  durationMs: number | null;
  /** Why the attempt failed; `null` when it did not. */
  error: string | null;
  /**
   * The first 2 KiB of the receiver's response, as UTF-8; `null` without one. Words of 8 or more
   * characters from the webhook's own header values are masked as `***`.
   */
  responseBody: string | null;
  /** `true` when a caller asked for the attempt. */
  manual: boolean;
}

/**
 * Number of webhook deliveries by status. Test deliveries do not count, and neither do those that
 * are past their retention.
 */
export interface DeliveryCounts {
  /** Not attempted yet. */
  pending: number;
  /** Failed at least once, with attempts left. */
  retrying: number;
  /** Acknowledged by the receiver. */
  succeeded: number;
  /** Given up after the last attempt. */
  failed: number;
}

/** A delivery with the event that it carries and every attempt. */
export interface DeliveryDetail extends Delivery {
  /**
   * Any event that the service sends; `type` names it. Events are delivered at least once and in no
   * guaranteed order: `id` recognises repetitions, `timestamp` orders. New properties and new event
   * types may be added, and receivers tolerate both.
   */
  payload: WebhookEvent;
  /** The latest 10 attempts, oldest first. */
  attempts: DeliveryAttempt[];
}

/**
 * State of a delivery: `pending`, not attempted yet; `retrying`, failed at least once with attempts
 * left; `succeeded`, acknowledged with a 2xx status; `failed`, given up.
 */
export type DeliveryStatus = 'pending' | 'retrying' | 'succeeded' | 'failed';

/** A document without its content. */
export interface Document {
  /** Document id (UUIDv7). */
  id: string;
  /** The vault of the document. */
  vaultId: string;
  /**
   * File name, without `/` and `\`. It is not `.` or `..`, which name folders. The rules of names
   * apply: it has a visible character, and no invisible ones, which can disguise an extension. A
   * client that encrypts names too puts the ciphertext here.
   */
  fileName: string;
  /** Length of the decoded encrypted content, in bytes. */
  sizeBytes: number;
  /** Media type of the plaintext as the client declares it: `type/subtype` without parameters. */
  mimeType: string;
  /**
   * What a client needs to decrypt the content, except its secret. The service stores it and never
   * uses it. Further properties are allowed and kept; as JSON in UTF-8, all of it together has at
   * most 16 KiB.
   */
  encryptionMetadata: EncryptionMetadata;
  /** When the document was uploaded. As ISO 8601. */
  uploadedAt: string;
  /** When the document was last changed; equal to `uploadedAt` until then. As ISO 8601. */
  updatedAt: string;
  /**
   * Where the ciphertext can be read as bytes, whole or by `Range`: a path on this service. See
   * *Large documents*.
   */
  contentUrl: string;
}

/** A document with its encrypted content. */
export interface DocumentWithContent extends Document {
  /**
   * The encrypted content. Base64 with padding (RFC 4648, section 4), without line breaks. At most
   * 32 MiB once decoded, unless the service is configured otherwise. An empty string stands for
   * empty content. `null` for content above that size: read it from `contentUrl`. Absent with
   * `content=false`.
   */
  encryptedData?: string | null;
}

/**
 * What a client needs to decrypt the content, except its secret. The service stores it and never
 * uses it. Further properties are allowed and kept; as JSON in UTF-8, all of it together has at
 * most 16 KiB.
 */
export interface EncryptionMetadata {
  /**
   * Cipher of the content. `AES256_GCM_HKDF_1MB` is a ciphertext stream of segments, bound to the
   * id of the document; the SDK writes it.
   */
  algorithm: string;
  /**
   * Where the key comes from that wraps the document's own one: `PBKDF2` derives it from a
   * passphrase, `VAULT_KEY` is the key of the vault (`iterations` is 1). Absent when the key was
   * not derived.
   */
  keyDerivation?: string;
  /** Iterations of the key derivation; absent when the key was not derived. */
  iterations?: number;
  /**
   * Salt of the key derivation. Base64 with padding (RFC 4648, section 4), without line breaks.
   * PBKDF2 cannot be repeated without it.
   */
  salt?: string;
  /**
   * Generation of the vault key that wraps the document's own key, with `keyDerivation: VAULT_KEY`
   * alone. It is the present `generation` of the vault, otherwise the upload is refused (constraint
   * `keyGeneration`).
   */
  keyGeneration?: number;
  /**
   * The document's own key, wrapped for this document alone (AES-256-GCM) by the key that
   * `keyDerivation` names; absent when the content is encrypted under that key itself. Base64 with
   * padding (RFC 4648, section 4), without line breaks.
   */
  wrappedKey?: string;
  /**
   * Initialisation vector (nonce) of the encryption, or the nonce prefix of a ciphertext stream.
   * Base64 with padding (RFC 4648, section 4), without line breaks.
   */
  iv: string;
  /**
   * Authentication tag of the content, or of the last segment of a ciphertext stream. Base64 with
   * padding (RFC 4648, section 4), without line breaks.
   */
  authTag: string;
  [name: string]: unknown;
}

/** Number of webhook deliveries that ended, by outcome, without test deliveries. */
export interface EndedDeliveries {
  /** Acknowledged by the receiver. */
  succeeded: number;
  /** Given up after the last attempt. */
  failed: number;
}

/**
 * What went wrong, for programs.
 *
 * | Code | Status | Meaning |
 * |---|---|---|
 * | `INVALID_API_KEY` | 401 | The API key is malformed, unknown, revoked or expired |
 * | `EXPIRED_TOKEN` | 401 | The access token has expired: refresh it and repeat the call |
 * | `INVALID_TOKEN` | 401 | The token or the login is not valid |
 * | `MISSING_AUTH` | 401 | No credentials were sent |
 * | `INSUFFICIENT_PERMISSIONS` | 403 | The key or token lacks the scope, or the user the role |
 * | `ACCOUNT_SUSPENDED` | 403 | The account is suspended |
 * | `IP_BLOCKED` | 403 | The address of the caller is blocked |
 * | `NOT_FOUND` | 404 | There is no such resource for this caller |
 * | `VALIDATION_ERROR` | 400 | The request is not valid |
 * | `RANGE_NOT_SATISFIABLE` | 416 | The range of the content begins after its end; only of content |
 * | `RATE_LIMIT_EXCEEDED` | 429 | Too many requests: wait for `retryAfter` seconds |
 * | `INTERNAL_ERROR` | 500 | The service failed |
 */
export type ErrorCode =
  | 'INVALID_API_KEY'
  | 'EXPIRED_TOKEN'
  | 'INVALID_TOKEN'
  | 'MISSING_AUTH'
  | 'INSUFFICIENT_PERMISSIONS'
  | 'ACCOUNT_SUSPENDED'
  | 'IP_BLOCKED'
  | 'NOT_FOUND'
  | 'VALIDATION_ERROR'
  | 'RANGE_NOT_SATISFIABLE'
  | 'RATE_LIMIT_EXCEEDED'
  | 'INTERNAL_ERROR';

/**
 * Facts about the error; empty when there are none. `VALIDATION_ERROR` has `field`, `constraint`
 * and `violations`; `NOT_FOUND` names the id that was not found, for example `vaultId` (its first
 * 500 characters), and of an unknown path its `method` and `path`.
 */
export interface ErrorDetails {
  /**
   * Dotted path of the offending value, for example `encryptionMetadata.iv`; the name of a query
   * parameter or header; `body` for the body as a whole. Of the first violation.
   */
  field?: string;
  /**
   * The rule that was broken: the JSON Schema keyword (`required`, `maxLength`, `enum`, …) or a
   * rule of the service (`unique`, `future`, `vaultQuota`, …; see *Errors*). Of the first
   * violation.
   */
  constraint?: string;
  /** All violations, in `VALIDATION_ERROR`. */
  violations?: Violation[];
  /**
   * The limit that was reached, as `usage` of `GET /api/v1/users/me` names it. With the constraints
   * `accountRows` and `accountQuota`.
   */
  resource?: string;
  [name: string]: unknown;
}

/** Type of an event. New types may be added. */
export type EventType =
  | 'vault.created'
  | 'vault.updated'
  | 'vault.deleted'
  | 'vault.quota.warning'
  | 'vault.quota.exceeded'
  | 'document.uploaded'
  | 'document.updated'
  | 'document.deleted'
  | 'document.shared'
  | 'document.share.accessed'
  | 'document.share.expired'
  | 'consent.granted'
  | 'consent.revoked'
  | 'consent.expired'
  | 'consent.renewed'
  | 'user.created'
  | 'user.updated'
  | 'user.deleted'
  | 'user.login'
  | 'instance.health.degraded'
  | 'instance.health.recovered'
  | 'instance.quota.warning';

/** One check of an instance. */
export interface HealthCheck {
  /** What was checked. */
  name: string;
  /** Health of an instance or of one check. */
  status: HealthStatus;
  /** How long the check took, in milliseconds. */
  durationMs: number;
  /** What is wrong; absent when there is nothing to say. */
  message?: string;
}

/** Health of an instance or of one check. */
export type HealthStatus = 'healthy' | 'degraded';

/** An instance: one installation of the service with its own storage. */
export interface Instance {
  /** Instance id (UUIDv7). */
  id: string;
  /** Name of the instance. White space at both ends is removed before the length counts. */
  name: string;
  /** Where the instance runs: lower-case letters, digits and `-`. */
  region: string;
  /** Version of the software that the instance runs. */
  version: string;
  /** Health of the instance at its last check. */
  status: HealthStatus;
  /**
   * `true` on creation. An inactive instance takes no new accounts; those that it has go on as
   * before. New accounts belong to the oldest active instance.
   */
  isActive: boolean;
  /** How many bytes of encrypted content the instance may hold. */
  quotaBytes: number;
  /** Bytes of encrypted content in the instance. */
  usedBytes: number;
  /** When the instance was created. As ISO 8601. */
  createdAt: string;
  /** When the instance was last changed; equal to `createdAt` until then. As ISO 8601. */
  updatedAt: string;
}

/** Figures of one instance. */
export interface InstanceFigures {
  /** The instance. */
  instanceId: string;
  /** Number of vaults. */
  vaults: number;
  /** Number of documents. */
  documents: number;
  /** Bytes of encrypted content. */
  usedBytes: number;
  /** Number of shares that can still be used. */
  activeShares: number;
  /** Number of webhooks. */
  webhooks: number;
  /**
   * Number of webhook deliveries by status. Test deliveries do not count, and neither do those that
   * are past their retention.
   */
  deliveries: DeliveryCounts;
}

/** Health of an instance. */
export interface InstanceHealth {
  /** The instance. */
  instanceId: string;
  /** `degraded` as soon as one check is. */
  status: HealthStatus;
  /** The checks: a write to the store, free disk space, the backlog of webhook deliveries. */
  checks: HealthCheck[];
  /** When the checks ran. As ISO 8601. */
  checkedAt: string;
}

/** Figures of an instance over time. */
export interface InstanceHistory {
  /** The instance. */
  instanceId: string;
  /** The earliest time of the points. As ISO 8601. */
  from: string;
  /** The time before which the points start. As ISO 8601. */
  to: string;
  /** Length of a point. */
  step: 'hour' | 'day';
  /** The points, the earliest first. Times in which no server ran have none. */
  data: InstancePoint[];
}

/** Figures of an hour or a day. */
export interface InstancePoint {
  /** When the hour or the day begins. As ISO 8601. */
  start: string;
  /**
   * Number of documents at the first record of this time, within a minute of its begin while a
   * server runs.
   */
  documents: number;
  /** Bytes of encrypted content at the same moment. */
  usedBytes: number;
  /** Requests with valid credentials of accounts of the instance. */
  requests: number;
  /** Number of webhook deliveries that ended, by outcome, without test deliveries. */
  deliveries: EndedDeliveries;
}

/**
 * Counts for every instance that the caller may see: the sum, then each instance. They count the
 * rows of the accounts that `account` selects.
 */
export interface InstanceStatistics {
  /** Number of instances. */
  instances: number;
  /** Number of vaults. */
  vaults: number;
  /** Number of documents. */
  documents: number;
  /** Bytes of encrypted content. */
  usedBytes: number;
  /** Number of shares that can still be used. */
  activeShares: number;
  /** Number of webhooks. */
  webhooks: number;
  /**
   * Number of webhook deliveries by status. Test deliveries do not count, and neither do those that
   * are past their retention.
   */
  deliveries: DeliveryCounts;
  /** The same figures for each instance. */
  perInstance: InstanceFigures[];
}

/** An RSA public key that verifies access tokens (RFC 7517). */
export interface JsonWebKey {
  /** Key type. */
  kty: 'RSA';
  /** Use of the key: signatures. */
  use: 'sig';
  /** Algorithm of the key. */
  alg: 'RS256';
  /** Key id; the `kid` in the header of an access token names it. */
  kid: string;
  /** Modulus, base64url. */
  n: string;
  /** Exponent, base64url. */
  e: string;
}

/** The public keys that verify access tokens (RFC 7517). */
export interface JsonWebKeySet {
  /** The current key and, while a rotation overlaps, the one before or after it. */
  keys: JsonWebKey[];
}

/**
 * The keys of an account as its clients have encrypted them. The service stores it and cannot open
 * it.
 */
export interface Keyring {
  /** The account. */
  userId: string;
  /** Number of the change: 1 for the first keyring, and one more with each `PUT`. */
  version: number;
  /**
   * Public key of the account: a point of P-256, uncompressed. 65 bytes. Base64 with padding (RFC
   * 4648, section 4), without line breaks.
   */
  publicKey: string;
  /**
   * Private key of the account (PKCS #8), encrypted under the account key. 166 bytes. Base64 with
   * padding (RFC 4648, section 4), without line breaks.
   */
  privateKey: string;
  /**
   * The ways to get at the account key: exactly one passphrase, and any recovery keys and passkeys.
   */
  unlockers: Unlocker[];
}

/** Credentials of a user. */
export interface LoginRequest {
  /** E-mail address of the account, without regard to case. 1 to 254 characters. */
  email: string;
  /** Password of the account. 1 to 1,024 characters. */
  password: string;
}

/** A client of OAuth 2.0, without its secret. */
export interface OAuthClient {
  /** Client id (UUIDv7). Not a secret. */
  clientId: string;
  /** The account that owns the client. */
  userId: string;
  /**
   * Name of the application, as users see it when they are asked for their consent. White space at
   * both ends is removed before the length counts.
   */
  name: string;
  /** Whether an administrator has confirmed who owns the client. The consent page shows it. */
  verified: boolean;
  /**
   * `confidential`: keeps a secret, on a server. `public`: runs on the devices of its users and has
   * no secret.
   */
  type: 'confidential' | 'public';
  /**
   * Addresses that users may be sent back to. A request must name one of them exactly; only the
   * port of `http` on `127.0.0.1` and `[::1]` is free.
   */
  redirectUris: string[];
  /** The scopes that the client may ask for. */
  scopes: Scope[];
  /** The grants that the client may use. */
  grantTypes: OAuthGrantType[];
  /**
   * How a client authenticates at the token endpoint (RFC 7591, section 2). Public clients use
   * `none`, confidential clients one of the others.
   */
  tokenEndpointAuthMethod: OAuthClientAuthMethod;
  /** Public keys that verify the assertions of the client; `null` when there are none. */
  jwks: ClientKeySet | null;
  /** Whether the client must push its authorization requests (RFC 9126). */
  requirePar: boolean;
  /** Whether the client is refused everywhere. */
  disabled: boolean;
  /** Until when the secret before the last rotation is valid; `null` when none is. As ISO 8601. */
  previousSecretExpiresAt: string | null;
  /** When the client was registered. As ISO 8601. */
  createdAt: string;
  /** When the client was last changed; equal to `createdAt` until then. As ISO 8601. */
  updatedAt: string;
}

/**
 * How a client authenticates at the token endpoint (RFC 7591, section 2). Public clients use
 * `none`, confidential clients one of the others.
 */
export type OAuthClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/** A grant of OAuth 2.0 (RFC 6749; RFC 8628 for devices). */
export type OAuthGrantType =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | 'urn:ietf:params:oauth:grant-type:device_code';

/** This document (OpenAPI 3.1). */
export interface OpenApiDocument {
  /** Version of the OpenAPI Specification. */
  openapi: string;
  /** Title, description and version of the interface. */
  info: Record<string, unknown>;
  /** The operations by path and method. */
  paths: Record<string, unknown>;
  [name: string]: unknown;
}

/** Where a page stands in its list. */
export interface Pagination {
  /** Number of this page, from 1. */
  page: number;
  /** Items per page, as requested. */
  pageSize: number;
  /** Number of pages; 0 when the list is empty. */
  totalPages: number;
  /** Number of items on all pages. */
  totalCount: number;
  /** Whether a page follows. */
  hasNextPage: boolean;
  /** Whether a page precedes. */
  hasPreviousPage: boolean;
}

/** A new account. */
export interface RegisterRequest {
  /** E-mail address. It must not belong to another account. At most 254 characters. */
  email: string;
  /**
   * Password of the new account. It is compared in the Unicode form NFC, in which its length is
   * counted too. 12 to 1,024 characters.
   */
  password: string;
  /**
   * Name of the person. White space at both ends is removed before the length counts. 1 to 120
   * characters.
   */
  name: string;
}

/** What a retry of all failed deliveries has started. */
export interface RetryResult {
  /** Number of deliveries that were started again. */
  retried: number;
}

/** How to rotate the secret of a webhook. */
export interface RotateWebhookSecret {
  /**
   * The new secret, 32 to 256 characters without white space at either end. Without it, the service
   * generates one.
   */
  secret?: string;
  /**
   * Until when attempts are signed with the present secret too, in the future and at most 7 days
   * away. `null`: not at all. Not sent: 24 hours from now. As ISO 8601.
   */
  previousSecretExpiresAt?: string | null;
}

/** A new secret of a client. No other response contains it. */
export interface RotatedClientSecret {
  /** Client id (UUIDv7). Not a secret. */
  clientId: string;
  /** The secret: `service_cs_` and 40 letters and digits. The service stores only a hash of it. */
  clientSecret: string;
  /**
   * Until when the secret before this one is valid; `null` when a password change had ended it. As
   * ISO 8601.
   */
  previousSecretExpiresAt: string | null;
}

/** The new secret of a webhook. */
export interface RotatedWebhookSecret {
  /** The generated secret; absent when the request had one. */
  secret?: string;
  /**
   * Until when attempts are signed with the previous secret too; `null` when there is none. As ISO
   * 8601.
   */
  previousSecretExpiresAt: string | null;
}

/** A permission of an API key or token. `admin:*` allows every operation and sees every account. */
export type Scope =
  | 'vaults:read'
  | 'vaults:write'
  | 'documents:read'
  | 'documents:write'
  | 'documents:share'
  | 'instances:read'
  | 'instances:write'
  | 'users:read'
  | 'users:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'consents:read'
  | 'consents:write'
  | 'admin:*';

/** A login of the account that is still valid. */
export interface Session {
  /** Session id, the `sid` of its access tokens. Not a secret. */
  id: string;
  /** When the user logged in. As ISO 8601. */
  createdAt: string;
  /** When the session was last used, exact to the minute. As ISO 8601. */
  lastUsedAt: string;
  /**
   * When the session ends unless it is refreshed before: 30 days after its last refresh. As ISO
   * 8601.
   */
  expiresAt: string;
  /** Address of the client at `lastUsedAt`. IPv4 or IPv6, without a port. */
  ipAddress: string;
  /**
   * The first 512 characters of the `User-Agent` header at `lastUsedAt`; `null` when there was
   * none.
   */
  userAgent: string | null;
  /** Whether this is the session of the request. */
  current: boolean;
}

/** A share link of a document. Its token is shown once, by the call that creates the share. */
export interface Share {
  /** Share id (UUIDv7). */
  id: string;
  /** The shared document. */
  documentId: string;
  /** What the holder of the link may do. */
  permissions: SharePermission[];
  /**
   * Who may use the link: `authenticated`, callers with credentials for `documents:share`;
   * `anyone`, every caller with the token. Credentials that are sent are checked either way.
   */
  access: ShareAccessMode;
  /** When the link ends. As ISO 8601. */
  expiresAt: string;
  /** How many accesses the link allows; `null` for no cap. */
  maxAccessCount: number | null;
  /** Accesses so far; 0 on creation. */
  accessCount: number;
  /** `true` on creation; `false` once the share is revoked, spent or expired. */
  isActive: boolean;
  /** When the share was created. As ISO 8601. */
  createdAt: string;
}

/** One counted access to a shared document. */
export interface ShareAccess {
  /** The share that was used. */
  shareId: string;
  /** The document that was opened. */
  documentId: string;
  /** Accesses of this share so far, this one included. */
  accessCount: number;
  /** When the document was opened. As ISO 8601. */
  accessedAt: string;
  /** Address of the caller. IPv4 or IPv6, without a port. */
  ipAddress: string;
  /**
   * The first 512 characters of the `User-Agent` header of the request; `null` when it had none.
   */
  userAgent: string | null;
}

/**
 * Who may use the link: `authenticated`, callers with credentials for `documents:share`; `anyone`,
 * every caller with the token. Credentials that are sent are checked either way.
 */
export type ShareAccessMode = 'authenticated' | 'anyone';

/** A permission of a share. */
export type SharePermission = 'read';

/**
 * A document as a share link opens it, with its encrypted content. Opened without credentials with
 * `documents:read` of the owner of the document, its `encryptionMetadata` holds only `algorithm`,
 * `iv` and `authTag`. Its `contentUrl` is a ticket for this share and content: it is valid for 24
 * hours, and ends with the share by revocation and expiry, not by the cap on accesses.
 */
export interface SharedDocument extends DocumentWithContent {}

/** What to send as a test. */
export interface TestWebhook {
  /**
   * The event type to send an example of. Default: the first type that the webhook subscribes to.
   */
  eventType?: EventType;
  /**
   * Whether `eventType` may be a type that the webhook does not subscribe to. Otherwise such a type
   * is refused (constraint `subscribed`), because the webhook would never receive real events of
   * it. @default false
   */
  allowUnsubscribed?: boolean;
}

/** Rate-limit and storage tier of an account. */
export type Tier = 'free' | 'paid' | 'enterprise';

/** A new pair of tokens. */
export interface TokenPair {
  /** JWT (RS256) for `Authorization: Bearer`. */
  accessToken: string;
  /** Opaque token for `POST /auth/refresh`, valid for 30 days and for one use. */
  refreshToken: string;
  /** Lifetime of the access token, in seconds. */
  expiresIn: number;
}

/**
 * A way to get at the account key: the key wrapped by a secret, which never leaves the client.
 * `kdf`, `iterations` and `salt` belong to a passphrase, `credentialId` to a passkey.
 */
export interface Unlocker {
  /** Id of the unlocker, a UUID in lower case that the client has made. */
  id: string;
  /** The kind of secret. */
  type: 'passphrase' | 'recoveryKey' | 'passkey';
  /** What the user calls it. */
  label: string;
  /** When the client made it. As ISO 8601. */
  createdAt: string;
  /**
   * The account key, encrypted under the key of the secret. 60 bytes. Base64 with padding (RFC
   * 4648, section 4), without line breaks.
   */
  wrappedKey: string;
  /** How the key is derived from the passphrase (RFC 8018, section 5.2). */
  kdf?: 'PBKDF2-SHA256';
  /** Iterations of the derivation. */
  iterations?: number;
  /**
   * Salt of the derivation. 16 bytes. Base64 with padding (RFC 4648, section 4), without line
   * breaks.
   */
  salt?: string;
  /**
   * Id of the passkey (WebAuthn), at most 1,023 bytes. Base64 with padding (RFC 4648, section 4),
   * without line breaks.
   */
  credentialId?: string;
}

/**
 * The fields to change; a field that is not sent stays as it is. One call either revokes or renews,
 * never both.
 */
export interface UpdateConsent {
  /** `revoked` revokes a granted consent. `granted` renews a revoked or expired one. */
  status?: 'revoked' | 'granted';
  /** Why the consent is revoked; only together with `status: "revoked"`. 1 to 500 characters. */
  reason?: string;
  /**
   * A later end, which renews the consent; never together with `status: "revoked"`. As ISO 8601.
   */
  expiresAt?: string;
  /** Free text; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata?: Record<string, unknown> | null;
}

/** The fields to change; a field that is not sent stays as it is. The content never changes. */
export interface UpdateDocument {
  /**
   * File name, without `/` and `\`. It is not `.` or `..`, which name folders. The rules of names
   * apply: it has a visible character, and no invisible ones, which can disguise an extension. A
   * client that encrypts names too puts the ciphertext here. 1 to 255 characters.
   */
  fileName?: string;
  /**
   * Media type of the plaintext as the client declares it: `type/subtype` without parameters. 3 to
   * 255 characters.
   */
  mimeType?: string;
  /**
   * Moves the document to another active vault of the same account. A document under
   * `keyDerivation: VAULT_KEY` needs `encryptionMetadata` with it: its key is wrapped anew for the
   * other vault. 1 to 255 characters.
   */
  vaultId?: string;
  /**
   * The document's own key, wrapped anew: under the key of the vault, another passphrase, or a key
   * that is not derived. The properties replace the present ones together. With `keyDerivation`,
   * `iterations` is given too, and `keyGeneration` for `VAULT_KEY` or `salt` for everything else;
   * without it, none of them, and the present ones are removed. Everything else in
   * `encryptionMetadata` stays. A document without `wrappedKey` is refused (constraint
   * `wrappedKey`): its content is encrypted under the derived key itself.
   */
  encryptionMetadata?: UpdateEncryptionMetadata;
}

/**
 * The document's own key, wrapped anew: under the key of the vault, another passphrase, or a key
 * that is not derived. The properties replace the present ones together. With `keyDerivation`,
 * `iterations` is given too, and `keyGeneration` for `VAULT_KEY` or `salt` for everything else;
 * without it, none of them, and the present ones are removed. Everything else in
 * `encryptionMetadata` stays. A document without `wrappedKey` is refused (constraint `wrappedKey`):
 * its content is encrypted under the derived key itself.
 */
export interface UpdateEncryptionMetadata {
  /**
   * Where the key comes from that wraps the document's own one: `PBKDF2` derives it from a
   * passphrase, `VAULT_KEY` is the key of the vault (`iterations` is 1). Absent when the key was
   * not derived. 1 to 100 characters.
   */
  keyDerivation?: string;
  /** Iterations of the key derivation; absent when the key was not derived. */
  iterations?: number;
  /**
   * Salt of the key derivation. Base64 with padding (RFC 4648, section 4), without line breaks.
   * PBKDF2 cannot be repeated without it.
   */
  salt?: string;
  /**
   * Generation of the vault key that wraps the document's own key, with `keyDerivation: VAULT_KEY`
   * alone. It is the present `generation` of the vault, otherwise the upload is refused (constraint
   * `keyGeneration`).
   */
  keyGeneration?: number;
  /**
   * The document's own key, wrapped for this document alone (AES-256-GCM). Base64 with padding (RFC
   * 4648, section 4), without line breaks.
   */
  wrappedKey: string;
}

/** The fields to change; a field that is not sent stays as it is. */
export interface UpdateInstance {
  /**
   * Name of the instance. White space at both ends is removed before the length counts. 1 to 120
   * characters.
   */
  name?: string;
  /** Where the instance runs: lower-case letters, digits and `-`. 1 to 64 characters. */
  region?: string;
  /**
   * How many bytes of encrypted content the instance may hold. A value below `usedBytes` removes
   * nothing and refuses further uploads.
   */
  quotaBytes?: number;
  /** `false` closes the instance for new accounts, `true` opens it again. */
  isActive?: boolean;
}

/** The whole keyring after the change, at most 16 KiB as JSON (constraint `maxBytes`). */
export interface UpdateKeyring {
  /**
   * One more than the present `version`; 1 for the first keyring. Any other is refused (constraint
   * `version`): another client has changed the keyring, so read it again.
   */
  version: number;
  /**
   * Public key of the account: a point of P-256, uncompressed. 65 bytes. Base64 with padding (RFC
   * 4648, section 4), without line breaks. At most 88 characters.
   */
  publicKey: string;
  /**
   * Private key of the account (PKCS #8), encrypted under the account key. 166 bytes. Base64 with
   * padding (RFC 4648, section 4), without line breaks. At most 224 characters.
   */
  privateKey: string;
  /**
   * The ways to get at the account key: exactly one passphrase (constraint `passphrase`), and any
   * recovery keys and passkeys. Their ids differ (constraint `unique`). 1 to 20 items.
   */
  unlockers: Unlocker[];
  /** The password of the account, needed unless `version` is 1. 1 to 1,024 characters. */
  currentPassword?: string;
  /**
   * `true` confirms another `publicKey`, which needs it: all vault keys of the account are removed.
   * No effect with the same `publicKey`.
   */
  replace?: boolean;
}

/** The fields to change; a field that is not sent stays as it is. */
export interface UpdateOAuthClient {
  /**
   * Name of the application, as users see it when they are asked for their consent. White space at
   * both ends is removed before the length counts. The rules of names apply; U+200C, U+200D and
   * spaces other than U+0020, U+00A0 and U+3000 are refused too. 1 to 120 characters.
   */
  name?: string;
  /**
   * Addresses that users may be sent back to. A request must name one of them exactly; only the
   * port of `http` on `127.0.0.1` and `[::1]` is free. At most 10 items.
   */
  redirectUris?: string[];
  /**
   * The scopes that the client may ask for. A client never gets a scope that its creator does not
   * have. 1 to 14 items.
   */
  scopes?: Scope[];
  /** The grants that the client may use. 1 to 4 items. */
  grantTypes?: OAuthGrantType[];
  /** New public keys of the client. */
  jwks?: ClientKeySet;
  /** Whether the client must push its authorization requests (RFC 9126). */
  requirePar?: boolean;
  /** `true` refuses the client everywhere, `false` admits it again. */
  disabled?: boolean;
  /**
   * Whether an administrator has confirmed who owns the client. The consent page shows it. Only
   * administrators can send it.
   */
  verified?: boolean;
}

/** The fields to change; a field that is not sent stays as it is. */
export interface UpdateUser {
  /**
   * Name of the person. White space at both ends is removed before the length counts. 1 to 120
   * characters.
   */
  name?: string;
  /**
   * New e-mail address. It must not belong to another account. `currentPassword` is needed with it.
   * At most 254 characters.
   */
  email?: string;
  /**
   * New password. `currentPassword` is needed with it. It is compared in the Unicode form NFC, in
   * which its length is counted too. 12 to 1,024 characters.
   */
  password?: string;
  /** The password so far, needed with `email` and `password`. 1 to 1,024 characters. */
  currentPassword?: string;
  /**
   * Whether to revoke every API key of the account, the caller's included. `false` when it is not
   * sent. `password` is needed with it. The consents of apps, with their access, and the secrets of
   * all OAuth clients of the account end too, and clients that authenticate with keys are disabled.
   */
  revokeApiKeys?: boolean;
}

/** The fields to change; a field that is not sent stays as it is. */
export interface UpdateVault {
  /**
   * Name of the vault. White space at both ends is removed before the length counts. 1 to 120
   * characters.
   */
  name?: string;
  /** Free text about the vault; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Category of the vault, for filtering: lower-case letters, digits, `_` and `-`. `null` when
   * there is none. 1 to 50 characters.
   */
  category?: string | null;
  /** `false` closes the vault for new documents, `true` opens it again. */
  isActive?: boolean;
}

/** The keys of a vault after the change. */
export interface UpdateVaultKeys {
  /**
   * One more than the present `version`; 1 for the first key. Any other is refused (constraint
   * `version`): another client has changed the keys, so read them again.
   */
  version: number;
  /** The present `generation` or the next one; 1 for the first key (constraint `generation`). */
  generation: number;
  /**
   * The keys of all generations, encrypted under the account key. At most 32 KiB. Base64 with
   * padding (RFC 4648, section 4), without line breaks. More is refused (constraint
   * `maxDecodedLength`). 4 to 43,692 characters.
   */
  sealed: string;
}

/** The fields to change; a field that is not sent stays as it is. */
export interface UpdateWebhook {
  /**
   * Where events are sent, by HTTP POST. `https` only; `http` and private or loopback addresses
   * only where the service is configured to allow them (development). It is stored in its normal
   * form: scheme and host in lower case, an international name in punycode. At most 2,048
   * characters.
   */
  url?: string;
  /** The event types to receive. 1 to 22 items. */
  events?: EventType[];
  /**
   * New key of the signatures, 32 to 256 characters without white space at either end. It is never
   * returned. The present secret becomes the previous one, in place of an earlier one. 32 to 256
   * characters.
   */
  secret?: string;
  /**
   * Until when attempts are signed with the previous secret too, in the future and at most 7 days
   * away. `null` ends that at once. Not sent with a new `secret`: 24 hours from now, or at once
   * with a new `url`. As ISO 8601.
   */
  previousSecretExpiresAt?: string | null;
  /** Free text; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Headers added to each delivery, at most 20 and 16 KiB as JSON in UTF-8; `null` when there are
   * none. Names are HTTP tokens; values are visible Latin-1 characters, spaces and tabs.
   * `X-Service-*`, `webhook-*`, `Host`, `Content-Length`, `Content-Type`, `Content-Encoding`,
   * `Accept-Encoding`, `Expect`, `traceparent`, `tracestate` and hop-by-hop headers are reserved
   * and refused in any letter case.
   */
  headers?: Record<string, string> | null;
  /** `false` pauses the webhook, `true` resumes it. */
  active?: boolean;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata?: Record<string, unknown> | null;
  /**
   * `all` needs an administrator's credentials with `admin:*`, and so does a new `url`, `events`,
   * `headers` or `secret` of such a webhook. While the `url` is one that an app chose, `all` is
   * 403. `own` removes the waiting deliveries of other accounts.
   */
  accounts?: 'own' | 'all';
}

/** An open upload. */
export interface Upload {
  /** Upload id (UUIDv7); later the id of the document. */
  id: string;
  /** The vault that the bytes are reserved in. */
  vaultId: string;
  /** Length of the ciphertext, in bytes. */
  sizeBytes: number;
  /** Bytes of every part except the last one, which has the rest. The service chooses it. */
  partBytes: number;
  /** The parts that have arrived, in order. */
  parts: UploadPart[];
  /** When the service removes the upload, 24 hours after its beginning. As ISO 8601. */
  expiresAt: string;
}

/** A part that has arrived. */
export interface UploadPart {
  /** Number of the part, from 0. */
  part: number;
  /** Bytes of the part. */
  sizeBytes: number;
  /** SHA-256 of the part, base64. */
  sha256: string;
}

/** How much of a limit is used. */
export interface UsageOfLimit {
  /** What the account contains. Above `limit` when the limit was lowered. */
  used: number;
  /** What the account may hold, by its tier. */
  limit: number;
}

/** A user account. */
export interface User {
  /** User id (UUIDv7). */
  id: string;
  /** E-mail address, the name to log in with. Unique without regard to case. */
  email: string;
  /** Name of the person. White space at both ends is removed before the length counts. */
  name: string;
  /** `admin` sees every account and may manage instances. */
  role: 'user' | 'admin';
  /** Rate-limit and storage tier of an account. */
  tier: Tier;
  /**
   * A suspended account's calls return 403 `ACCOUNT_SUSPENDED`. Its shares return 404, and
   * deliveries to its webhooks wait. Both go on when the account is resumed.
   */
  status: 'active' | 'suspended';
  /** The instance that stores the account. */
  instanceId: string;
  /** When the user registered. As ISO 8601. */
  createdAt: string;
  /** When the profile was last changed; equal to `createdAt` until then. As ISO 8601. */
  updatedAt: string;
}

/** A vault: a named container of encrypted documents that belongs to one user. */
export interface Vault {
  /** Vault id (UUIDv7). */
  id: string;
  /** Name of the vault. White space at both ends is removed before the length counts. */
  name: string;
  /** Free text about the vault; `null` when there is none. */
  description: string | null;
  /**
   * Category of the vault, for filtering: lower-case letters, digits, `_` and `-`. `null` when
   * there is none.
   */
  category: string | null;
  /** The owner. */
  userId: string;
  /** The instance that stores the vault. */
  instanceId: string;
  /** `true` on creation. An inactive vault refuses new documents; everything else still works. */
  isActive: boolean;
  /** Number of documents in the vault; 0 on creation. */
  documentCount: number;
  /** Sum of `sizeBytes` of the documents, in bytes; 0 on creation. */
  totalSize: number;
  /** When the vault was created. As ISO 8601. */
  createdAt: string;
  /**
   * When the vault itself was last changed; equal to `createdAt` until then. Adding and removing
   * documents does not count as a change. As ISO 8601.
   */
  updatedAt: string;
}

/**
 * The keys of a vault as its owner's client has encrypted them. The service stores them and cannot
 * open them.
 */
export interface VaultKeys {
  /** The vault. */
  vaultId: string;
  /** Number of the change: 1 for the first key, and one more with each `PUT`. */
  version: number;
  /** Number of the newest key of the vault, from 1. New documents have it as `keyGeneration`. */
  generation: number;
  /**
   * The keys of all generations, encrypted under the account key. At most 32 KiB. Base64 with
   * padding (RFC 4648, section 4), without line breaks. `null` after the keyring was replaced: the
   * keys up to `generation` are lost, and the next `PUT` begins the next generation.
   */
  sealed: string | null;
  /** The keys as the owner has encrypted them for a member; `null` for the owner. */
  grant: string | null;
  /** Whether the owner should begin a new generation, because a member has left. */
  rotationDue: boolean;
}

/** One broken rule. */
export interface Violation {
  /**
   * Dotted path of the offending value, for example `encryptionMetadata.iv`; the name of a query
   * parameter or header; `body` for the body as a whole.
   */
  field: string;
  /**
   * The rule that was broken: the JSON Schema keyword (`required`, `maxLength`, `enum`, …) or a
   * rule of the service (`unique`, `future`, `vaultQuota`, …; see *Errors*).
   */
  constraint: string;
  /** What is wrong, for people. */
  message: string;
}

/** A webhook: an address that receives events. Its secret is not returned. */
export interface Webhook {
  /** Webhook id (UUIDv7). */
  id: string;
  /**
   * Where events are sent, by HTTP POST. `https` only; `http` and private or loopback addresses
   * only where the service is configured to allow them (development).
   */
  url: string;
  /** The event types to receive. */
  events: EventType[];
  /**
   * Whose events the webhook receives: `own`, those of its account; `all`, those of every account
   * and of instances. `all` lasts as long as its account is an active administrator; each attempt
   * checks it again.
   */
  accounts: 'own' | 'all';
  /** Free text; `null` when there is none. */
  description: string | null;
  /**
   * Headers added to each delivery, at most 20 and 16 KiB as JSON in UTF-8; `null` when there are
   * none. Names are HTTP tokens; values are visible Latin-1 characters, spaces and tabs.
   * `X-Service-*`, `webhook-*`, `Host`, `Content-Length`, `Content-Type`, `Content-Encoding`,
   * `Accept-Encoding`, `Expect`, `traceparent`, `tracestate` and hop-by-hop headers are reserved
   * and refused in any letter case. Values are returned only to callers of the account with
   * `webhooks:write`, and to an app only where it has chosen the `url`; others, administrators too,
   * get `***` for each value.
   */
  headers: Record<string, string> | null;
  /**
   * While `false`, deliveries wait in the queue. They also wait while the account is suspended. A
   * queue holds as many deliveries as the tier of the account allows (free 5,000, paid 50,000,
   * enterprise 500,000, unless the service is configured otherwise). `document.share.accessed`,
   * which strangers can cause, uses at most half of it, as do the events of other accounts in the
   * queue of a webhook with `accounts: all`. Events beyond that are not queued, and
   * `stats.droppedDeliveries` counts them. Changes that are made at the same moment can exceed a
   * limit by their own events.
   */
  active: boolean;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata: Record<string, unknown> | null;
  /**
   * Until when attempts are signed with the previous secret too, after a rotation; `null` when
   * there is none. As ISO 8601.
   */
  previousSecretExpiresAt: string | null;
  /** When the webhook was registered. As ISO 8601. */
  createdAt: string;
  /** When the webhook was last changed; equal to `createdAt` until then. As ISO 8601. */
  updatedAt: string;
  /**
   * How the deliveries of a webhook went since it was registered, those that are no longer listed
   * included. Test deliveries do not count.
   */
  stats: WebhookStats;
  /**
   * State of a webhook: the first value whose condition is true. `paused`: it is switched off.
   * `failing`: its latest three attempts have failed, or its latest one has and a delivery has
   * waited for more than 5 minutes. `new`: nothing was attempted yet. `healthy`: no other condition
   * is true. Test deliveries do not count.
   */
  health: WebhookHealth;
}

/**
 * State of a webhook: the first value whose condition is true. `paused`: it is switched off.
 * `failing`: its latest three attempts have failed, or its latest one has and a delivery has waited
 * for more than 5 minutes. `new`: nothing was attempted yet. `healthy`: no other condition is true.
 * Test deliveries do not count.
 */
export type WebhookHealth = 'new' | 'healthy' | 'failing' | 'paused';

/**
 * How the deliveries of a webhook went since it was registered, those that are no longer listed
 * included. Test deliveries do not count.
 */
export interface WebhookStats {
  /** Number of deliveries. */
  totalDeliveries: number;
  /**
   * Number of deliveries that were given up after their last attempt. One that is still being
   * retried does not count, although its error is `lastError`. One that is retried by hand counts
   * again when that fails.
   */
  failedDeliveries: number;
  /** `failedDeliveries / totalDeliveries`; 0 while there are none. */
  failureRate: number;
  /**
   * Number of events that were not queued, because the queue was full. They are stored as events,
   * and are not delivered.
   */
  droppedDeliveries: number;
  /** When the latest event was dropped; `null` when none was. As ISO 8601. */
  lastDroppedAt: string | null;
  /**
   * Error of the latest failed attempt, also of a delivery that is still being retried; `null` when
   * none has failed.
   */
  lastError: string | null;
  /** When the latest attempt started; `null` before the first. As ISO 8601. */
  lastDeliveryAt: string | null;
  /**
   * Number of failed attempts since the latest success, or since the webhook was registered.
   * Attempts of deliveries that are still being retried count.
   */
  consecutiveFailures: number;
  /**
   * When the first of these attempts started; `null` when the latest attempt succeeded, and before
   * the first. As ISO 8601.
   */
  failingSince: string | null;
  /** When the latest successful attempt started; `null` before the first. As ISO 8601. */
  lastSuccessAt: string | null;
  /**
   * When the delivery was created that has waited longest for its next attempt; `null` when none
   * waits. As ISO 8601.
   */
  oldestPendingAt: string | null;
}

/** An event as it is sent to webhooks; `type` discriminates the 22 kinds. */
// `| never` keeps the name of the type in editors.
export type WebhookEvent = components['schemas']['Event'] | never;

/** Where a list begins, and how large its pages are. */
export interface PageQuery {
  /** Number of the first page, from 1. @default 1 */
  page?: number;
  /** Items per page, 1 to 100. @default 20 for one page, 100 when iterating */
  pageSize?: number;
}

/** Filters and order of a list of sessions. */
export interface ListSessions extends PageQuery {
  /** What to sort by. @default 'createdAt' */
  sortBy?: 'createdAt';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
}

/** Filters and order of a list of API keys. */
export interface ListApiKeys extends PageQuery {
  /** What to sort by. @default 'createdAt' */
  sortBy?: 'createdAt' | 'name';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
  /**
   * Whose rows. Without it, those of the caller's account. `all` stands for every account, an id
   * for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives
   * an empty page. At most 36 characters.
   */
  account?: string;
}

/** Filters and order of a list of OAuth clients. */
export interface ListOAuthClients extends PageQuery {
  /** What to sort by. @default 'createdAt' */
  sortBy?: 'createdAt' | 'name';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
  /**
   * Whose rows. Without it, those of the caller's account. `all` stands for every account, an id
   * for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives
   * an empty page. At most 36 characters.
   */
  account?: string;
}

/** Filters and order of a list of vaults. */
export interface ListVaults extends PageQuery {
  /**
   * What to sort by. Over all accounts (`account=all`), other orders than `createdAt` take at most
   * 100,000 vaults: above, they are a `VALIDATION_ERROR` (constraint `sortableRows`). @default
   * 'createdAt'
   */
  sortBy?: 'createdAt' | 'updatedAt' | 'name' | 'documentCount' | 'totalSize';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
  /**
   * Whose rows. Without it, those of the caller's account. `all` stands for every account, an id
   * for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives
   * an empty page. At most 36 characters.
   */
  account?: string;
  /** Only vaults of this category. 1 to 50 characters. */
  category?: string;
  /** Only active (`true`) or only inactive (`false`) vaults. */
  isActive?: boolean;
  /**
   * Only vaults whose name contains this text, without regard to case. An empty text filters
   * nothing. At most 200 characters.
   */
  search?: string;
}

/** Filters and order of a list of vault keys. */
export interface ListVaultKeys extends PageQuery {
  /**
   * Only the keys of this vault. A vault that the caller does not have gives an empty page. 1 to
   * 255 characters.
   */
  vaultId?: string;
}

/** Filters and order of a list of documents. */
export interface ListDocuments extends PageQuery {
  /**
   * What to sort by. Over all accounts (`account=all`), other orders than `uploadedAt` take at most
   * 100,000 documents: above, they are a `VALIDATION_ERROR` (constraint `sortableRows`). @default
   * 'uploadedAt'
   */
  sortBy?: 'uploadedAt' | 'updatedAt' | 'fileName' | 'sizeBytes';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
  /**
   * Whose rows. Without it, those of the caller's account. `all` stands for every account, an id
   * for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives
   * an empty page. At most 36 characters.
   */
  account?: string;
  /**
   * Only documents of this vault. A vault that the caller does not have gives an empty page. 1 to
   * 255 characters.
   */
  vaultId?: string;
  /** Only documents of this media type. 1 to 255 characters. */
  mimeType?: string;
  /**
   * Only documents whose file name contains this text, without regard to case. An empty text
   * filters nothing. At most 200 characters.
   */
  search?: string;
}

/** Filters and order of a list of shares. */
export interface ListShares extends PageQuery {
  /** What to sort by. @default 'createdAt' */
  sortBy?: 'createdAt' | 'expiresAt';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
}

/** Filters and order of a list of share accesses. */
export interface ListShareAccesses extends PageQuery {}

/** Filters and order of a list of instances. */
export interface ListInstances extends PageQuery {
  /** What to sort by. @default 'createdAt' */
  sortBy?: 'createdAt' | 'updatedAt' | 'name';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
}

/** What to return of an instance statistics. */
export interface GetInstanceStatistics {
  /**
   * Whose rows. Without it, those of the caller's account. `all` stands for every account, an id
   * for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives
   * an empty page. At most 36 characters.
   */
  account?: string;
}

/** What to return of an instance history. */
export interface GetInstanceHistory {
  /**
   * Only points that start at this time or later, at most 90 days before `to` (constraint `range`).
   * When it is not sent: 7 days before `to`, and 90 days with `step=day`. As ISO 8601.
   */
  from?: string;
  /**
   * Only points that start before this time. When it is not sent: now. It must not be earlier than
   * `from` (constraint `notBeforeFrom`). As ISO 8601.
   */
  to?: string;
  /** Length of a point: an hour, or a day in UTC. @default 'hour' */
  step?: 'hour' | 'day';
}

/** Filters and order of a list of users. */
export interface ListUsers extends PageQuery {
  /** What to sort by. E-mail addresses are compared without regard to case. @default 'createdAt' */
  sortBy?: 'createdAt' | 'email';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
  /**
   * Only accounts whose name or e-mail address contains this text, without regard to case. An empty
   * text filters nothing. At most 200 characters.
   */
  search?: string;
  /** Only accounts of this tier. */
  tier?: Tier;
  /** Only accounts with this role. */
  role?: 'user' | 'admin';
  /** Only accounts with this status. */
  status?: 'active' | 'suspended';
}

/** Filters and order of a list of consents. */
export interface ListConsents extends PageQuery {
  /** What to sort by. @default 'createdAt' */
  sortBy?: 'createdAt' | 'updatedAt';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
  /**
   * Whose rows. Without it, those of the caller's account. `all` stands for every account, an id
   * for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives
   * an empty page. At most 36 characters.
   */
  account?: string;
}

/** Filters and order of a list of webhooks. */
export interface ListWebhooks extends PageQuery {
  /** What to sort by. @default 'createdAt' */
  sortBy?: 'createdAt' | 'updatedAt';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
  /**
   * Whose rows. Without it, those of the caller's account. `all` stands for every account, an id
   * for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives
   * an empty page. At most 36 characters.
   */
  account?: string;
}

/** Filters and order of a list of deliveries. */
export interface ListDeliveries extends PageQuery {
  /** What to sort by. @default 'createdAt' */
  sortBy?: 'createdAt';
  /**
   * Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are
   * broken by id, so that pages never overlap.
   */
  sortOrder?: 'asc' | 'desc';
  /** Only deliveries in this state. */
  status?: DeliveryStatus;
  /** Only deliveries of this event type. */
  eventType?: EventType;
}

/** Filters and order of a list of events. */
export interface ListEvents extends PageQuery {
  /**
   * Whose rows. Without it, those of the caller's account. `all` stands for every account, an id
   * for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives
   * an empty page. At most 36 characters.
   */
  account?: string;
  /** Only events of this type. */
  type?: EventType;
  /** Only events with this `timestamp` or a later one. As ISO 8601. */
  since?: string;
  /**
   * The `cursor` of an earlier page: the events that were committed after it follow, oldest first.
   * It must not be combined with `since`, `until` or a `page` other than 1 (constraint
   * `exclusive`). A cursor is refused (constraint `cursorExpired`) when events could be missing: it
   * is older than 30 days, or the service has restored or changed its database since. 1 to 120
   * characters.
   */
  after?: string;
  /**
   * Only events with this `timestamp` or an earlier one. It must not be earlier than `since`
   * (constraint `notBeforeSince`). As ISO 8601.
   */
  until?: string;
}
