// Generated from openapi/ by `npm run generate`. Do not edit.

/** What consents can be sorted by. */
export type ConsentSortField =
  /** When the consent was first given. */
  | 'createdAt'
  /** When the consent was last changed. */
  | 'updatedAt';

/** Where a consent stands. */
export type ConsentStatus =
  /** The period of the consent has ended. */
  | 'expired'
  /** The consent is in force. */
  | 'granted'
  /** The consent was withdrawn. */
  | 'revoked';

/** A new consent. */
export interface CreateConsentInput {
  /** Description. */
  description?: string | null | undefined;
  /** When the consent ends, in the future. When absent: never. */
  expiresAt?: string | null | undefined;
  /** Who receives the consent. */
  grantedTo: string;
  /** Free-form object, at most 50 properties. */
  metadata?: unknown;
  /** What the consent is for, 1 to 200 characters. */
  purpose: string;
  /** What the consent covers, in the words of the caller. */
  scopes?: Array<string> | null | undefined;
}

/** A new vault. */
export interface CreateVaultInput {
  /** Category, 1 to 50 characters of `[a-z0-9_-]`, for example `personal` or `health`. */
  category?: string | null | undefined;
  /** Description, at most 2,000 characters. */
  description?: string | null | undefined;
  /** Name, 1 to 120 characters after trimming. */
  name: string;
}

/** A new webhook. */
export interface CreateWebhookInput {
  /** Whose events it receives. `all` needs `admin:*`, and is the default with it. */
  accounts?: WebhookAccounts | null | undefined;
  /** Whether events are sent. */
  active?: boolean | null | undefined;
  /** Description. */
  description?: string | null | undefined;
  /** The event types to send, for example `vault.created`; at least one. */
  events: Array<string>;
  /** Headers to add to each delivery: an object of strings. `X-Service-*`, `webhook-*`, `Host`, `Content-Length`, `Content-Type`, `Content-Encoding`, `traceparent`, `tracestate` and hop-by-hop headers are refused. */
  headers?: unknown;
  /** Free-form object, at most 50 properties. */
  metadata?: unknown;
  /** Secret with which deliveries are signed, 32 to 256 characters. Without it, the service generates one and returns it. */
  secret?: string | null | undefined;
  /** HTTPS endpoint to which events are sent. */
  url: string;
}

/** What deliveries can be sorted by. */
export type DeliverySortField =
  /** When the event happened that is delivered. */
  | 'createdAt';

/** Where a delivery stands. */
export type DeliveryStatus =
  /** The last attempt has failed; only a manual retry tries again. */
  | 'failed'
  /** The first attempt is due. */
  | 'pending'
  /** An attempt has failed and another one is due. */
  | 'retrying'
  /** The receiver has acknowledged the event. */
  | 'succeeded';

/** What documents can be sorted by. */
export type DocumentSortField =
  /** The file name. */
  | 'fileName'
  /** The length of the encrypted content. */
  | 'sizeBytes'
  /** When the document last changed. */
  | 'updatedAt'
  /** When the document was uploaded. */
  | 'uploadedAt';

/** Health of an instance. */
export type HealthStatus =
  /** At least one health check fails. */
  | 'degraded'
  /** Every health check passes. */
  | 'healthy';

/** What instances can be sorted by. */
export type InstanceSortField =
  /** When the instance was created. */
  | 'createdAt'
  /** The name. */
  | 'name'
  /** When the instance was last changed. */
  | 'updatedAt';

/** Who may open a share. */
export type ShareAccessMode =
  /** Every caller with the token. */
  | 'anyone'
  /** Callers with credentials that have the scope `documents:share`. */
  | 'authenticated';

/** How a document is shared. */
export interface ShareDocumentInput {
  /** Who may open the share. */
  access?: ShareAccessMode | null | undefined;
  /** When the share ends: in the future and at most 365 days away. When absent: in 7 days. */
  expiresAt?: string | null | undefined;
  /** How many accesses the share allows, 1 to 1,000,000; `null` for any number. */
  maxAccessCount?: number | null | undefined;
  /** What the share allows. */
  permissions?: Array<SharePermission> | null | undefined;
}

/** What a share allows. */
export type SharePermission =
  /** Read the document. */
  | 'read';

/** Direction of an order. */
export type SortOrder =
  /** Smallest, earliest or alphabetically first comes first. */
  | 'asc'
  /** Largest, latest or alphabetically last comes first. */
  | 'desc';

/** The tier of an account. It sets the rate limits, the GraphQL budget and the storage quota. */
export type Tier =
  /** The enterprise tier. */
  | 'enterprise'
  /** The free tier. */
  | 'free'
  /** The paid tier. */
  | 'paid';

/**
 * Changes to a consent. What is left out stays as it is; `null` clears `description` and `metadata`. A later `expiresAt`,
 * or the status `granted` on a consent that is revoked or expired, renews it.
 */
export interface UpdateConsentInput {
  /** Description. */
  description?: string | null | undefined;
  /** When the consent ends; later than before. */
  expiresAt?: string | null | undefined;
  /** Free-form object, at most 50 properties. */
  metadata?: unknown;
  /** Why the consent is revoked. Only together with the status `revoked`. */
  reason?: string | null | undefined;
  /** `revoked` revokes, `granted` renews. `expired` cannot be set. */
  status?: ConsentStatus | null | undefined;
}

/** Changes to the metadata of a document. What is left out stays as it is. */
export interface UpdateDocumentInput {
  /** The document's own key, wrapped anew, for example under another passphrase. */
  encryptionMetadata?: UpdateEncryptionMetadataInput | null | undefined;
  /** File name, 1 to 255 characters, without invisible characters, `/` and `\`; not `.` or `..`. */
  fileName?: string | null | undefined;
  /** Media type, `type/subtype`. */
  mimeType?: string | null | undefined;
  /** Another active vault of the account, into which the document is moved. */
  vaultId?: string | null | undefined;
}

/**
 * The document's own key, wrapped anew. The four properties replace the present ones together; without `keyDerivation`,
 * `iterations` and `salt`, which are given all or not at all, the key is not derived. Everything else stays.
 */
export interface UpdateEncryptionMetadataInput {
  /** Iterations of the key derivation, at least 1. */
  iterations?: number | null | undefined;
  /** Where the wrapping key comes from, for example `VAULT_KEY` or `PBKDF2`. */
  keyDerivation?: string | null | undefined;
  /** Salt of the key derivation, base64. */
  salt?: string | null | undefined;
  /** The document's own key, wrapped for this document alone, base64. */
  wrappedKey: string;
}

/** Changes to a vault. What is left out stays as it is; `null` clears `description` and `category`. */
export interface UpdateVaultInput {
  /** Category, 1 to 50 characters of `[a-z0-9_-]`. */
  category?: string | null | undefined;
  /** Description, at most 2,000 characters. */
  description?: string | null | undefined;
  /** Whether the vault takes new documents. */
  isActive?: boolean | null | undefined;
  /** Name, 1 to 120 characters after trimming. */
  name?: string | null | undefined;
}

/**
 * Changes to a webhook. What is left out stays as it is; `null` clears `description`, `headers`, `metadata` and the previous secret. `events`,
 * `headers` and `metadata` are replaced as a whole.
 */
export interface UpdateWebhookInput {
  /** Whose events it receives. `all` needs `admin:*`. */
  accounts?: WebhookAccounts | null | undefined;
  /** Whether events are sent. */
  active?: boolean | null | undefined;
  /** Description. */
  description?: string | null | undefined;
  /** The event types to send, for example `vault.created`; at least one. */
  events?: Array<string> | null | undefined;
  /** Headers to add to each delivery: an object of strings. */
  headers?: unknown;
  /** Free-form object, at most 50 properties. */
  metadata?: unknown;
  /** Until when attempts are signed with the previous secret too, at most 7 days away; `null` ends that at once. Default with a new `secret`: 24 hours, or at once with a new `url`. */
  previousSecretExpiresAt?: string | null | undefined;
  /** New secret with which deliveries are signed, 32 to 256 characters. The present one becomes the previous one. */
  secret?: string | null | undefined;
  /** HTTPS endpoint to which events are sent. */
  url?: string | null | undefined;
}

/** What a user may do. */
export type UserRole =
  /** Reaches the resources of every account. */
  | 'admin'
  /** Reaches the resources of the own account. */
  | 'user';

/** Whether an account may use the service. */
export type UserStatus =
  /** The account works. */
  | 'active'
  /** Every call of the account is refused with ACCOUNT_SUSPENDED, its shares are not found, and deliveries to its webhooks wait. */
  | 'suspended';

/** What vaults can be sorted by. */
export type VaultSortField =
  /** When the vault was created. */
  | 'createdAt'
  /** The number of documents in the vault. */
  | 'documentCount'
  /** The name. */
  | 'name'
  /** The bytes of encrypted content in the vault. */
  | 'totalSize'
  /** When the vault last changed. */
  | 'updatedAt';

/** The accounts whose events a webhook receives. */
export type WebhookAccounts =
  /** Every account, and instances. */
  | 'all'
  /** Its own account. */
  | 'own';

/** State of a webhook: the first value whose condition is true. Test deliveries do not count. */
export type WebhookHealth =
  /** Its latest three attempts have failed, or its latest one has and a delivery has waited for more than 5 minutes. */
  | 'failing'
  /** No other condition is true. */
  | 'healthy'
  /** Nothing was attempted yet. */
  | 'new'
  /** It is switched off. */
  | 'paused';

/** What webhooks can be sorted by. */
export type WebhookSortField =
  /** When the webhook was registered. */
  | 'createdAt'
  /** When the webhook was last changed. */
  | 'updatedAt';

/** Variables of the document `consents`. */
export interface ConsentsQueryVariables {
  /** Number of the page, from 1. @default 1 */
  page?: number | null | undefined;
  /** Items per page, 1 to 100. @default 20 */
  pageSize?: number | null | undefined;
  /** What to sort by. Ties are broken by id. @default createdAt */
  sortBy?: ConsentSortField | null | undefined;
  /** Direction. When absent: `desc` for times, `asc` for everything else. */
  sortOrder?: SortOrder | null | undefined;
  /**
   * Account whose rows are returned. Default: the caller's. `all`: every account. Other accounts
   * than the caller's need `admin:*`.
   */
  account?: string | null | undefined;
}

/** Result of the document `consents`. */
export interface ConsentsQuery {
  /** The consents of the account, revoked and expired ones too. Needs `consents:read`. */
  consents: ConsentPage;
}

/** Variables of the document `createConsent`. */
export interface CreateConsentMutationVariables {
  /** The new consent. */
  input: CreateConsentInput;
}

/** Result of the document `createConsent`. */
export interface CreateConsentMutation {
  /** Records a consent of the caller and emits `consent.granted`. Needs `consents:write`. */
  createConsent: Consent;
}

/** Variables of the document `updateConsent`. */
export interface UpdateConsentMutationVariables {
  /** Id of the consent. */
  id: string;
  /** What to change. What is left out stays as it is. */
  input: UpdateConsentInput;
}

/** Result of the document `updateConsent`. */
export interface UpdateConsentMutation {
  /**
   * Changes, revokes or renews a consent, and emits `consent.revoked` or `consent.renewed` when it
   * did one of these. Only the account of the consent renews it. Needs `consents:write`.
   */
  updateConsent: Consent;
}

/** Variables of the document `retryDelivery`. */
export interface RetryDeliveryMutationVariables {
  /** Id of the webhook. */
  webhookId: string;
  /** Id of the delivery. */
  deliveryId: string;
}

/** Result of the document `retryDelivery`. */
export interface RetryDeliveryMutation {
  /**
   * Starts one new attempt of a delivery at once, in place of the next automatic one where one is
   * due. Needs `webhooks:write`.
   */
  retryDelivery: Delivery;
}

/** Variables of the document `documents`. */
export interface DocumentsQueryVariables {
  /** Number of the page, from 1. @default 1 */
  page?: number | null | undefined;
  /** Items per page, 1 to 100. @default 20 */
  pageSize?: number | null | undefined;
  /** What to sort by. Ties are broken by id. @default uploadedAt */
  sortBy?: DocumentSortField | null | undefined;
  /** Direction. When absent: `desc` for times, `asc` for everything else. */
  sortOrder?: SortOrder | null | undefined;
  /** Only documents of this vault. */
  vaultId?: string | null | undefined;
  /** Only documents of this media type. */
  mimeType?: string | null | undefined;
  /** Only documents whose file name contains this text, in upper or lower case. */
  search?: string | null | undefined;
  /**
   * Account whose rows are returned. Default: the caller's. `all`: every account. Other accounts
   * than the caller's need `admin:*`.
   */
  account?: string | null | undefined;
}

/** Result of the document `documents`. */
export interface DocumentsQuery {
  /** The documents of the account, in all its vaults or in one. Needs `documents:read`. */
  documents: DocumentPage;
}

/** Variables of the document `document`. */
export interface DocumentQueryVariables {
  /** Id of the document. */
  id: string;
}

/** Result of the document `document`. */
export interface DocumentQuery {
  /**
   * One document; `null` with the error NOT_FOUND when there is none of this id in the account.
   * Needs `documents:read`.
   */
  document: Document | null;
}

/** Variables of the document `updateDocument`. */
export interface UpdateDocumentMutationVariables {
  /** Id of the document. */
  id: string;
  /** What to change. What is left out stays as it is. */
  input: UpdateDocumentInput;
}

/** Result of the document `updateDocument`. */
export interface UpdateDocumentMutation {
  /**
   * Changes the metadata of a document or moves it to another vault, and emits `document.updated`
   * if something changed. Needs `documents:write`.
   */
  updateDocument: Document;
}

/** Variables of the document `instances`. */
export interface InstancesQueryVariables {
  /** Number of the page, from 1. @default 1 */
  page?: number | null | undefined;
  /** Items per page, 1 to 100. @default 20 */
  pageSize?: number | null | undefined;
  /** What to sort by. Ties are broken by id. @default createdAt */
  sortBy?: InstanceSortField | null | undefined;
  /** Direction. When absent: `desc` for times, `asc` for everything else. */
  sortOrder?: SortOrder | null | undefined;
}

/** Result of the document `instances`. */
export interface InstancesQuery {
  /**
   * The instances that the caller may see: the one of the account, and with `admin:*` all. Needs
   * `instances:read`.
   */
  instances: InstancePage;
}

/** Variables of the document `shareDocument`. */
export interface ShareDocumentMutationVariables {
  /** Id of the document. */
  documentId: string;
  /** How to share. When absent, every field has its default. */
  input?: ShareDocumentInput | null | undefined;
}

/** Result of the document `shareDocument`. */
export interface ShareDocumentMutation {
  /**
   * Creates a share of a document of the caller and emits `document.shared`. Its token is in this
   * response and never again. Needs `documents:share`.
   */
  shareDocument: CreatedShare;
}

/** Variables of the document `me`: none. */
export type MeQueryVariables = Record<string, never>;

/** Result of the document `me`. */
export interface MeQuery {
  /** The signed-in user, or the owner of the API key. Needs `users:read`. */
  me: User;
}

/** Variables of the document `vaults`. */
export interface VaultsQueryVariables {
  /** Number of the page, from 1. @default 1 */
  page?: number | null | undefined;
  /** Items per page, 1 to 100. @default 20 */
  pageSize?: number | null | undefined;
  /** What to sort by. Ties are broken by id. @default createdAt */
  sortBy?: VaultSortField | null | undefined;
  /** Direction. When absent: `desc` for times, `asc` for everything else. */
  sortOrder?: SortOrder | null | undefined;
  /** Only vaults of this category. */
  category?: string | null | undefined;
  /** Only active (`true`) or only inactive (`false`) vaults. */
  isActive?: boolean | null | undefined;
  /** Only vaults whose name contains this text, in upper or lower case. */
  search?: string | null | undefined;
  /**
   * Account whose rows are returned. Default: the caller's. `all`: every account. Other accounts
   * than the caller's need `admin:*`.
   */
  account?: string | null | undefined;
}

/** Result of the document `vaults`. */
export interface VaultsQuery {
  /** The vaults of the account. Needs `vaults:read`. */
  vaults: VaultPage;
}

/** Variables of the document `vault`. */
export interface VaultQueryVariables {
  /** Id of the vault. */
  id: string;
}

/** Result of the document `vault`. */
export interface VaultQuery {
  /**
   * One vault; `null` with the error NOT_FOUND when there is none of this id in the account. Needs
   * `vaults:read`.
   */
  vault: Vault | null;
}

/** Variables of the document `createVault`. */
export interface CreateVaultMutationVariables {
  /** The new vault. */
  input: CreateVaultInput;
}

/** Result of the document `createVault`. */
export interface CreateVaultMutation {
  /** Creates a vault and emits `vault.created`. Needs `vaults:write`. */
  createVault: Vault;
}

/** Variables of the document `updateVault`. */
export interface UpdateVaultMutationVariables {
  /** Id of the vault. */
  id: string;
  /** What to change. What is left out stays as it is. */
  input: UpdateVaultInput;
}

/** Result of the document `updateVault`. */
export interface UpdateVaultMutation {
  /** Changes a vault and emits `vault.updated` if something changed. Needs `vaults:write`. */
  updateVault: Vault;
}

/** Variables of the document `deleteVault`. */
export interface DeleteVaultMutationVariables {
  /** Id of the vault. */
  id: string;
}

/** Result of the document `deleteVault`. */
export interface DeleteVaultMutation {
  /**
   * Deletes a vault with its documents and shares, emits `vault.deleted` and returns the id. Needs
   * `vaults:write`.
   */
  deleteVault: string;
}

/** Variables of the document `webhooks`. */
export interface WebhooksQueryVariables {
  /** Number of the page, from 1. @default 1 */
  page?: number | null | undefined;
  /** Items per page, 1 to 100. @default 20 */
  pageSize?: number | null | undefined;
  /** What to sort by. Ties are broken by id. @default createdAt */
  sortBy?: WebhookSortField | null | undefined;
  /** Direction. When absent: `desc` for times, `asc` for everything else. */
  sortOrder?: SortOrder | null | undefined;
  /**
   * Account whose rows are returned. Default: the caller's. `all`: every account. Other accounts
   * than the caller's need `admin:*`.
   */
  account?: string | null | undefined;
}

/** Result of the document `webhooks`. */
export interface WebhooksQuery {
  /** The webhooks of the account. Needs `webhooks:read`. */
  webhooks: WebhookPage;
}

/** Variables of the document `webhook`. */
export interface WebhookQueryVariables {
  /** Id of the webhook. */
  id: string;
}

/** Result of the document `webhook`. */
export interface WebhookQuery {
  /**
   * One webhook; `null` with the error NOT_FOUND when there is none of this id in the account.
   * Needs `webhooks:read`.
   */
  webhook: Webhook | null;
}

/** Variables of the document `webhookWithDeliveries`. */
export interface WebhookWithDeliveriesQueryVariables {
  /** Id of the webhook. */
  id: string;
  /** Number of the page, from 1. @default 1 */
  page?: number | null | undefined;
  /** Items per page, 1 to 100. @default 20 */
  pageSize?: number | null | undefined;
  /** What to sort by. Ties are broken by id. @default createdAt */
  sortBy?: DeliverySortField | null | undefined;
  /** Direction. When absent: `desc` for times, `asc` for everything else. */
  sortOrder?: SortOrder | null | undefined;
  /** Only deliveries that stand so. */
  status?: DeliveryStatus | null | undefined;
  /** Only deliveries of this event type, for example `vault.created`. */
  eventType?: string | null | undefined;
}

/** Result of the document `webhookWithDeliveries`. */
export interface WebhookWithDeliveriesQuery {
  /**
   * One webhook; `null` with the error NOT_FOUND when there is none of this id in the account.
   * Needs `webhooks:read`.
   */
  webhook: WebhookWithDeliveries | null;
}

/** Variables of the document `createWebhook`. */
export interface CreateWebhookMutationVariables {
  /** The new webhook. */
  input: CreateWebhookInput;
}

/** Result of the document `createWebhook`. */
export interface CreateWebhookMutation {
  /** Registers a webhook. Needs `webhooks:write`. */
  createWebhook: CreatedWebhook;
}

/** Variables of the document `updateWebhook`. */
export interface UpdateWebhookMutationVariables {
  /** Id of the webhook. */
  id: string;
  /** What to change. What is left out stays as it is. */
  input: UpdateWebhookInput;
}

/** Result of the document `updateWebhook`. */
export interface UpdateWebhookMutation {
  /**
   * Changes a webhook. With `admin:*`, only `active` of another account's webhook. Needs
   * `webhooks:write`.
   */
  updateWebhook: Webhook;
}

/** Variables of the document `deleteWebhook`. */
export interface DeleteWebhookMutationVariables {
  /** Id of the webhook. */
  id: string;
}

/** Result of the document `deleteWebhook`. */
export interface DeleteWebhookMutation {
  /**
   * Deletes a webhook with its waiting deliveries and its log, and returns the id. Needs
   * `webhooks:write`.
   */
  deleteWebhook: string;
}

/** A consent: what a user has allowed a third party to do. */
export interface Consent {
  /** Consent id (UUIDv7). */
  id: string;
  /** The user who consented. */
  userId: string;
  /** What the consent is for, 1 to 200 characters. */
  purpose: string;
  /** Description. */
  description: string | null;
  /** Who received the consent. */
  grantedTo: string;
  /** What the consent covers, in the words of the caller. */
  scopes: Array<string> | null;
  /** Where the consent stands. */
  status: ConsentStatus;
  /** When the consent was given, or last renewed. */
  grantedAt: string;
  /** When the consent ends; `null` when it does not. */
  expiresAt: string | null;
  /** When the consent was revoked; `null` when it is not. */
  revokedAt: string | null;
  /** The reason given for the revocation. */
  revocationReason: string | null;
  /** Free-form object, at most 50 properties. */
  metadata: unknown;
  /** The app that the user gave access to by this consent; `null` when it concerns no app. */
  clientId: string | null;
  /** When the consent was first given. */
  createdAt: string;
  /** When the consent last changed. */
  updatedAt: string;
}

/** A page of consents. */
export interface ConsentPage {
  /** The consents on this page. */
  data: Array<Consent>;
  /** Where this page stands. */
  pagination: Pagination;
}

/** A delivery: one event on its way to one webhook. */
export interface Delivery {
  /** Delivery id (`dlv_` prefix). */
  id: string;
  /** The webhook. */
  webhookId: string;
  /** The event (`evt_` prefix). */
  eventId: string;
  /** Type of the event, for example `vault.created`. */
  eventType: string;
  /** Where the delivery stands. */
  status: DeliveryStatus;
  /**
   * HTTP status of the receiver's response to the latest attempt; `null` without a response or
   * before the first attempt.
   */
  statusCode: number | null;
  /** How long the latest attempt took, in milliseconds; `null` before the first. */
  durationMs: number | null;
  /** Number of the latest attempt: 1 for the first, 0 before it. */
  attemptNumber: number;
  /** Why the latest attempt failed; `null` when it did not. */
  error: string | null;
  /** When the next attempt is due; `null` when none is. */
  nextAttemptAt: string | null;
  /** Whether it delivers a test event. Such a delivery is not retried and not counted. */
  test: boolean;
  /** When the event happened that is delivered. */
  createdAt: string;
  /** When the delivery succeeded or was given up; `null` until then. */
  completedAt: string | null;
}

/** A page of deliveries. */
export interface DeliveryPage {
  /** The deliveries on this page. */
  data: Array<Delivery>;
  /** Where this page stands. */
  pagination: Pagination;
}

/** How the content of a document was encrypted, as the client declared it. */
export interface EncryptionMetadata {
  /** Cipher, for example `AES256_GCM_HKDF_1MB`. */
  algorithm: string;
  /** Where the wrapping key comes from, for example `VAULT_KEY` or `PBKDF2`. */
  keyDerivation: string | null;
  /** Iterations of the key derivation, at least 1. */
  iterations: number | null;
  /** Salt of the key derivation, base64. */
  salt: string | null;
  /** Generation of the vault key, for `VAULT_KEY`. */
  keyGeneration: number | null;
  /** The document's own key, wrapped for this document alone, base64. */
  wrappedKey: string | null;
  /** Initialisation vector, or nonce prefix of a ciphertext stream, base64. */
  iv: string;
  /** Authentication tag, base64. */
  authTag: string;
  /** The whole object as it was uploaded, with the properties that have no field here. */
  raw: unknown;
}

/** The metadata of an encrypted document. */
export interface Document {
  /** Document id (UUIDv7). */
  id: string;
  /** The vault of the document. */
  vaultId: string;
  /** File name; ciphertext when the client encrypts names too. */
  fileName: string;
  /** Length of the decoded encrypted content, in bytes. */
  sizeBytes: number;
  /** Media type of the plaintext, as the client declared it. */
  mimeType: string;
  /** How the content was encrypted. */
  encryptionMetadata: EncryptionMetadata;
  /** When the document was uploaded. */
  uploadedAt: string;
  /** When the document last changed; equal to `uploadedAt` until then. */
  updatedAt: string;
  /** Where the REST interface returns the ciphertext as bytes: a path on this service. */
  contentUrl: string;
}

/** A page of documents. */
export interface DocumentPage {
  /** The documents on this page. */
  data: Array<Document>;
  /** Where this page stands. */
  pagination: Pagination;
}

/** An instance: one installation of the service with its own storage. */
export interface Instance {
  /** Instance id (UUIDv7). */
  id: string;
  /** Name. */
  name: string;
  /** Where the instance runs, for example `eu-central`. */
  region: string;
  /** Version of the software. */
  version: string;
  /** Health, as the monitor last saw it. */
  status: HealthStatus;
  /** Whether the instance takes new accounts. */
  isActive: boolean;
  /** Bytes the instance may hold. */
  quotaBytes: number;
  /** Bytes of encrypted content in the instance. */
  usedBytes: number;
  /** When the instance was created. */
  createdAt: string;
  /** When the instance last changed. */
  updatedAt: string;
}

/** A page of instances. */
export interface InstancePage {
  /** The instances on this page. */
  data: Array<Instance>;
  /** Where this page stands. */
  pagination: Pagination;
}

/** Where a page stands in its list. */
export interface Pagination {
  /** Number of this page, from 1. */
  page: number;
  /** Items per page. */
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

/** A share that has just been created, with its token. */
export interface CreatedShare {
  /** Share id (UUIDv7). */
  id: string;
  /** The shared document. */
  documentId: string;
  /**
   * Token that opens the share (32 random bytes, base64url). The service keeps its hash alone and
   * cannot show it again.
   */
  shareToken: string;
  /** What the share allows. */
  permissions: Array<SharePermission>;
  /** Who may open the share. */
  access: ShareAccessMode;
  /** When the share ends. */
  expiresAt: string;
  /** How many accesses the share allows; `null` for any number. */
  maxAccessCount: number | null;
  /** Accesses so far: 0. */
  accessCount: number;
  /** Whether the share can be opened. */
  isActive: boolean;
  /** When the share was created. */
  createdAt: string;
}

/** A user account. */
export interface User {
  /** User id (UUIDv7). */
  id: string;
  /** E-mail address with which the user logs in. */
  email: string;
  /** Name of the person. */
  name: string;
  /** What the user may do. */
  role: UserRole;
  /** Tier of the account. */
  tier: Tier;
  /** Whether the account may use the service. */
  status: UserStatus;
  /** The instance of the account. */
  instanceId: string;
  /** When the account was created. */
  createdAt: string;
  /** When the account last changed. */
  updatedAt: string;
  /** What the account uses of its limits. */
  usage: AccountUsage;
}

/** What an account contains, and what its tier allows. */
export interface AccountUsage {
  /**
   * Bytes of contents, names, descriptions, metadata and webhook settings, and the declared bytes
   * of open uploads. The content of a deleted document counts until the sweeper has erased it,
   * about a minute later.
   */
  bytes: UsageOfLimit;
  /** Vaults. */
  vaults: UsageOfLimit;
  /** Documents. */
  documents: UsageOfLimit;
  /** Shares, with those that have ended and are not removed yet. */
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

/** How much of a limit is used. */
export interface UsageOfLimit {
  /** What the account contains. */
  used: number;
  /** What the account may hold, by its tier. */
  limit: number;
}

/** A vault: a named container of documents. */
export interface Vault {
  /** Vault id (UUIDv7). */
  id: string;
  /** Name, 1 to 120 characters. */
  name: string;
  /** Description, at most 2,000 characters. */
  description: string | null;
  /** Category, for example `personal` or `health`. */
  category: string | null;
  /** The owner. */
  userId: string;
  /** The instance that stores the vault. */
  instanceId: string;
  /** Whether the vault takes new documents. */
  isActive: boolean;
  /** Number of documents in the vault. */
  documentCount: number;
  /** Bytes of encrypted content in the vault. */
  totalSize: number;
  /** When the vault was created. */
  createdAt: string;
  /** When the vault itself was last changed; adding and removing documents does not count. */
  updatedAt: string;
}

/** A page of vaults. */
export interface VaultPage {
  /** The vaults on this page. */
  data: Array<Vault>;
  /** Where this page stands. */
  pagination: Pagination;
}

/** How the deliveries of a webhook have gone. Test deliveries are not counted. */
export interface WebhookStats {
  /** Number of deliveries. */
  totalDeliveries: number;
  /**
   * Number of deliveries that were given up after their last attempt. One that is still being
   * retried does not count, although its error is `lastError`.
   */
  failedDeliveries: number;
  /** `failedDeliveries / totalDeliveries`, 0 to 1; 0 without deliveries. */
  failureRate: number;
  /**
   * Number of events that were not queued, because the queue was full. They are stored as events,
   * and are not delivered.
   */
  droppedDeliveries: number;
  /** When the latest event was dropped; `null` when none was. */
  lastDroppedAt: string | null;
  /**
   * Error of the latest failed attempt, also of a delivery that is still being retried; `null` when
   * none has failed.
   */
  lastError: string | null;
  /** When the latest attempt started; `null` before the first. */
  lastDeliveryAt: string | null;
  /**
   * Number of failed attempts since the latest success. Attempts of deliveries that are still being
   * retried count.
   */
  consecutiveFailures: number;
  /** When the first of these attempts started; `null` when there are none. */
  failingSince: string | null;
  /** When the latest successful attempt started; `null` before the first. */
  lastSuccessAt: string | null;
  /**
   * When the delivery was created that has waited longest for its next attempt; `null` when none
   * waits.
   */
  oldestPendingAt: string | null;
}

/** A webhook: a URL that receives events. Its secret is not returned. */
export interface Webhook {
  /** Webhook id (UUIDv7). */
  id: string;
  /** HTTPS endpoint to which events are sent. */
  url: string;
  /** The event types that are sent, for example `vault.created`. */
  events: Array<string>;
  /** Whose events it receives. `all` lasts as long as its account is an active administrator. */
  accounts: WebhookAccounts;
  /** Description. */
  description: string | null;
  /**
   * Headers added to each delivery: an object of strings; `null` when there are none. Without
   * `webhooks:write`, and for an app that has not chosen the `url`, each value is `***`.
   */
  headers: unknown;
  /** Whether events are sent. Deliveries of a webhook that is switched off wait. */
  active: boolean;
  /** Free-form object, at most 50 properties. */
  metadata: unknown;
  /** How deliveries have gone. */
  stats: WebhookStats;
  /** How the webhook is doing, in one word. */
  health: WebhookHealth;
  /**
   * Until when attempts are signed with the previous secret too, after a rotation; `null` when
   * there is none.
   */
  previousSecretExpiresAt: string | null;
  /** When the webhook was registered. */
  createdAt: string;
  /** When the webhook last changed. */
  updatedAt: string;
}

/** A webhook that was just registered, with its secret when the service generated it. */
export interface CreatedWebhook {
  /** Webhook id (UUIDv7). */
  id: string;
  /** HTTPS endpoint to which events are sent. */
  url: string;
  /** The event types that are sent, for example `vault.created`. */
  events: Array<string>;
  /** Whose events it receives. `all` lasts as long as its account is an active administrator. */
  accounts: WebhookAccounts;
  /** Description. */
  description: string | null;
  /**
   * Headers added to each delivery: an object of strings; `null` when there are none. Without
   * `webhooks:write`, and for an app that has not chosen the `url`, each value is `***`.
   */
  headers: unknown;
  /** Whether events are sent. Deliveries of a webhook that is switched off wait. */
  active: boolean;
  /** Free-form object, at most 50 properties. */
  metadata: unknown;
  /** How deliveries have gone. */
  stats: WebhookStats;
  /** How the webhook is doing, in one word. */
  health: WebhookHealth;
  /**
   * Until when attempts are signed with the previous secret too, after a rotation; `null` when
   * there is none.
   */
  previousSecretExpiresAt: string | null;
  /** When the webhook was registered. */
  createdAt: string;
  /** When the webhook last changed. */
  updatedAt: string;
  /**
   * The secret that the service generated. It is not returned again; `null` when the input had one.
   */
  secret: string | null;
}

/** A webhook: a URL that receives events. Its secret is not returned. */
export interface WebhookWithDeliveries extends Webhook {
  /** The deliveries. Finished ones are kept for 30 days. Needs `webhooks:read`. */
  deliveries: DeliveryPage;
}

/** A page of webhooks. */
export interface WebhookPage {
  /** The webhooks on this page. */
  data: Array<Webhook>;
  /** Where this page stands. */
  pagination: Pagination;
}
