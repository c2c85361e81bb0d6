import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions, type PageQuery } from '../pages.ts';

/** What a key or token may do; `admin:*` is every operation on every account. */
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

/** An API key without its secret. */
export interface ApiKey {
  /** API key id (`key_…`). Not a secret. */
  keyId: string;
  /** Name to recognise the key by. */
  name: string;
  /** What the key may do. */
  scopes: Scope[];
  /** The first characters of the key, to tell keys apart. */
  prefix: string;
  /** When the key was created (ISO 8601). */
  createdAt: string;
  /** Kept to the minute. */
  lastUsedAt: string | null;
  /** When the key ends (ISO 8601); `null` when it does not. */
  expiresAt: string | null;
}

/** An API key as it is answered once, at its creation. */
export interface CreatedApiKey extends ApiKey {
  /** The secret: `service_sk_` and 40 letters and digits. */
  key: string;
}

/** The facts of an API key. */
export interface ApiKeyValidation {
  /** Always `true`: the service responds 401 to a key that is not valid. */
  valid: true;
  /** API key id (`key_…`). Not a secret. */
  keyId: string;
  /** Name to recognise the key by. */
  name: string;
  /** What the key may do. */
  scopes: Scope[];
  /** When the key ends (ISO 8601); `null` when it does not. */
  expiresAt: string | null;
}

/** What a new API key says. */
export interface CreateApiKey {
  /** Name to recognise the key by. 1 to 120 characters after trimming. */
  name: string;
  /** No more than its creator has. */
  scopes: Scope[];
  /** @default null: it does not expire */
  expiresAt?: string | null;
}

/** The order of a list of API keys. */
export interface ListApiKeys extends PageQuery {
  /** @default createdAt */
  sortBy?: 'createdAt' | 'name';
  /** @default desc for times, asc for the rest */
  sortOrder?: 'asc' | 'desc';
}

/** The account's API keys; for sessions, and for API keys with `admin:*`. */
export class ApiKeys {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Lists the API keys of the account, expired ones too and revoked ones not, newest first unless
   * sorted otherwise. Secrets are not among the answers.
   *
   * @throws PermissionError for an API key without `admin:*`
   * @throws ValidationError when the query is not as described
   */
  list(query: ListApiKeys = {}, options: ListOptions = {}): List<ApiKey> {
    return createList(this.#api, '/api/v1/api-keys', {
      query,
      options,
      id: (apiKey) => apiKey.keyId,
    });
  }

  /**
   * Makes an API key. Its secret is in this answer only.
   *
   * @throws PermissionError for an API key without `admin:*`
   * @throws ValidationError when a property is not as described, or a scope is one that the creator
   * does not have (constraint `grantable`)
   */
  create(apiKey: CreateApiKey, options?: CallOptions): ApiPromise<CreatedApiKey> {
    return this.#api.call('post', '/api/v1/api-keys', { body: apiKey }, options);
  }

  /**
   * Returns name, scopes and expiry of the client's own API key. Every API key may call it.
   *
   * @throws AuthenticationError when the key is unknown, revoked or expired, or the client has a
   * session
   */
  current(options?: CallOptions): ApiPromise<ApiKeyValidation> {
    return this.#api.call('get', '/api/v1/auth/validate', {}, options);
  }

  /**
   * Revokes an API key at once and for good.
   *
   * @throws PermissionError for an API key without `admin:*`
   * @throws NotFoundError when the account has none of this id
   */
  revoke(keyId: string, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/api-keys/{keyId}', { path: { keyId } }, options);
  }
}
