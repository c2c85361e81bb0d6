import type { Keyring, UpdateKeyring } from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';

/** The keyring of the account, as clients have encrypted it. */
export interface Keyrings {
  /**
   * Returns the keyring of the account. Needs the scope `documents:read`.
   *
   * @throws {@link NotFoundError} when the account has no keyring yet
   * @example
   * const { unlockers } = await client.keyring.get();
   */
  get(options?: CallOptions): ApiPromise<Keyring>;

  /**
   * Stores the first keyring of the account, or replaces the present one. A replacement needs a
   * session and `currentPassword`. Needs the scope `users:write`.
   *
   * @throws {@link ValidationError} when another client has changed the keyring since it was read
   * (field `version`, constraint `version`), `currentPassword` is wrong (constraint `match`), or a
   * property is invalid
   * @throws {@link RateLimitError} after too many wrong passwords
   * @example
   * await client.keyring.update({ version: 1, publicKey, privateKey, unlockers });
   */
  update(keyring: UpdateKeyring, options?: CallOptions): ApiPromise<Keyring>;
}

/** Creates the resource. */
export function createKeyrings(api: Api): Keyrings {
  return {
    get: api.call('GET', '/api/v1/keyring'),
    update: api.send('PUT', '/api/v1/keyring'),
  };
}
