import type { TraceContext } from '../store/rows/webhooks/events.ts';
import type { Repositories } from '../store/store.ts';
import type { Scope, Tier } from './shapes.ts';

export type { TraceContext };

/** The access of an app. */
export interface OAuthAccess {
  readonly clientId: string;
  /** The grant of the account; null when the client acts for its owner. */
  readonly grantId: string | null;
  /** SHA-256 of the id of the token. */
  readonly tokenHash: Uint8Array;
  /** The version of the client's credentials that the token was issued for; null under a grant. */
  readonly credentialsVersion: number | null;
  /** The scopes that were in force when the request was authenticated. */
  readonly scopes: readonly string[];
}

/** Who or what makes a call, as its events and the log name it. */
export interface Sender {
  /** Null without an account, or for the server itself. */
  readonly userId: string | null;
  readonly requestId: string | null;
  readonly ipAddress: string | null;
  /** The first 512 characters of the header: sessions and events store it. */
  readonly userAgent: string | null;
  /** The trace of the request: the deliveries of its events continue it. */
  readonly trace?: TraceContext | undefined;
  /** The API key that was used. */
  readonly keyId?: string | null;
  /** The session of the access token that was used. */
  readonly sessionId?: string | null;
  /** The OAuth access that was used; null for other credentials. */
  readonly oauth?: OAuthAccess | null;
  /** The role of the account when the request was authenticated. */
  readonly role?: 'user' | 'admin';
}

/**
 * Runs at the end of the transaction of a change, with its result or its rejection. It stores the outcome of a
 * request with an Idempotency-Key.
 */
export type CommitHook = (tx: Repositories, result: unknown) => Promise<void>;

/** The sender of a change, and beside it a hook that belongs to the same transaction. */
export type WithCommitHook<Who extends Sender> = Who & { readonly beforeCommit?: CommitHook };

/** The server itself, without a request. */
export const serverItself: Sender = {
  userId: null,
  requestId: null,
  ipAddress: null,
  userAgent: null,
};

/** The sender of a request, authenticated or not. */
export interface Visitor extends Sender {
  readonly requestId: string;
  readonly ipAddress: string;
  /** The scopes of its credentials; undefined without. */
  readonly scopes?: ReadonlySet<Scope>;
}

/** An account with the scopes of its credentials. */
export interface Actor extends Sender {
  readonly userId: string;
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly tier: Tier;
  readonly status: 'active' | 'suspended';
  readonly instanceId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The API key that was used; null for an access token. */
  readonly keyId: string | null;
  /** The session of the access token that was used; null for an API key. */
  readonly sessionId: string | null;
}
