import type { Secret } from '../crypto/keyring.ts';
import type { Keyring, UpdateKeyring } from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { AccountLock } from './account-lock.ts';
import type { AddedPasskey, KeyringProof, NewKeyring } from './unlocking.ts';

/**
 * The keyring of the account: one random key, which passphrase, recovery keys and passkeys each open. The service
 * stores it encrypted. The password of the login opens nothing.
 */
export interface Keyrings {
  /**
   * Creates the keyring of a new account and unlocks the client with it, unless `lock` is called meanwhile. The
   * recovery key is returned once: a user who loses the passphrase needs it, and without either, documents are lost.
   * Needs the scopes `users:read` and `users:write`.
   *
   * @returns the recovery key, nine groups of four characters to print or to write down
   * @throws {@link UsageError} for an empty passphrase; nothing was sent
   * @throws {@link ValidationError} when the account has a keyring (field `version`, constraint `version`)
   * @example
   * const { recoveryKey } = await client.keyring.create({ passphrase });
   */
  create(keyring: NewKeyring, options?: CallOptions): Promise<{ recoveryKey: string }>;
  /**
   * Replaces a keyring whose passphrase and recovery keys are lost. Every document of the account that was encrypted
   * with it stays unreadable. Needs the scopes `documents:read` and `users:write`, and a session.
   *
   * @throws {@link NotFoundError} when the account has no keyring
   * @throws {@link ValidationError} when `currentPassword` is wrong (constraint `match`)
   * @example
   * const { recoveryKey } = await client.keyring.replace({ passphrase, currentPassword });
   */
  replace(
    keyring: NewKeyring & KeyringProof,
    options?: CallOptions,
  ): Promise<{ recoveryKey: string }>;
  /**
   * Changes the passphrase, by two requests for any number of documents. Old copies of the keyring still open
   * with the old one. Needs the scopes `documents:read` and `users:write`, and a session.
   *
   * @param passphrase - the new one
   * @param proof - `current` is a secret that opens the keyring now
   * @throws {@link DecryptionError} with the reason `key` when `current` does not fit; nothing is changed
   * @throws {@link ValidationError} when `currentPassword` is wrong (constraint `match`), or another client has
   * changed the keyring meanwhile (constraint `version`)
   * @example
   * await client.keyring.setPassphrase(next, { current: { passphrase }, currentPassword });
   */
  setPassphrase(
    passphrase: string,
    proof: KeyringProof & { current: Secret },
    options?: CallOptions,
  ): Promise<void>;
  /**
   * Adds a recovery key, for a second place or for a program: it opens without PBKDF2. Needs scopes and session as
   * {@link Keyrings.setPassphrase} does.
   *
   * @param proof - `current` is a secret that opens the keyring now; `label` has at most 60 characters
   * @throws {@link DecryptionError} and {@link ValidationError} as {@link Keyrings.setPassphrase}
   * @example
   * const recoveryKey = await client.keyring.addRecoveryKey({ current: { passphrase }, currentPassword });
   */
  addRecoveryKey(
    proof: KeyringProof & { current: Secret; label?: string },
    options?: CallOptions,
  ): Promise<string>;
  /**
   * Adds a passkey. Ask the authenticator for the PRF extension with the input `passkeyInput()` of `/crypto`, and
   * require user verification. Needs scopes and session as {@link Keyrings.setPassphrase} does.
   *
   * @throws {@link DecryptionError} and {@link ValidationError} as {@link Keyrings.setPassphrase}
   * @example
   * await client.keyring.addPasskey({ prf, credentialId, current: { passphrase }, currentPassword });
   */
  addPasskey(passkey: AddedPasskey, options?: CallOptions): Promise<void>;
  /**
   * Removes a recovery key or a passkey. Old copies of the keyring still open with it. Needs scopes and session as
   * {@link Keyrings.setPassphrase} does.
   *
   * @param id - id of the unlocker, from {@link Keyrings.get}
   * @throws {@link UsageError} for the passphrase, which can only be replaced, and for an unknown id
   * @throws {@link ValidationError} as {@link Keyrings.setPassphrase}
   * @example
   * const { unlockers } = await client.keyring.get();
   * await client.keyring.remove(unlockers[1].id, { currentPassword });
   */
  remove(id: string, proof: KeyringProof, options?: CallOptions): Promise<void>;

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
export function createKeyrings(api: Api, lock: AccountLock): Keyrings {
  return {
    create: (keyring, options) =>
      lock
        .unlockWith(options, ({ create }, call) => create(api, keyring, call))
        .then(({ recoveryKey }) => ({ recoveryKey })),
    replace: (keyring, options) =>
      lock
        .unlockWith(options, ({ replace }, call) => replace(api, keyring, call))
        .then(({ recoveryKey }) => ({ recoveryKey })),
    setPassphrase: (passphrase, proof, options) =>
      lock.withUnlocking(options, ({ setPassphrase }, call) =>
        setPassphrase(api, passphrase, proof, call),
      ),
    addRecoveryKey: (proof, options) =>
      lock.withUnlocking(options, ({ addRecoveryKey }, call) => addRecoveryKey(api, proof, call)),
    addPasskey: (passkey, options) =>
      lock.withUnlocking(options, ({ addPasskey }, call) => addPasskey(api, passkey, call)),
    remove: (id, proof, options) =>
      lock.withUnlocking(options, ({ remove }, call) => remove(api, id, proof, call)),
    get: api.call('GET', '/api/v1/keyring'),
    update: api.send('PUT', '/api/v1/keyring'),
  };
}
