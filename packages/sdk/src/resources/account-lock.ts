import type { Cipher } from '../crypto/cipher.ts';
import type { AccountKeys, Secret } from '../crypto/keyring.ts';
import { LockedError, loadCode, rethrow } from '../errors.ts';
import type { Api, StartedCall } from '../http/api.ts';
import type { SessionGeneration } from '../http/credentials.ts';
import { withDeadline } from '../http/deadline.ts';
import type { CallOptions } from '../options.ts';
import type { UnlockOptions } from './unlocking.ts';
import type { VaultKeys } from './vault-keys.ts';

type Unlocking = typeof import('./unlocking.ts');

/** What an unlocked client has. */
interface Unlocked {
  readonly account: AccountKeys;
  readonly vaults: VaultKeys;
  /** Of the login: the keys of one account are of no use to the next one. */
  readonly generation: SessionGeneration;
}

/** Holds the keys of the account, from unlocking to locking. */
export class AccountLock {
  readonly #api: Api;
  #unlocked: Unlocked | undefined;
  #locks = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  /** The keys of the account. @throws LockedError */
  get account(): AccountKeys {
    const { account } = this.#current ?? {};
    if (account) return account;
    throw locked();
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
  cipher(vaultId?: string): Cipher | undefined {
    return this.vaults?.cipher(vaultId);
  }

  async unlock(secret: Secret | { kept: AccountKeys }, options?: UnlockOptions): Promise<void> {
    const { account } = await this.open(options, async ({ unlock }, call) => ({
      account: await unlock(this.#api, secret, { ...options, ...call }),
      isFirst: false,
    }));
    if (this.#current?.account === account) return;
    throw new LockedError('The client was locked, or another user logged in: unlock again');
  }

  /**
   * Unlocks the client with the account that a task returns. It stays locked when `lock` was called meanwhile, or
   * another user has logged in.
   */
  open<Result extends { account: AccountKeys; isFirst: boolean }>(
    options: CallOptions | undefined,
    task: (unlocking: Unlocking, call: StartedCall) => Promise<Result>,
  ): Promise<Result> {
    const locks = this.#locks;
    return this.load(options, async (unlocking, call) => {
      const result = await task(unlocking, call);
      const { generation } = call;
      if (locks === this.#locks && generation === this.#api.transport.generation) {
        const { account, isFirst } = result;
        const vaults = new unlocking.VaultKeys(this.#api, {
          account,
          generation,
          hasNone: isFirst,
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

  /** Runs a task with the code of keyrings. */
  async load<Result>(
    options: CallOptions = {},
    task: (
      unlocking: Unlocking,
      call: StartedCall & { generation: SessionGeneration },
    ) => Promise<Result>,
  ): Promise<Result> {
    const { generation } = this.#api.transport;
    try {
      const unlocking = await withDeadline(options, () => loadCode(() => import('./unlocking.ts')));
      return await task(unlocking, { ...options, generation });
    } catch (error) {
      return rethrow()(error);
    }
  }

  get #current(): Unlocked | undefined {
    // Another user has logged in.
    if (this.#unlocked?.generation !== this.#api.transport.generation) this.#unlocked = undefined;
    return this.#unlocked;
  }
}

/** @throws LockedError without a cipher */
export function requireCipher<Given>(cipher: Given | undefined): Given {
  if (cipher) return cipher;
  throw locked();
}

function locked(): LockedError {
  return new LockedError('The client is locked: call client.unlock first, or pass a cipher');
}
