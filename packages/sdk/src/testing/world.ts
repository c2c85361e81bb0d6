import type {
  ApiKey,
  Consent,
  DeliveryDetail,
  DocumentWithContent,
  Instance,
  Session,
  Share,
  User,
  Vault,
  Webhook,
} from '../generated/types.ts';
import type { Ids } from './ids.ts';

/** What belongs to an account. */
interface Owned {
  readonly userId: string;
}

export interface UserRecord extends User {
  password: string;
}

export interface ApiKeyRecord extends ApiKey, Owned {
  readonly key: string;
}

export interface DocumentRecord extends DocumentWithContent, Owned {}

export interface ShareRecord extends Share, Owned {
  readonly shareToken: string;
}

export interface WebhookRecord extends Omit<Webhook, 'stats'>, Owned {
  secret: string;
}

export interface SessionRecord extends Omit<Session, 'current'>, Owned {}

export interface AccessToken {
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** How many pairs of tokens had been issued with it. */
  readonly issue: number;
}

export interface RefreshToken {
  readonly sessionId: string;
  readonly expiresAt: number;
  readonly issue: number;
  /** When it was exchanged, and for what. */
  rotated?: { readonly at: number; readonly successor: string };
}

/** What an `Idempotency-Key` led to. */
export interface Outcome {
  readonly body: string;
  readonly at: number;
  readonly result: { readonly success: unknown } | { readonly failure: unknown };
}

/** Everything that the service holds, each by its id; secrets are found by themselves. */
export interface Tables {
  readonly instances: Map<string, Instance>;
  readonly users: Map<string, UserRecord>;
  readonly apiKeys: Map<string, ApiKeyRecord>;
  readonly vaults: Map<string, Vault>;
  readonly documents: Map<string, DocumentRecord>;
  readonly shares: Map<string, ShareRecord>;
  readonly consents: Map<string, Consent>;
  readonly webhooks: Map<string, WebhookRecord>;
  readonly deliveries: Map<string, DeliveryDetail>;
  readonly sessions: Map<string, SessionRecord>;
  readonly accessTokens: Map<string, AccessToken>;
  readonly refreshTokens: Map<string, RefreshToken>;
  readonly outcomes: Map<string, Outcome>;
  /** Requests of an account in an hour. */
  readonly usage: Map<string, number>;
}

export function createTables(): Tables {
  return {
    instances: new Map(),
    users: new Map(),
    apiKeys: new Map(),
    vaults: new Map(),
    documents: new Map(),
    shares: new Map(),
    consents: new Map(),
    webhooks: new Map(),
    deliveries: new Map(),
    sessions: new Map(),
    accessTokens: new Map(),
    refreshTokens: new Map(),
    outcomes: new Map(),
    usage: new Map(),
  };
}

/** What the operations work on. */
export interface World {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly tables: Tables;
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** A moment as the contract writes it. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Whether a moment that the contract wrote has passed. */
export function isPast(moment: string, { now }: World): boolean {
  return Date.parse(moment) <= now();
}
