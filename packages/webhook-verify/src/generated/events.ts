// Generated from openapi/ by `npm run generate`. Do not edit.

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
  /** When the vault was created. */
  createdAt: string;
  /**
   * When the vault itself was last changed; equal to `createdAt` until then. Adding and removing
   * documents does not count as a change.
   */
  updatedAt: string;
}

/** Who and what caused an event. */
export interface EventContext {
  /**
   * The user who triggered the event; `null` when no user did, for example when the service noticed
   * an expiry by itself or when a shared document was opened without credentials.
   */
  userId: string | null;
  /** The instance on which the event happened. */
  instanceId: string;
  /**
   * The `X-Request-Id` of the request that triggered the event (`req_` prefix); `null` when no
   * request did.
   */
  requestId: string | null;
  /**
   * Client address of the request that triggered the event; absent when no request did. IPv4 or
   * IPv6, without a port.
   */
  ipAddress?: string;
  /**
   * `true` for an event that `POST /api/v1/webhooks/{id}/test` sent: nothing happened, and `data`
   * is an example. Absent for every other event.
   */
  test?: true;
}

/** The former values of the changed fields of a vault, and of no others. */
export interface PreviousVault {
  /** Name before the change. */
  name?: string;
  /** Description before the change; `null` when there was none. */
  description?: string | null;
  /** Category before the change; `null` when there was none. */
  category?: string | null;
  /** Whether the vault was active before the change. */
  isActive?: boolean;
  /** `generation` of the keys before the change; `null` when there were none. */
  keys?: number | null;
}

/** What remains to be said of a deleted vault. */
export interface DeletedVault {
  /** The id the vault had. */
  id: string;
  /** Number of documents that were deleted with the vault. */
  documentCount: number;
}

/** How much of its storage quota a vault uses. */
export interface VaultUsage {
  /** Bytes of encrypted content stored in the vault; equal to its `totalSize`. */
  usedBytes: number;
  /** Bytes the vault may hold, by the tier of its owner. */
  quotaBytes: number;
  /**
   * `100 * usedBytes / quotaBytes`, rounded down to two decimals. Above 100 when the quota was
   * lowered below what is stored.
   */
  percentage: number;
}

/** A vault together with its storage usage. */
export interface VaultWithUsage extends Vault {
  /** How much of its storage quota a vault uses. */
  usage: VaultUsage;
}

/** The part of `encryptionMetadata` that events carry. */
export interface EncryptionSummary {
  /** Cipher of the content. */
  algorithm: string;
  /** How the key was derived from a passphrase; absent when the key was not derived. */
  keyDerivation?: string;
}

/**
 * A document as events carry it: its metadata without the content, and of its encryption metadata
 * the algorithm and the key derivation alone.
 */
export interface DocumentEventObject {
  /** Document id (UUIDv7). */
  id: string;
  /** The vault of the document. */
  vaultId: string;
  /** File name. A client that encrypts names too puts the ciphertext here. */
  fileName: string;
  /** Length of the decoded encrypted content, in bytes. */
  sizeBytes: number;
  /** Media type of the plaintext, as the client declared it. */
  mimeType: string;
  /** The part of `encryptionMetadata` that events carry. */
  encryptionMetadata: EncryptionSummary;
  /** When the document was uploaded. */
  uploadedAt: string;
  /** When the document was last changed; equal to `uploadedAt` until then. */
  updatedAt: string;
}

/** The former values of the changed fields of a document, and of no others. */
export interface PreviousDocument {
  /** File name before the change. */
  fileName?: string;
  /** Media type before the change. */
  mimeType?: string;
  /** The vault of the document before it was moved. */
  vaultId?: string;
  /** Algorithm and key derivation before the key was wrapped anew. Keys are in no event. */
  encryptionMetadata?: EncryptionSummary;
}

/** What remains to be said of a deleted document. */
export interface DeletedDocument {
  /** The id the document had. */
  id: string;
  /** The vault that contained it. */
  vaultId: string;
}

/** A permission of a share. */
export type SharePermission = 'read';

/**
 * Who may use the link: `authenticated`, callers with credentials for `documents:share`; `anyone`,
 * every caller with the token. Credentials that are sent are checked either way.
 */
export type ShareAccessMode = 'authenticated' | 'anyone';

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
  /** When the link ends. */
  expiresAt: string;
  /** How many accesses the link allows; `null` for no cap. */
  maxAccessCount: number | null;
  /** Accesses so far; 0 on creation. */
  accessCount: number;
  /** `true` on creation; `false` once the share is revoked, spent or expired. */
  isActive: boolean;
  /** When the share was created. */
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
  /** When the document was opened. */
  accessedAt: string;
  /** Address of the caller. IPv4 or IPv6, without a port. */
  ipAddress: string;
  /**
   * The first 512 characters of the `User-Agent` header of the request; `null` when it had none.
   */
  userAgent: string | null;
}

/** A share whose link has expired. */
export interface ExpiredShare {
  /** Share id. */
  id: string;
  /** The document that was shared. */
  documentId: string;
  /** The moment of expiry; the event follows it by at most one run of the sweeper. */
  expiresAt: string;
}

/** State of a consent. */
export type ConsentStatus = 'granted' | 'revoked' | 'expired';

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
  /** When the consent was given, or last renewed. */
  grantedAt: string;
  /** When the consent ends; `null` when it has no end. */
  expiresAt: string | null;
  /** When the consent was revoked; `null` while it is not. */
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
  /** When the consent was first given. */
  createdAt: string;
  /** When the consent was last changed; equal to `createdAt` until then. */
  updatedAt: string;
}

/** A consent that was revoked. */
export interface RevokedConsent {
  /** Consent id. */
  id: string;
  /** The reason given for the revocation; `null` when none was given. */
  reason: string | null;
}

/** Rate-limit and storage tier of an account. */
export type Tier = 'free' | 'paid' | 'enterprise';

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
  /** When the user registered. */
  createdAt: string;
  /** When the profile was last changed; equal to `createdAt` until then. */
  updatedAt: string;
}

/**
 * The former values of the changed fields of a user, and of no others. A password never appears:
 * when nothing but the password changed, the object is empty.
 */
export interface PreviousUser {
  /** Name before the change. */
  name?: string;
  /** E-mail address before the change. */
  email?: string;
  /** Role before the change. */
  role?: 'user' | 'admin';
  /** Tier before the change. */
  tier?: Tier;
  /** Status before the change. */
  status?: 'active' | 'suspended';
  /** `version` of the keyring before the change; `null` when there was none. */
  keyring?: number | null;
}

/** What remains to be said of a deleted user. */
export interface DeletedUser {
  /** The id the user had. */
  id: string;
}

/** One successful login. */
export interface UserLogin {
  /** The user who logged in. */
  userId: string;
  /** The e-mail address of the account. */
  email: string;
  /** How the user proved who they are. */
  method: 'password';
  /** Address of the caller. IPv4 or IPv6, without a port. */
  ipAddress: string;
  /**
   * The first 512 characters of the `User-Agent` header of the request; `null` when it had none.
   */
  userAgent: string | null;
  /** When the login succeeded. */
  loggedInAt: string;
}

/** Health of an instance or of one check. */
export type HealthStatus = 'healthy' | 'degraded';

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

/** Health of an instance. */
export interface InstanceHealth {
  /** The instance. */
  instanceId: string;
  /** `degraded` as soon as one check is. */
  status: HealthStatus;
  /** The checks: a write to the store, free disk space, the backlog of webhook deliveries. */
  checks: HealthCheck[];
  /** When the checks ran. */
  checkedAt: string;
}

/** How much of its storage quota an instance uses. */
export interface InstanceUsage {
  /** The instance. */
  instanceId: string;
  /** Bytes of encrypted content stored on the instance. */
  usedBytes: number;
  /** Bytes the instance may hold. */
  quotaBytes: number;
  /**
   * `100 * usedBytes / quotaBytes`, rounded down to two decimals. Above 100 when the quota was
   * lowered below what is stored.
   */
  percentage: number;
}

/** The properties of every event, without `type` and `data`. */
export interface EventEnvelope {
  /**
   * Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an
   * id that it has handled already.
   */
  id: string;
  /** When the event happened. */
  timestamp: string;
  /** Version of the interface that shaped the event. */
  apiVersion: 'v1';
  /** Who and what caused an event. */
  context: EventContext;
  /** `true` for a test event, as in `context.test`; missing otherwise. Set by the verifier. */
  test?: true;
}

/** A vault was created. */
export interface VaultCreatedEvent extends EventEnvelope {
  /** The event type. */
  type: 'vault.created';
  /** What the event is about. */
  data: {
    /** A vault: a named container of encrypted documents that belongs to one user. */
    object: Vault;
  };
}

/** Fields of a vault were changed. */
export interface VaultUpdatedEvent extends EventEnvelope {
  /** The event type. */
  type: 'vault.updated';
  /** The resource and what changed in it. */
  data: {
    /** A vault: a named container of encrypted documents that belongs to one user. */
    object: Vault;
    /** The former values of the changed fields of a vault, and of no others. */
    previous: PreviousVault;
    /** Names of the changed fields. `updatedAt` changes every time and is not named. */
    changes: ('name' | 'description' | 'category' | 'isActive' | 'keys')[];
  };
}

/** A vault was deleted with all its documents and shares. */
export interface VaultDeletedEvent extends EventEnvelope {
  /** The event type. */
  type: 'vault.deleted';
  /** What the event is about. */
  data: {
    /** What remains to be said of a deleted vault. */
    object: DeletedVault;
  };
}

/** The storage of a vault reached 80 % of its quota. */
export interface VaultQuotaWarningEvent extends EventEnvelope {
  /** The event type. */
  type: 'vault.quota.warning';
  /** What the event is about. */
  data: {
    /** A vault together with its storage usage. */
    object: VaultWithUsage;
  };
}

/** A document was refused because it would have exceeded the storage quota of a vault. */
export interface VaultQuotaExceededEvent extends EventEnvelope {
  /** The event type. */
  type: 'vault.quota.exceeded';
  /** What the event is about. */
  data: {
    /** A vault together with its storage usage. */
    object: VaultWithUsage;
  };
}

/** A document was uploaded. */
export interface DocumentUploadedEvent extends EventEnvelope {
  /** The event type. */
  type: 'document.uploaded';
  /** What the event is about. */
  data: {
    /**
     * A document as events carry it: its metadata without the content, and of its encryption
     * metadata the algorithm and the key derivation alone.
     */
    object: DocumentEventObject;
  };
}

/** Metadata of a document was changed, or the document was moved to another vault. */
export interface DocumentUpdatedEvent extends EventEnvelope {
  /** The event type. */
  type: 'document.updated';
  /** The resource and what changed in it. */
  data: {
    /**
     * A document as events carry it: its metadata without the content, and of its encryption
     * metadata the algorithm and the key derivation alone.
     */
    object: DocumentEventObject;
    /** The former values of the changed fields of a document, and of no others. */
    previous: PreviousDocument;
    /**
     * Names of the changed fields. `updatedAt` changes every time and is not named.
     * `encryptionMetadata` stands for a key that was wrapped anew.
     */
    changes: ('fileName' | 'mimeType' | 'vaultId' | 'encryptionMetadata')[];
  };
}

/** A document was deleted. */
export interface DocumentDeletedEvent extends EventEnvelope {
  /** The event type. */
  type: 'document.deleted';
  /** What the event is about. */
  data: {
    /** What remains to be said of a deleted document. */
    object: DeletedDocument;
  };
}

/** A share link for a document was created. */
export interface DocumentSharedEvent extends EventEnvelope {
  /** The event type. */
  type: 'document.shared';
  /** What the event is about. */
  data: {
    /** A share link of a document. Its token is shown once, by the call that creates the share. */
    object: Share;
  };
}

/** A shared document was opened. */
export interface DocumentShareAccessedEvent extends EventEnvelope {
  /** The event type. */
  type: 'document.share.accessed';
  /** What the event is about. */
  data: {
    /** One counted access to a shared document. */
    object: ShareAccess;
  };
}

/** A share link passed its expiry. */
export interface DocumentShareExpiredEvent extends EventEnvelope {
  /** The event type. */
  type: 'document.share.expired';
  /** What the event is about. */
  data: {
    /** A share whose link has expired. */
    object: ExpiredShare;
  };
}

/** A consent was granted. */
export interface ConsentGrantedEvent extends EventEnvelope {
  /** The event type. */
  type: 'consent.granted';
  /** What the event is about. */
  data: {
    /** A consent that a user has given. */
    object: Consent;
  };
}

/** A consent was revoked. */
export interface ConsentRevokedEvent extends EventEnvelope {
  /** The event type. */
  type: 'consent.revoked';
  /** What the event is about. */
  data: {
    /** A consent that was revoked. */
    object: RevokedConsent;
  };
}

/** The period of a consent ended. */
export interface ConsentExpiredEvent extends EventEnvelope {
  /** The event type. */
  type: 'consent.expired';
  /** What the event is about. */
  data: {
    /** A consent that a user has given. */
    object: Consent;
  };
}

/** A consent was renewed. */
export interface ConsentRenewedEvent extends EventEnvelope {
  /** The event type. */
  type: 'consent.renewed';
  /** What the event is about. */
  data: {
    /** A consent that a user has given. */
    object: Consent;
  };
}

/** A user was registered. */
export interface UserCreatedEvent extends EventEnvelope {
  /** The event type. */
  type: 'user.created';
  /** What the event is about. */
  data: {
    /** A user account. */
    object: User;
  };
}

/** The profile of a user was changed. */
export interface UserUpdatedEvent extends EventEnvelope {
  /** The event type. */
  type: 'user.updated';
  /** The resource and what changed in it. */
  data: {
    /** A user account. */
    object: User;
    /**
     * The former values of the changed fields of a user, and of no others. A password never
     * appears: when nothing but the password changed, the object is empty.
     */
    previous: PreviousUser;
    /** Names of the changed fields. `updatedAt` changes every time and is not named. */
    changes: ('name' | 'email' | 'password' | 'role' | 'tier' | 'status' | 'keyring')[];
  };
}

/** An account was deleted with everything it owned. */
export interface UserDeletedEvent extends EventEnvelope {
  /** The event type. */
  type: 'user.deleted';
  /** What the event is about. */
  data: {
    /** What remains to be said of a deleted user. */
    object: DeletedUser;
  };
}

/** A user logged in. */
export interface UserLoginEvent extends EventEnvelope {
  /** The event type. */
  type: 'user.login';
  /** What the event is about. */
  data: {
    /** One successful login. */
    object: UserLogin;
  };
}

/** The health of an instance degraded. */
export interface InstanceHealthDegradedEvent extends EventEnvelope {
  /** The event type. */
  type: 'instance.health.degraded';
  /** What the event is about. */
  data: {
    /** Health of an instance. */
    object: InstanceHealth;
  };
}

/** An instance recovered. */
export interface InstanceHealthRecoveredEvent extends EventEnvelope {
  /** The event type. */
  type: 'instance.health.recovered';
  /** What the event is about. */
  data: {
    /** Health of an instance. */
    object: InstanceHealth;
  };
}

/** The storage of an instance reached 80 % of its quota. */
export interface InstanceQuotaWarningEvent extends EventEnvelope {
  /** The event type. */
  type: 'instance.quota.warning';
  /** What the event is about. */
  data: {
    /** How much of its storage quota an instance uses. */
    object: InstanceUsage;
  };
}

/** The events by their type. */
export interface WebhookEventMap {
  /** A vault was created. */
  'vault.created': VaultCreatedEvent;
  /** Fields of a vault were changed. */
  'vault.updated': VaultUpdatedEvent;
  /** A vault was deleted with all its documents and shares. */
  'vault.deleted': VaultDeletedEvent;
  /** The storage of a vault reached 80 % of its quota. */
  'vault.quota.warning': VaultQuotaWarningEvent;
  /** A document was refused because it would have exceeded the storage quota of a vault. */
  'vault.quota.exceeded': VaultQuotaExceededEvent;
  /** A document was uploaded. */
  'document.uploaded': DocumentUploadedEvent;
  /** Metadata of a document was changed, or the document was moved to another vault. */
  'document.updated': DocumentUpdatedEvent;
  /** A document was deleted. */
  'document.deleted': DocumentDeletedEvent;
  /** A share link for a document was created. */
  'document.shared': DocumentSharedEvent;
  /** A shared document was opened. */
  'document.share.accessed': DocumentShareAccessedEvent;
  /** A share link passed its expiry. */
  'document.share.expired': DocumentShareExpiredEvent;
  /** A consent was granted. */
  'consent.granted': ConsentGrantedEvent;
  /** A consent was revoked. */
  'consent.revoked': ConsentRevokedEvent;
  /** The period of a consent ended. */
  'consent.expired': ConsentExpiredEvent;
  /** A consent was renewed. */
  'consent.renewed': ConsentRenewedEvent;
  /** A user was registered. */
  'user.created': UserCreatedEvent;
  /** The profile of a user was changed. */
  'user.updated': UserUpdatedEvent;
  /** An account was deleted with everything it owned. */
  'user.deleted': UserDeletedEvent;
  /** A user logged in. */
  'user.login': UserLoginEvent;
  /** The health of an instance degraded. */
  'instance.health.degraded': InstanceHealthDegradedEvent;
  /** An instance recovered. */
  'instance.health.recovered': InstanceHealthRecoveredEvent;
  /** The storage of an instance reached 80 % of its quota. */
  'instance.quota.warning': InstanceQuotaWarningEvent;
}

/** Type of an event. New types may be added. */
export type EventType = keyof WebhookEventMap;

/** Any of the events; `type` names it. */
export type WebhookEvent = WebhookEventMap[EventType];

/** All event types, in the order of the contract. */
export const eventTypes: readonly EventType[] = [
  'vault.created',
  'vault.updated',
  'vault.deleted',
  'vault.quota.warning',
  'vault.quota.exceeded',
  'document.uploaded',
  'document.updated',
  'document.deleted',
  'document.shared',
  'document.share.accessed',
  'document.share.expired',
  'consent.granted',
  'consent.revoked',
  'consent.expired',
  'consent.renewed',
  'user.created',
  'user.updated',
  'user.deleted',
  'user.login',
  'instance.health.degraded',
  'instance.health.recovered',
  'instance.quota.warning',
];
