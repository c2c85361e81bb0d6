import type {
  ApiKey,
  ApiKeyValidation,
  CreateApiKey,
  CreatedApiKey,
  ListApiKeys,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/**
 * The API keys of the account. Every method but {@link ApiKeys.current} needs a session, or an API key
 * with the scope `admin:*`.
 */
export interface ApiKeys {
  /**
   * Returns id, name, scopes and expiry of the client's own API key.
   *
   * @throws {@link AuthenticationError} when the key is unknown, revoked or expired, or the client has
   * a session
   * @example
   * const { name, scopes } = await client.apiKeys.current();
   */
  current(options?: CallOptions): ApiPromise<ApiKeyValidation>;

  /**
   * Lists the API keys of the account without their secrets, newest first by default. Expired keys are
   * included, revoked ones are not.
   *
   * @throws {@link PermissionError} for an API key without `admin:*`
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { name, lastUsedAt } of client.apiKeys.list()) console.log(name, lastUsedAt);
   */
  list(query?: ListApiKeys, options?: ListOptions): List<ApiKey>;

  /**
   * Creates an API key. Only this call returns its secret, as `key`.
   *
   * @throws {@link PermissionError} for an API key without `admin:*`
   * @throws {@link ValidationError} when a property is invalid, or the caller does not have one of the
   * scopes (constraint `grantable`)
   * @example
   * const { key } = await client.apiKeys.create({ name: 'backup', scopes: ['documents:read'] });
   */
  create(apiKey: CreateApiKey, options?: CallOptions): ApiPromise<CreatedApiKey>;

  /**
   * Revokes an API key at once. This cannot be undone.
   *
   * @throws {@link PermissionError} for an API key without `admin:*`
   * @throws {@link NotFoundError} when the account has no key with this id
   * @example
   * await client.apiKeys.delete(apiKey.keyId);
   */
  delete(id: string, options?: CallOptions): ApiPromise<void>;
}

/** Creates the resource. */
export function createApiKeys(api: Api): ApiKeys {
  return {
    current: api.call('GET', '/api/v1/auth/validate'),
    list: api.list('/api/v1/api-keys', 'keyId'),
    create: api.send('POST', '/api/v1/api-keys'),
    delete: api.call('DELETE', '/api/v1/api-keys/{keyId}'),
  };
}
