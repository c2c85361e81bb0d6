import type {
  AdministerUser,
  CurrentUser,
  DeleteUser,
  ListUsers,
  UpdateUser,
  User,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/** The user that the client's credentials belong to, and for administrators all accounts. */
export interface Users {
  /**
   * Returns the user, with what the account uses of its limits. Needs the scope `users:read`.
   *
   * @example
   * const { name, usage } = await client.users.me();
   * console.log(name, usage.documents.used, usage.documents.limit);
   */
  me(options?: CallOptions): ApiPromise<CurrentUser>;

  /**
   * Changes the given fields. `email` and `password` need `currentPassword`. A new password ends
   * every other session of the account; when the client has an API key, it ends all sessions. API
   * keys stay valid unless `revokeApiKeys` is `true`. Needs the scope `users:write`.
   *
   * @throws {@link ValidationError} when a property is invalid, `currentPassword` is wrong
   * (constraint `match`), or another account has the address (field `email`, constraint `unique`)
   * @throws {@link RateLimitError} after too many wrong passwords
   * @example
   * await client.users.updateMe({ name: 'Ada King' });
   */
  updateMe(changes: UpdateUser, options?: CallOptions): ApiPromise<CurrentUser>;

  /**
   * Deletes the account and everything it owns: vaults, documents, shares, consents, API keys,
   * sessions and webhooks. This cannot be undone. Needs the scope `users:write`.
   *
   * @throws {@link ValidationError} when the password is wrong (field `password`, constraint `match`), or the
   * account is the last active administrator (constraint `lastAdministrator`)
   * @throws {@link RateLimitError} after too many wrong passwords
   * @example
   * await client.users.delete({ password });
   */
  delete(confirmation: DeleteUser, options?: CallOptions): ApiPromise<void>;

  /**
   * Lists the accounts of all instances, newest first by default. Needs the scope `admin:*`.
   *
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { email } of client.users.list({ status: 'suspended' })) console.log(email);
   */
  list(query?: ListUsers, options?: ListOptions): List<User>;

  /**
   * Returns an account, with what it uses of its limits. Needs the scope `admin:*`.
   *
   * @throws {@link NotFoundError} when there is no account with this id
   * @example
   * const { tier, usage } = await client.users.get(user.id);
   */
  get(id: string, options?: CallOptions): ApiPromise<CurrentUser>;

  /**
   * Changes role, tier or status of an account, from its next request on. A suspended account cannot
   * use its sessions and API keys. Needs the scope `admin:*`.
   *
   * @throws {@link NotFoundError} when there is no account with this id
   * @throws {@link ValidationError} when a property is invalid, or the change would leave no active
   * administrator (constraint `lastAdministrator`)
   * @example
   * await client.users.update(user.id, { status: 'suspended' });
   */
  update(id: string, changes: AdministerUser, options?: CallOptions): ApiPromise<CurrentUser>;
}

/** Creates the resource. */
export function createUsers(api: Api): Users {
  return {
    me: api.call('GET', '/api/v1/users/me'),
    updateMe: api.send('PUT', '/api/v1/users/me'),
    delete: api.send('DELETE', '/api/v1/users/me'),
    list: api.list('/api/v1/users'),
    get: api.call('GET', '/api/v1/users/{id}'),
    update: api.send('PUT', '/api/v1/users/{id}'),
  };
}
