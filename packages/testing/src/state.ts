import type {
  ApiKey,
  Consent,
  DeliveryDetail,
  Document,
  Instance,
  Keyring,
  OAuthClient,
  Session,
  Share,
  ShareAccess,
  Upload,
  User,
  Vault,
  VaultKeys,
  Webhook,
  WebhookEvent,
} from '@document-vault/sdk';
import type { ConsentState } from './generated/rules/consents.ts';
import type { ServiceError } from './generated/rules/errors.ts';

/** Identifiers in the formats of the service. They sort by the time of creation. */
export interface Ids {
  /** A UUIDv7 (RFC 9562, section 5.7). */
  resource(): string;
  /** A prefix and the 32 hexadecimal digits of a UUIDv7. */
  prefixed(prefix: 'evt' | 'dlv' | 'key' | 'req'): string;
}

/** Creates ids by a clock. Within a millisecond they increase, which keeps the order of creation. */
export function createIds(now: () => number): Ids {
  let last = 0;
  let sequence = 0;

  /** 12 hexadecimal digits of time, the version, 7 of the sequence around the variant; the rest is random. */
  function digits(): string {
    // A clock may have fractions of milliseconds.
    const time = Math.floor(Math.max(now(), last));
    sequence = time === last ? sequence + 1 : 0;
    last = time;
    const count = sequence.toString(16).padStart(7, '0');
    const random = crypto.randomUUID().slice(-11);
    return `${time.toString(16).padStart(12, '0')}7${count.slice(0, 3)}8${count.slice(3)}${random}`;
  }

  return {
    resource: () => digits().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    prefixed: (prefix) => `${prefix}_${digits()}`,
  };
}

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 32 random bytes in base64url: refresh tokens and share tokens. */
export function randomToken(): string {
  return toBase64Url(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
}

/** A secret of a webhook: `whsec_` and the base64 of 30 random bytes. */
export function randomWebhookSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(30))))}`;
}

/** 40 alphanumeric characters after the prefix of an API key or of a client's secret. */
export function randomSecret(prefix: 'service_sk_' | 'service_cs_'): string {
  const bytes = crypto.getRandomValues(new Uint8Array(40));
  return prefix + Array.from(bytes, (byte) => alphanumerics[byte % 62]).join('');
}

/** Encodes a binary string as base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: string): string {
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A resource of an account. */
interface Owned {
  readonly userId: string;
}

export interface UserRecord extends User {
  password: string;
}

export interface ApiKeyRecord extends ApiKey, Owned {
  readonly key: string;
}

export interface OAuthClientRecord extends OAuthClient {
  /** Null for a client without a secret. */
  readonly secret: string | null;
  readonly previousSecret: string | null;
}

/** A part of a ciphertext. */
export interface StoredPart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 in base64; undefined until it is needed. */
  sha256?: string;
}

/** The ciphertext of a document. */
export interface StoredContent {
  /** One part for content of one request. */
  readonly parts: readonly StoredPart[];
  /** Whether the parts arrived as an upload: the entity tag is then a digest of their digests. */
  readonly isUpload: boolean;
}

export interface DocumentRecord extends Omit<Document, 'contentUrl'>, Owned {
  readonly content: StoredContent;
}

export interface VaultKeysRecord extends VaultKeys, Owned {}

/** An open upload with the parts that have arrived, by number. */
export interface UploadRecord extends Omit<Upload, 'partBytes' | 'parts'>, Owned {
  readonly parts: Map<number, Required<StoredPart>>;
}

/** A ticket for the content of an opened share. */
export interface Ticket {
  readonly shareId: string;
  readonly expiresAt: string;
}

export interface ShareRecord extends Share, Owned {
  readonly shareToken: string;
  /** In their order. */
  readonly accesses: ShareAccess[];
}

/** A consent with its times in milliseconds since the epoch. */
export interface ConsentRecord
  extends Omit<Consent, keyof ConsentState | 'createdAt' | 'updatedAt'>,
    ConsentState {
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface WebhookRecord extends Omit<Webhook, 'stats' | 'health'>, Owned {
  secret: string;
}

export interface EventRecord extends Owned {
  readonly id: string;
  readonly payload: WebhookEvent;
}

export interface SessionRecord extends Omit<Session, 'current'>, Owned {}

export interface AccessToken {
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Number of token pairs that had been issued, including this one. */
  readonly issue: number;
}

export interface RefreshToken {
  readonly sessionId: string;
  readonly expiresAt: number;
  readonly issue: number;
  /** When it was exchanged, and its successor. */
  rotated?: { readonly at: number; readonly successor: string };
}

/** The stored outcome of an `Idempotency-Key`. */
export interface Outcome {
  readonly body: string;
  /** The role of the account at the call. */
  readonly role: 'user' | 'admin';
  readonly at: number;
  readonly result: { readonly success: unknown } | { readonly error: ServiceError };
}

/** All data, by id; tokens and tickets are their own keys. */
export class Tables {
  readonly instances = new Map<string, Instance>();
  readonly users = new Map<string, UserRecord>();
  readonly apiKeys = new Map<string, ApiKeyRecord>();
  readonly clients = new Map<string, OAuthClientRecord>();
  /** By account. */
  readonly keyrings = new Map<string, Keyring>();
  readonly vaults = new Map<string, Vault>();
  /** By vault. */
  readonly vaultKeys = new Map<string, VaultKeysRecord>();
  readonly documents = new Map<string, DocumentRecord>();
  /** Also expired ones, until the open uploads are listed. */
  readonly uploads = new Map<string, UploadRecord>();
  /** Ids that clients cannot choose: those of all documents and uploads, also of removed ones. */
  readonly usedIds = new Map<string, true>();
  readonly shares = new Map<string, ShareRecord>();
  readonly tickets = new Map<string, Ticket>();
  readonly consents = new Map<string, ConsentRecord>();
  readonly webhooks = new Map<string, WebhookRecord>();
  readonly deliveries = new Map<string, DeliveryDetail>();
  /** Without test events. */
  readonly events = new Map<string, EventRecord>();
  readonly sessions = new Map<string, SessionRecord>();
  readonly accessTokens = new Map<string, AccessToken>();
  readonly refreshTokens = new Map<string, RefreshToken>();
  readonly outcomes = new Map<string, Outcome>();
  /** Requests of an account in an hour. */
  readonly usage = new Map<string, number>();
}

/** The state of a test vault. */
export interface State {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly tables: Tables;
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Formats a time as ISO 8601. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function optionalTimestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}

/** Whether an ISO 8601 time has passed. */
export function isPast(moment: string, { now }: State): boolean {
  return Date.parse(moment) <= now();
}

/** Returns the open uploads. Removes those that have expired. */
export function openUploads(state: State): UploadRecord[] {
  const { uploads } = state.tables;
  for (const { id, expiresAt } of uploads.values()) {
    if (isPast(expiresAt, state)) uploads.delete(id);
  }
  return [...uploads.values()];
}
