import type { Tier } from '../store/repositories/users.ts';
import type { Repositories } from '../store/store.ts';
import type { Scope } from './shapes.ts';

/** Where a change comes from: what its events say about it, and what else must be stored with it. */
export interface Origin {
  /** null: nobody signed in, or the server itself. */
  readonly userId: string | null;
  readonly requestId: string | null;
  readonly ipAddress: string | null;
  /** The first 512 characters of the header: sessions and events store it. */
  readonly userAgent: string | null;
  /** The API key that was used. */
  readonly keyId?: string | null;
  /** The session of the access token that was used. */
  readonly sessionId?: string | null;
  /** Runs inside the transaction of the change, with its result, which may be a CommittedRejection. */
  readonly settle?: (tx: Repositories, result: unknown) => Promise<void>;
}

/** The server itself, at work without a request. */
export const serverOrigin: Origin = {
  userId: null,
  requestId: null,
  ipAddress: null,
  userAgent: null,
};

/** Who has sent a request, signed in or not. */
export interface Visitor extends Origin {
  readonly requestId: string;
  readonly ipAddress: string;
}

/** An account at work, with what its credentials allow. */
export interface Actor extends Origin {
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
