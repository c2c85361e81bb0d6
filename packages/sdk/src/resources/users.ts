import type { CurrentUser, DeleteUser, UpdateUser } from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/responses.ts';
import type { CallOptions } from '../options.ts';

/** The user that the client's credentials belong to. */
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
   * await client.users.update({ name: 'Ada King' });
   */
  update(changes: UpdateUser, options?: CallOptions): ApiPromise<CurrentUser>;

  /**
   * Deletes the account and everything it owns: vaults, documents, shares, consents, API keys,
   * sessions and webhooks. This cannot be undone. Needs the scope `users:write`.
   *
   * @throws {@link ValidationError} when the password is wrong (field `password`, constraint `match`)
   * @throws {@link RateLimitError} after too many wrong passwords
   * @example
   * await client.users.delete({ password });
   */
  delete(confirmation: DeleteUser, options?: CallOptions): ApiPromise<void>;
}

/** Creates the resource. */
export function createUsers(api: Api): Users {
  return {
    me: api.call('GET', '/api/v1/users/me'),
    update: api.send('PUT', '/api/v1/users/me'),
    delete: api.send('DELETE', '/api/v1/users/me'),
  };
}
