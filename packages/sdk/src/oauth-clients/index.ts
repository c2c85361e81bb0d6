import type { DocumentVault } from '../client.ts';
import type {
  CreatedOAuthClient,
  CreateOAuthClient,
  ListOAuthClients,
  OAuthClient,
  RotatedClientSecret,
  UpdateOAuthClient,
} from '../generated/types.ts';
import { accessOf } from '../http/access.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/**
 * The OAuth clients of the account: applications that may ask users for access. Every method needs a
 * session, or an API key with the scope `admin:*`.
 */
export interface OAuthClients {
  /**
   * Lists the clients of the account without their secrets, newest first by default. Disabled clients
   * are included.
   *
   * @throws PermissionError for an API key without `admin:*`
   * @throws ValidationError when the query is invalid
   * @example
   * for await (const { clientId, name } of clients.list()) console.log(clientId, name);
   */
  list(query?: ListOAuthClients, options?: ListOptions): List<OAuthClient>;

  /**
   * Registers a client. Only this call returns its secret, as `clientSecret`.
   *
   * @throws PermissionError for an API key without `admin:*`
   * @throws ValidationError when a property is invalid, an address is not allowed (constraint
   * `redirectUri`), the caller does not have one of the scopes (constraint `grantable`), or the account
   * has the maximum number (constraint `accountRows`)
   * @example
   * const { clientId, clientSecret } = await clients.create({
   *   name: 'Tax Assistant',
   *   type: 'confidential',
   *   redirectUris: ['https://tax.example.com/callback'],
   *   scopes: ['documents:read'],
   * });
   */
  create(client: CreateOAuthClient, options?: CallOptions): ApiPromise<CreatedOAuthClient>;

  /**
   * Returns a client without its secret.
   *
   * @throws PermissionError for an API key without `admin:*`
   * @throws NotFoundError when the account has no client with this id
   * @example
   * const { redirectUris } = await clients.get(clientId);
   */
  get(id: string, options?: CallOptions): ApiPromise<OAuthClient>;

  /**
   * Changes the given fields. Lists are replaced as a whole.
   *
   * @throws PermissionError for an API key without `admin:*`, and for `verified` from another
   * caller than an administrator
   * @throws NotFoundError when the account has no client with this id
   * @throws ValidationError when a property is invalid
   * @example
   * await clients.update(clientId, { disabled: true });
   */
  update(id: string, changes: UpdateOAuthClient, options?: CallOptions): ApiPromise<OAuthClient>;

  /**
   * Makes a new secret and returns it, as `clientSecret`. The secret before it is valid for 24 more hours.
   *
   * @throws PermissionError for an API key without `admin:*`
   * @throws NotFoundError when the account has no client with this id
   * @throws ValidationError when the client has no secret (constraint `secret`)
   * @example
   * const { clientSecret, previousSecretExpiresAt } = await clients.rotateSecret(clientId);
   */
  rotateSecret(id: string, options?: CallOptions): ApiPromise<RotatedClientSecret>;

  /**
   * Deletes a client. This cannot be undone.
   *
   * @throws PermissionError for an API key without `admin:*`
   * @throws NotFoundError when the account has no client with this id
   * @example
   * await clients.delete(clientId);
   */
  delete(id: string, options?: CallOptions): ApiPromise<void>;
}

/**
 * Creates the methods that manage OAuth clients. They use the credentials, retries and timeouts of a
 * `DocumentVault`.
 *
 * @throws UsageError when `client` is not a `DocumentVault`
 * @example
 * const clients = createOAuthClients(client);
 * const { data } = await clients.list();
 */
export function createOAuthClients(client: DocumentVault): OAuthClients {
  const { api } = accessOf(client);
  return {
    list: api.list('/api/v1/oauth/clients', 'clientId'),
    create: api.send('POST', '/api/v1/oauth/clients'),
    get: api.call('GET', '/api/v1/oauth/clients/{clientId}'),
    update: api.send('PUT', '/api/v1/oauth/clients/{clientId}'),
    rotateSecret: api.call('POST', '/api/v1/oauth/clients/{clientId}/secret'),
    delete: api.call('DELETE', '/api/v1/oauth/clients/{clientId}'),
  };
}
