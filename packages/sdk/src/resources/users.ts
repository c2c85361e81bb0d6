import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';

/** What an account is allowed per hour and minute. */
export type Tier = 'free' | 'paid' | 'enterprise';

/** A user account. */
export interface User {
  /** User id (UUIDv7). */
  id: string;
  /** E-mail address, the name to log in with. Unique without regard to case. */
  email: string;
  /** Name of the person. */
  name: string;
  /** `admin` sees every account and may manage instances. */
  role: 'user' | 'admin';
  /** Decides what the account is allowed: requests and storage. */
  tier: Tier;
  /** A suspended account's calls return 403 `ACCOUNT_SUSPENDED`; its shares and deliveries pause. */
  status: 'active' | 'suspended';
  /** The instance that stores the account. */
  instanceId: string;
  /** When the user registered (ISO 8601). */
  createdAt: string;
  /** When the profile was last changed (ISO 8601); equal to `createdAt` until then. */
  updatedAt: string;
}

/** How much of a limit is used. */
export interface UsageOfLimit {
  /** What the account holds. Above `limit` when the limit was lowered. */
  used: number;
  /** What the account may hold, by its tier. */
  limit: number;
}

/**
 * What an account holds, and what its tier allows. A call that would exceed a limit throws a
 * ValidationError whose `details.resource` is the name of the limit here.
 */
export interface AccountUsage {
  /** Bytes of contents, names, descriptions, metadata and webhook settings. */
  bytes: UsageOfLimit;
  /** Vaults. */
  vaults: UsageOfLimit;
  /** Documents. */
  documents: UsageOfLimit;
  /** Shares. Those that have ended count until they are removed, 30 days after they expire. */
  shares: UsageOfLimit;
  /** Consents in every status. */
  consents: UsageOfLimit;
  /** API keys that are not revoked. */
  keys: UsageOfLimit;
  /** Webhooks. */
  webhooks: UsageOfLimit;
}

/** The user that the credentials belong to, with what the account uses of its limits. */
export interface CurrentUser extends User {
  /** What the account holds, and what its tier allows. */
  usage: AccountUsage;
}

/** What users can change about themselves; what is left out stays. */
export interface UpdateUser {
  /** Name of the person. 1 to 120 characters after trimming. */
  name?: string;
  /**
   * New e-mail address. Needs `currentPassword`. It must not belong to another account. At most 254
   * characters.
   */
  email?: string;
  /** New password, at least 12 characters. Needs `currentPassword`. */
  password?: string;
  /** The password so far. Needed with `email` and `password`. */
  currentPassword?: string;
  /**
   * Whether a new `password` also revokes every API key of the account, the client's included.
   *
   * @default false
   */
  revokeApiKeys?: boolean;
}

/** Confirms the end of an account. */
export interface DeleteUser {
  /** The password of the account. 1 to 1,024 characters. */
  password: string;
}

/** The user that the credentials belong to. */
export class Users {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Returns the user that the credentials belong to, with what the account uses of its limits. Needs the
   * scope `users:read`.
   */
  me(options?: CallOptions): ApiPromise<CurrentUser> {
    return this.#api.call('get', '/api/v1/users/me', {}, options);
  }

  /**
   * Changes the properties that are given and leaves the rest. `email` and `password` need
   * `currentPassword`. A new password ends every other session of the account at once; with an API
   * key, it ends all sessions. API keys stay valid unless `revokeApiKeys` is `true`. Needs the scope
   * `users:write`.
   *
   * @throws ValidationError when a property is not as described, `currentPassword` is wrong
   * (constraint `match`), or another account has the address (field `email`, constraint `unique`)
   * @throws RateLimitError after too many wrong passwords
   */
  update(changes: UpdateUser, options?: CallOptions): ApiPromise<CurrentUser> {
    return this.#api.call('put', '/api/v1/users/me', { body: changes }, options);
  }

  /**
   * Deletes the account for good, with everything it owns: vaults, documents, shares, consents, API
   * keys, sessions and webhooks. Needs the scope `users:write`.
   *
   * @throws ValidationError when the password is wrong (field `password`, constraint `match`)
   * @throws RateLimitError after too many wrong passwords
   */
  delete(confirmation: DeleteUser, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/users/me', { body: confirmation }, options);
  }
}
