import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions, type PageQuery } from '../pages.ts';

/** A login of the account that is still valid. */
export interface Session {
  /** Session id (UUIDv7). Not a secret. */
  id: string;
  /** When the user logged in (ISO 8601). */
  createdAt: string;
  /** When the session was last used (ISO 8601), exact to the minute. */
  lastUsedAt: string;
  /** When the session ends unless it is refreshed before (ISO 8601). */
  expiresAt: string;
  /** Address of the client at `lastUsedAt`. IPv4 or IPv6, without a port. */
  ipAddress: string;
  /** The first 512 characters of `User-Agent` at `lastUsedAt`; `null` when there was none. */
  userAgent: string | null;
  /** Whether this is the session of the client that asks. */
  current: boolean;
}

/** The order of a list of sessions. */
export interface ListSessions extends PageQuery {
  /** @default createdAt */
  sortBy?: 'createdAt';
  /** @default desc */
  sortOrder?: 'asc' | 'desc';
}

/** Where the account is logged in; for sessions, not for API keys. */
export class Sessions {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Lists the sessions of the account that have neither ended nor expired, newest first.
   *
   * @throws AuthenticationError when the client has an API key
   * @throws ValidationError when the query is not as described
   */
  list(query: ListSessions = {}, options: ListOptions = {}): List<Session> {
    return createList(this.#api, '/api/v1/auth/sessions', { query, options });
  }

  /**
   * Ends one session at once, with its access and refresh tokens. To end the client's own session,
   * use {@link Auth.logout}, which also clears the token store.
   *
   * @throws AuthenticationError when the client has an API key
   * @throws NotFoundError when the account has no such session, or it has ended
   */
  end(id: string, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/auth/sessions/{id}', { path: { id } }, options);
  }

  /**
   * Ends every session of the account but the client's own. API keys stay valid.
   *
   * @throws AuthenticationError when the client has an API key
   */
  endOthers(options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/auth/sessions', {}, options);
  }
}
