import type { CurrentUser, DeleteUser, UpdateUser } from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/responses.ts';
import type { CallOptions } from '../options.ts';

/** The user that the client's credentials belong to. */
export class Users {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Returns the user, with what the account uses of its limits. Needs the scope `users:read`.
   *
   * @example
   * const { name, usage } = await client.users.me();
   * console.log(name, usage.documents.used, usage.documents.limit);
   */
  me(options?: CallOptions): ApiPromise<CurrentUser> {
    return this.#api.call('get', '/api/v1/users/me', {}, options);
  }

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
  update(changes: UpdateUser, options?: CallOptions): ApiPromise<CurrentUser> {
    return this.#api.call('put', '/api/v1/users/me', { body: changes }, options);
  }

  /**
   * Deletes the account and everything it owns: vaults, documents, shares, consents, API keys,
   * sessions and webhooks. This cannot be undone. Needs the scope `users:write`.
   *
   * @throws {@link ValidationError} when the password is wrong (field `password`, constraint `match`)
   * @throws {@link RateLimitError} after too many wrong passwords
   * @example
   * await client.users.delete({ password });
   */
  delete(confirmation: DeleteUser, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/users/me', { body: confirmation }, options);
  }
}
