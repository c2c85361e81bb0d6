import type { AccountKeys, Secret } from '../crypto/keyring.ts';
import { asVaultError, LockedError, loadCode, ValidationError } from '../errors.ts';
import type { Api } from '../http/api.ts';
import type { SessionGeneration } from '../http/credentials.ts';
import { withDeadline } from '../http/deadline.ts';
import type { CallOptions } from '../options.ts';
import type { UnlockOptions } from './unlocking.ts';
import type { VaultCipher, VaultKeys } from './vault-keys.ts';

type Unlocking = typeof import('./unlocking.ts');

/** Runs with the code of keyrings. The call belongs to the session in which it began. */
type Task<Options, Result> = (
  unlocking: Unlocking,
  call: Options & { generation: SessionGeneration },
) => Promise<Result>;

interface UnlockedKeys {
  readonly account: AccountKeys;
  readonly vaults: VaultKeys;
  /** The login to which the keys belong: another one must not use them. */
  readonly generation: SessionGeneration;
}

/** Holds the keys of the account, from unlocking to locking. */
export class AccountLock {
  readonly #api: Api;
  #unlocked: UnlockedKeys | undefined;
  #locks = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  /** The keys of the account. @throws LockedError */
  get account(): AccountKeys {
    return requireUnlocked(this.#current).account;
  }

  /** The keys of the account's vaults; undefined when the client is locked. */
  get vaults(): VaultKeys | undefined {
    return this.#current?.vaults;
  }

  /**
   * Returns the cipher of the account, undefined when the client is locked.
   *
   * @param vaultId - the vault for which it encrypts
   */
  cipher(vaultId?: string): VaultCipher | undefined {
    return this.vaults?.cipher(vaultId);
  }

  async unlock(secret: Secret | { kept: AccountKeys }, options?: UnlockOptions): Promise<void> {
    const { account } = await this.unlockWith(options, async ({ unlock }, call) => ({
      account: await unlock(this.#api, secret, call),
    }));
    if (this.#current?.account === account) return;
    throw new LockedError('The client was locked, or another user logged in: unlock again');
  }

  /**
   * Unlocks the client with the account that a task returns. The client stays locked when `lock` was called meanwhile,
   * or another user has logged in.
   */
  unlockWith<Options extends CallOptions, Result extends { account: AccountKeys; isFirst?: true }>(
    options: Options | undefined,
    task: Task<Options, Result>,
  ): Promise<Result> {
    const locks = this.#locks;
    return this.withUnlocking(options, async (unlocking, call) => {
      const result = await task(unlocking, call);
      const { generation } = call;
      if (locks === this.#locks && generation === this.#api.transport.generation) {
        const { account, isFirst } = result;
        const vaults = new unlocking.VaultKeys(this.#api, {
          account,
          isFirst,
          session: generation,
        });
        this.#unlocked = { account, vaults, generation };
      }
      return result;
    });
  }

  lock(): void {
    this.#locks += 1;
    this.#unlocked = undefined;
  }

  /** Runs a task with the code of keyrings, which the first call loads. */
  async withUnlocking<Options extends CallOptions, Result>(
    options: Options | undefined,
    task: Task<Options, Result>,
  ): Promise<Result> {
    const { generation } = this.#api.transport;
    try {
      const unlocking = await withDeadline({ ...options }, () =>
        loadCode(() => import('./unlocking.ts')),
      );
      return await task(unlocking, { ...(options as Options), generation });
    } catch (error) {
      throw asVaultError(error);
    }
  }

  get #current(): UnlockedKeys | undefined {
    // Another user may have logged in.
    if (this.#unlocked?.generation !== this.#api.transport.generation) this.#unlocked = undefined;
    return this.#unlocked;
  }
}

/** @throws LockedError for undefined: the client is locked, and the caller has passed no cipher */
export function requireUnlocked<Given>(given: Given | undefined): Given {
  if (given) return given;
  throw new LockedError('The client is locked: call client.unlock first, or pass a cipher');
}

/** Whether the service has refused a document because another device has given its vault a new key. */
export function isOutdatedKey(error: unknown): boolean {
  return error instanceof ValidationError && error.details.constraint === 'keyGeneration';
}
