// Generated from openapi/ by `npm run generate`. Do not edit.

export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A moment in time: RFC 3339 in UTC with milliseconds and `Z`, for example `2026-03-02T09:17:30.512Z`. */
  DateTime: { input: string; output: string; }
  /** Any JSON value, handed through as it is. */
  JSON: { input: unknown; output: unknown; }
  /**
   * A whole number between -(2^53 - 1) and 2^53 - 1, written as a JSON number (the interoperable range of RFC 8259,
   * section 6). It counts bytes, which outgrow the 32 bits of `Int`.
   */
  SafeInt: { input: number; output: number; }
};

/** A consent: what a user has allowed somebody to do. */
export type Consent = {
  __typename?: 'Consent';
  /** When the consent was first given. */
  createdAt: Scalars['DateTime']['output'];
  /** Description. */
  description?: Maybe<Scalars['String']['output']>;
  /** When the consent ends; `null` when it does not. */
  expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** When the consent was given, or last renewed. */
  grantedAt: Scalars['DateTime']['output'];
  /** Who received the consent. */
  grantedTo: Scalars['String']['output'];
  /** Consent id (UUIDv7). */
  id: Scalars['ID']['output'];
  /** Free-form object, at most 50 properties. */
  metadata?: Maybe<Scalars['JSON']['output']>;
  /** What the consent is for, 1 to 200 characters. */
  purpose: Scalars['String']['output'];
  /** The reason given for the revocation. */
  revocationReason?: Maybe<Scalars['String']['output']>;
  /** When the consent was revoked; `null` when it is not. */
  revokedAt?: Maybe<Scalars['DateTime']['output']>;
  /** What the consent covers, in the words of the caller. */
  scopes?: Maybe<Array<Scalars['String']['output']>>;
  /** Where the consent stands. */
  status: ConsentStatus;
  /** When the consent last changed. */
  updatedAt: Scalars['DateTime']['output'];
  /** The user who consented. */
  userId: Scalars['ID']['output'];
};

/** A page of consents. */
export type ConsentPage = {
  __typename?: 'ConsentPage';
  /** The consents on this page. */
  data: Array<Consent>;
  /** Where this page stands. */
  pagination: Pagination;
};

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
export type CreateConsentInput = {
  /** Description. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** When the consent ends, in the future. When absent: never. */
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Who receives the consent. */
  grantedTo: Scalars['String']['input'];
  /** Free-form object, at most 50 properties. */
  metadata?: InputMaybe<Scalars['JSON']['input']>;
  /** What the consent is for, 1 to 200 characters. */
  purpose: Scalars['String']['input'];
  /** What the consent covers, in the words of the caller. */
  scopes?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** A new vault. */
export type CreateVaultInput = {
  /** Category, 1 to 50 characters of `[a-z0-9_-]`, for example `personal` or `health`. */
  category?: InputMaybe<Scalars['String']['input']>;
  /** Description, at most 2,000 characters. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Name, 1 to 120 characters after trimming. */
  name: Scalars['String']['input'];
};

/** A new webhook. */
export type CreateWebhookInput = {
  /** Whether events are sent. */
  active?: InputMaybe<Scalars['Boolean']['input']>;
  /** Description. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The event types to send, for example `vault.created`; at least one. */
  events: Array<Scalars['String']['input']>;
  /** Headers to add to each delivery: an object of strings. `X-Service-*`, `Host`, `Content-Length`, `Content-Type` and hop-by-hop headers are refused. */
  headers?: InputMaybe<Scalars['JSON']['input']>;
  /** Free-form object, at most 50 properties. */
  metadata?: InputMaybe<Scalars['JSON']['input']>;
  /** Secret with which deliveries are signed, 32 to 256 characters. It is never returned. */
  secret: Scalars['String']['input'];
  /** HTTPS endpoint to which events are sent. */
  url: Scalars['String']['input'];
};

/** A share that has just been created, with its token. */
export type CreatedShare = {
  __typename?: 'CreatedShare';
  /** Who may open the share. */
  access: ShareAccessMode;
  /** Accesses so far: 0. */
  accessCount: Scalars['Int']['output'];
  /** When the share was created. */
  createdAt: Scalars['DateTime']['output'];
  /** The shared document. */
  documentId: Scalars['ID']['output'];
  /** When the share ends. */
  expiresAt: Scalars['DateTime']['output'];
  /** Share id (UUIDv7). */
  id: Scalars['ID']['output'];
  /** Whether the share can be opened. */
  isActive: Scalars['Boolean']['output'];
  /** How many accesses the share allows; `null` for any number. */
  maxAccessCount?: Maybe<Scalars['Int']['output']>;
  /** What the share allows. */
  permissions: Array<SharePermission>;
  /** Token that opens the share (32 random bytes, base64url). The service keeps its hash alone and cannot show it again. */
  shareToken: Scalars['String']['output'];
};

/** A delivery: one event on its way to one webhook. */
export type Delivery = {
  __typename?: 'Delivery';
  /** Number of the latest attempt: 1 for the first, 0 before it. */
  attemptNumber: Scalars['Int']['output'];
  /** When the delivery succeeded or was given up; `null` until then. */
  completedAt?: Maybe<Scalars['DateTime']['output']>;
  /** When the event happened that is delivered. */
  createdAt: Scalars['DateTime']['output'];
  /** How long the latest attempt took, in milliseconds; `null` before the first. */
  durationMs?: Maybe<Scalars['Float']['output']>;
  /** Why the latest attempt failed; `null` when it did not. */
  error?: Maybe<Scalars['String']['output']>;
  /** The event (`evt_` prefix). */
  eventId: Scalars['ID']['output'];
  /** Type of the event, for example `vault.created`. */
  eventType: Scalars['String']['output'];
  /** Delivery id (`dlv_` prefix). */
  id: Scalars['ID']['output'];
  /** When the next attempt is due; `null` when none is. */
  nextAttemptAt?: Maybe<Scalars['DateTime']['output']>;
  /** Where the delivery stands. */
  status: DeliveryStatus;
  /** HTTP status that the receiver answered to the latest attempt; `null` when it did not answer or was not asked yet. */
  statusCode?: Maybe<Scalars['Int']['output']>;
  /** Whether it delivers a test event. Such a delivery is not retried and not counted. */
  test: Scalars['Boolean']['output'];
  /** The webhook. */
  webhookId: Scalars['ID']['output'];
};

/** A page of deliveries. */
export type DeliveryPage = {
  __typename?: 'DeliveryPage';
  /** The deliveries on this page. */
  data: Array<Delivery>;
  /** Where this page stands. */
  pagination: Pagination;
};

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

/** The metadata of an encrypted document. */
export type Document = {
  __typename?: 'Document';
  /** How the content was encrypted. */
  encryptionMetadata: EncryptionMetadata;
  /** File name; ciphertext when the client encrypts names too. */
  fileName: Scalars['String']['output'];
  /** Document id (UUIDv7). */
  id: Scalars['ID']['output'];
  /** Media type of the plaintext, as the client declared it. */
  mimeType: Scalars['String']['output'];
  /** The shares of the document, revoked and spent ones too. Needs `documents:share`. */
  shares: SharePage;
  /** Length of the decoded encrypted content, in bytes. */
  sizeBytes: Scalars['SafeInt']['output'];
  /** When the document last changed; equal to `uploadedAt` until then. */
  updatedAt: Scalars['DateTime']['output'];
  /** When the document was uploaded. */
  uploadedAt: Scalars['DateTime']['output'];
  /** The vault that holds the document. Needs `vaults:read`. */
  vault: Vault;
  /** The vault that holds the document. */
  vaultId: Scalars['ID']['output'];
};


/** The metadata of an encrypted document. */
export type DocumentSharesArgs = {
  page?: InputMaybe<Scalars['Int']['input']>;
  pageSize?: InputMaybe<Scalars['Int']['input']>;
  sortBy?: InputMaybe<ShareSortField>;
  sortOrder?: InputMaybe<SortOrder>;
};

/** A page of documents. */
export type DocumentPage = {
  __typename?: 'DocumentPage';
  /** The documents on this page. */
  data: Array<Document>;
  /** Where this page stands. */
  pagination: Pagination;
};

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

/** How the content of a document was encrypted, as the client declared it. */
export type EncryptionMetadata = {
  __typename?: 'EncryptionMetadata';
  /** Cipher, for example `AES-256-GCM`. */
  algorithm: Scalars['String']['output'];
  /** Authentication tag, base64. */
  authTag: Scalars['String']['output'];
  /** Iterations of the key derivation, at least 1. */
  iterations?: Maybe<Scalars['SafeInt']['output']>;
  /** Initialisation vector, base64. */
  iv: Scalars['String']['output'];
  /** Key derivation, for example `PBKDF2`. */
  keyDerivation?: Maybe<Scalars['String']['output']>;
  /** The whole object as it was uploaded, with the properties that have no field here. */
  raw: Scalars['JSON']['output'];
  /** Salt of the key derivation, base64. */
  salt?: Maybe<Scalars['String']['output']>;
};

/** Health of an instance. */
export type HealthStatus =
  /** At least one health check fails. */
  | 'degraded'
  /** Every health check passes. */
  | 'healthy';

/** An instance: one installation of the service with its own storage. */
export type Instance = {
  __typename?: 'Instance';
  /** When the instance was created. */
  createdAt: Scalars['DateTime']['output'];
  /** Instance id (UUIDv7). */
  id: Scalars['ID']['output'];
  /** Whether the instance takes new accounts. */
  isActive: Scalars['Boolean']['output'];
  /** Name. */
  name: Scalars['String']['output'];
  /** Bytes the instance may hold. */
  quotaBytes: Scalars['SafeInt']['output'];
  /** Where the instance runs, for example `eu-central`. */
  region: Scalars['String']['output'];
  /** Health, as the monitor last saw it. */
  status: HealthStatus;
  /** When the instance last changed. */
  updatedAt: Scalars['DateTime']['output'];
  /** Bytes the instance holds. */
  usedBytes: Scalars['SafeInt']['output'];
  /** Version of the software. */
  version: Scalars['String']['output'];
};

/** A page of instances. */
export type InstancePage = {
  __typename?: 'InstancePage';
  /** The instances on this page. */
  data: Array<Instance>;
  /** Where this page stands. */
  pagination: Pagination;
};

/** What instances can be sorted by. */
export type InstanceSortField =
  /** When the instance was created. */
  | 'createdAt'
  /** The name. */
  | 'name'
  /** When the instance was last changed. */
  | 'updatedAt';

/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type Mutation = {
  __typename?: 'Mutation';
  /** Records a consent of the caller and emits `consent.granted`. Needs `consents:write`. */
  createConsent: Consent;
  /** Creates a vault and emits `vault.created`. Needs `vaults:write`. */
  createVault: Vault;
  /** Registers a webhook. Needs `webhooks:write`. */
  createWebhook: Webhook;
  /** Deletes a vault with its documents and shares, emits `vault.deleted` and answers the id. Needs `vaults:write`. */
  deleteVault: Scalars['ID']['output'];
  /** Deletes a webhook with its waiting deliveries and its log, and answers the id. Needs `webhooks:write`. */
  deleteWebhook: Scalars['ID']['output'];
  /** Starts one new attempt of a delivery at once, in place of the next automatic one where one is due. Needs `webhooks:write`. */
  retryDelivery: Delivery;
  /**
   * Creates a share of a document and emits `document.shared`. Its token is in this answer and never again. Needs
   * `documents:share`.
   */
  shareDocument: CreatedShare;
  /**
   * Changes, revokes or renews a consent, and emits `consent.revoked` or `consent.renewed` when it did one of these.
   * Needs `consents:write`.
   */
  updateConsent: Consent;
  /**
   * Changes the metadata of a document or moves it to another vault, and emits `document.updated` if something changed.
   * Needs `documents:write`.
   */
  updateDocument: Document;
  /** Changes a vault and emits `vault.updated` if something changed. Needs `vaults:write`. */
  updateVault: Vault;
  /** Changes a webhook. Needs `webhooks:write`. */
  updateWebhook: Webhook;
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationCreateConsentArgs = {
  input: CreateConsentInput;
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationCreateVaultArgs = {
  input: CreateVaultInput;
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationCreateWebhookArgs = {
  input: CreateWebhookInput;
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationDeleteVaultArgs = {
  id: Scalars['ID']['input'];
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationDeleteWebhookArgs = {
  id: Scalars['ID']['input'];
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationRetryDeliveryArgs = {
  deliveryId: Scalars['ID']['input'];
  webhookId: Scalars['ID']['input'];
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationShareDocumentArgs = {
  documentId: Scalars['ID']['input'];
  input?: InputMaybe<ShareDocumentInput>;
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationUpdateConsentArgs = {
  id: Scalars['ID']['input'];
  input: UpdateConsentInput;
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationUpdateDocumentArgs = {
  id: Scalars['ID']['input'];
  input: UpdateDocumentInput;
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationUpdateVaultArgs = {
  id: Scalars['ID']['input'];
  input: UpdateVaultInput;
};


/** Changing. Each mutation validates, emits events and fails as the REST operation of the same name does. */
export type MutationUpdateWebhookArgs = {
  id: Scalars['ID']['input'];
  input: UpdateWebhookInput;
};

/** Where a page stands in its list. */
export type Pagination = {
  __typename?: 'Pagination';
  /** Whether a page follows. */
  hasNextPage: Scalars['Boolean']['output'];
  /** Whether a page precedes. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** Number of this page, from 1. */
  page: Scalars['Int']['output'];
  /** Items per page. */
  pageSize: Scalars['Int']['output'];
  /** Number of items on all pages. */
  totalCount: Scalars['Int']['output'];
  /** Number of pages; 0 when the list is empty. */
  totalPages: Scalars['Int']['output'];
};

/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type Query = {
  __typename?: 'Query';
  /** The consents of the account, revoked and expired ones too. Needs `consents:read`. */
  consents: ConsentPage;
  /** One document; `null` with the error NOT_FOUND when there is none of this id in the account. Needs `documents:read`. */
  document?: Maybe<Document>;
  /** The documents of the account, in all its vaults or in one. Needs `documents:read`. */
  documents: DocumentPage;
  /** The instances that the caller may see: users their own, administrators all. Needs `instances:read`. */
  instances: InstancePage;
  /** The signed-in user, or the owner of the API key. Needs `users:read`. */
  me: User;
  /** One vault; `null` with the error NOT_FOUND when there is none of this id in the account. Needs `vaults:read`. */
  vault?: Maybe<Vault>;
  /** The vaults of the account. Needs `vaults:read`. */
  vaults: VaultPage;
  /** One webhook; `null` with the error NOT_FOUND when there is none of this id in the account. Needs `webhooks:read`. */
  webhook?: Maybe<Webhook>;
  /** The webhooks of the account. Needs `webhooks:read`. */
  webhooks: WebhookPage;
};


/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type QueryConsentsArgs = {
  page?: InputMaybe<Scalars['Int']['input']>;
  pageSize?: InputMaybe<Scalars['Int']['input']>;
  sortBy?: InputMaybe<ConsentSortField>;
  sortOrder?: InputMaybe<SortOrder>;
};


/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type QueryDocumentArgs = {
  id: Scalars['ID']['input'];
};


/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type QueryDocumentsArgs = {
  mimeType?: InputMaybe<Scalars['String']['input']>;
  page?: InputMaybe<Scalars['Int']['input']>;
  pageSize?: InputMaybe<Scalars['Int']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  sortBy?: InputMaybe<DocumentSortField>;
  sortOrder?: InputMaybe<SortOrder>;
  vaultId?: InputMaybe<Scalars['ID']['input']>;
};


/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type QueryInstancesArgs = {
  page?: InputMaybe<Scalars['Int']['input']>;
  pageSize?: InputMaybe<Scalars['Int']['input']>;
  sortBy?: InputMaybe<InstanceSortField>;
  sortOrder?: InputMaybe<SortOrder>;
};


/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type QueryVaultArgs = {
  id: Scalars['ID']['input'];
};


/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type QueryVaultsArgs = {
  category?: InputMaybe<Scalars['String']['input']>;
  isActive?: InputMaybe<Scalars['Boolean']['input']>;
  page?: InputMaybe<Scalars['Int']['input']>;
  pageSize?: InputMaybe<Scalars['Int']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  sortBy?: InputMaybe<VaultSortField>;
  sortOrder?: InputMaybe<SortOrder>;
};


/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type QueryWebhookArgs = {
  id: Scalars['ID']['input'];
};


/** Reading. Lists come in pages: `page` starts at 1, a page holds 1 to 100 items, and a page past the end is empty. */
export type QueryWebhooksArgs = {
  page?: InputMaybe<Scalars['Int']['input']>;
  pageSize?: InputMaybe<Scalars['Int']['input']>;
  sortBy?: InputMaybe<WebhookSortField>;
  sortOrder?: InputMaybe<SortOrder>;
};

/** A share of a document. */
export type Share = {
  __typename?: 'Share';
  /** Who may open the share. */
  access: ShareAccessMode;
  /** Accesses so far. */
  accessCount: Scalars['Int']['output'];
  /** When the share was created. */
  createdAt: Scalars['DateTime']['output'];
  /** The shared document. */
  documentId: Scalars['ID']['output'];
  /** When the share ends. */
  expiresAt: Scalars['DateTime']['output'];
  /** Share id (UUIDv7). */
  id: Scalars['ID']['output'];
  /** Whether the share can be opened: neither revoked nor expired nor spent. */
  isActive: Scalars['Boolean']['output'];
  /** How many accesses the share allows; `null` for any number. */
  maxAccessCount?: Maybe<Scalars['Int']['output']>;
  /** What the share allows. */
  permissions: Array<SharePermission>;
};

/** Who may open a share. */
export type ShareAccessMode =
  /** Whoever holds the token. */
  | 'anyone'
  /** Callers with credentials that have the scope `documents:share`. */
  | 'authenticated';

/** How a document is shared. */
export type ShareDocumentInput = {
  /** Who may open the share. */
  access?: InputMaybe<ShareAccessMode>;
  /** When the share ends: in the future and at most 365 days away. When absent: in 7 days. */
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** How many accesses the share allows, 1 to 1,000,000; `null` for any number. */
  maxAccessCount?: InputMaybe<Scalars['Int']['input']>;
  /** What the share allows. */
  permissions?: InputMaybe<Array<SharePermission>>;
};

/** A page of shares. */
export type SharePage = {
  __typename?: 'SharePage';
  /** The shares on this page. */
  data: Array<Share>;
  /** Where this page stands. */
  pagination: Pagination;
};

/** What a share allows. */
export type SharePermission =
  /** Read the document. */
  | 'read';

/** What shares can be sorted by. */
export type ShareSortField =
  /** When the share was created. */
  | 'createdAt'
  /** When the share ends. */
  | 'expiresAt';

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
export type UpdateConsentInput = {
  /** Description. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** When the consent ends; later than before. */
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Free-form object, at most 50 properties. */
  metadata?: InputMaybe<Scalars['JSON']['input']>;
  /** Why the consent is revoked. Only together with the status `revoked`. */
  reason?: InputMaybe<Scalars['String']['input']>;
  /** `revoked` revokes, `granted` renews. `expired` cannot be set. */
  status?: InputMaybe<ConsentStatus>;
};

/** Changes to the metadata of a document. What is left out stays as it is. */
export type UpdateDocumentInput = {
  /** File name, 1 to 255 characters, without control characters, `/` and `\`. */
  fileName?: InputMaybe<Scalars['String']['input']>;
  /** Media type, `type/subtype`. */
  mimeType?: InputMaybe<Scalars['String']['input']>;
  /** Another active vault of the account, into which the document is moved. */
  vaultId?: InputMaybe<Scalars['ID']['input']>;
};

/** Changes to a vault. What is left out stays as it is; `null` clears `description` and `category`. */
export type UpdateVaultInput = {
  /** Category, 1 to 50 characters of `[a-z0-9_-]`. */
  category?: InputMaybe<Scalars['String']['input']>;
  /** Description, at most 2,000 characters. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Whether the vault takes new documents. */
  isActive?: InputMaybe<Scalars['Boolean']['input']>;
  /** Name, 1 to 120 characters after trimming. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/**
 * Changes to a webhook. What is left out stays as it is; `null` clears `description`, `headers` and `metadata`. `events`,
 * `headers` and `metadata` are replaced as a whole.
 */
export type UpdateWebhookInput = {
  /** Whether events are sent. */
  active?: InputMaybe<Scalars['Boolean']['input']>;
  /** Description. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The event types to send, for example `vault.created`; at least one. */
  events?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Headers to add to each delivery: an object of strings. */
  headers?: InputMaybe<Scalars['JSON']['input']>;
  /** Free-form object, at most 50 properties. */
  metadata?: InputMaybe<Scalars['JSON']['input']>;
  /** New secret with which deliveries are signed, 32 to 256 characters. */
  secret?: InputMaybe<Scalars['String']['input']>;
  /** HTTPS endpoint to which events are sent. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** A user account. */
export type User = {
  __typename?: 'User';
  /** When the account was created. */
  createdAt: Scalars['DateTime']['output'];
  /** E-mail address with which the user logs in. */
  email: Scalars['String']['output'];
  /** User id (UUIDv7). */
  id: Scalars['ID']['output'];
  /** The instance that holds the account. */
  instanceId: Scalars['ID']['output'];
  /** Name of the person. */
  name: Scalars['String']['output'];
  /** What the user may do. */
  role: UserRole;
  /** Whether the account may use the service. */
  status: UserStatus;
  /** Tier of the account. */
  tier: Tier;
  /** When the account last changed. */
  updatedAt: Scalars['DateTime']['output'];
};

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
  /** Every call of the account is refused with ACCOUNT_SUSPENDED. */
  | 'suspended';

/** A vault: a named container of documents. */
export type Vault = {
  __typename?: 'Vault';
  /** Category, for example `personal` or `health`. */
  category?: Maybe<Scalars['String']['output']>;
  /** When the vault was created. */
  createdAt: Scalars['DateTime']['output'];
  /** Description, at most 2,000 characters. */
  description?: Maybe<Scalars['String']['output']>;
  /** Number of documents in the vault. */
  documentCount: Scalars['Int']['output'];
  /** The documents in the vault. Needs `documents:read`. */
  documents: DocumentPage;
  /** Vault id (UUIDv7). */
  id: Scalars['ID']['output'];
  /** The instance that stores the vault. */
  instanceId: Scalars['ID']['output'];
  /** Whether the vault takes new documents. */
  isActive: Scalars['Boolean']['output'];
  /** Name, 1 to 120 characters. */
  name: Scalars['String']['output'];
  /** Bytes of encrypted content in the vault. */
  totalSize: Scalars['SafeInt']['output'];
  /** When the vault itself was last changed; adding and removing documents does not count. */
  updatedAt: Scalars['DateTime']['output'];
  /** The owner. */
  userId: Scalars['ID']['output'];
};


/** A vault: a named container of documents. */
export type VaultDocumentsArgs = {
  mimeType?: InputMaybe<Scalars['String']['input']>;
  page?: InputMaybe<Scalars['Int']['input']>;
  pageSize?: InputMaybe<Scalars['Int']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  sortBy?: InputMaybe<DocumentSortField>;
  sortOrder?: InputMaybe<SortOrder>;
};

/** A page of vaults. */
export type VaultPage = {
  __typename?: 'VaultPage';
  /** The vaults on this page. */
  data: Array<Vault>;
  /** Where this page stands. */
  pagination: Pagination;
};

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

/** A webhook: a URL that receives events. Its secret is never returned. */
export type Webhook = {
  __typename?: 'Webhook';
  /** Whether events are sent. Deliveries of a webhook that is switched off wait. */
  active: Scalars['Boolean']['output'];
  /** When the webhook was registered. */
  createdAt: Scalars['DateTime']['output'];
  /** The deliveries. Finished ones are kept for 30 days. */
  deliveries: DeliveryPage;
  /** Description. */
  description?: Maybe<Scalars['String']['output']>;
  /** The event types that are sent, for example `vault.created`. */
  events: Array<Scalars['String']['output']>;
  /** Headers added to each delivery: an object of strings; `null` when there are none. */
  headers?: Maybe<Scalars['JSON']['output']>;
  /** Webhook id (UUIDv7). */
  id: Scalars['ID']['output'];
  /** Free-form object, at most 50 properties. */
  metadata?: Maybe<Scalars['JSON']['output']>;
  /** How deliveries have gone. */
  stats: WebhookStats;
  /** When the webhook last changed. */
  updatedAt: Scalars['DateTime']['output'];
  /** HTTPS endpoint to which events are sent. */
  url: Scalars['String']['output'];
};


/** A webhook: a URL that receives events. Its secret is never returned. */
export type WebhookDeliveriesArgs = {
  eventType?: InputMaybe<Scalars['String']['input']>;
  page?: InputMaybe<Scalars['Int']['input']>;
  pageSize?: InputMaybe<Scalars['Int']['input']>;
  sortBy?: InputMaybe<DeliverySortField>;
  sortOrder?: InputMaybe<SortOrder>;
  status?: InputMaybe<DeliveryStatus>;
};

/** A page of webhooks. */
export type WebhookPage = {
  __typename?: 'WebhookPage';
  /** The webhooks on this page. */
  data: Array<Webhook>;
  /** Where this page stands. */
  pagination: Pagination;
};

/** What webhooks can be sorted by. */
export type WebhookSortField =
  /** When the webhook was registered. */
  | 'createdAt'
  /** When the webhook was last changed. */
  | 'updatedAt';

/** How the deliveries of a webhook have gone. Test deliveries are not counted. */
export type WebhookStats = {
  __typename?: 'WebhookStats';
  /** Number of deliveries that were given up. */
  failedDeliveries: Scalars['Int']['output'];
  /** `failedDeliveries / totalDeliveries`, 0 to 1; 0 without deliveries. */
  failureRate: Scalars['Float']['output'];
  /** When the latest attempt started; `null` before the first. */
  lastDeliveryAt?: Maybe<Scalars['DateTime']['output']>;
  /** Error of the latest failed attempt; `null` when none has failed. */
  lastError?: Maybe<Scalars['String']['output']>;
  /** Number of deliveries. */
  totalDeliveries: Scalars['Int']['output'];
};
