import type {
  CreateVault,
  ListVaultKeys,
  ListVaults,
  PageQuery,
  UpdateVault,
  UpdateVaultKeys,
  Vault,
  VaultKeys,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/** Options of {@link Vaults.search}. */
export interface SearchVaults extends PageQuery, ListOptions {
  /**
   * `all` finds vaults of every account, an id those of that account. Others than the caller's need `admin:*`.
   *
   * @default the caller's account
   */
  account?: string | undefined;
}

/** The vaults of the account. A vault is a container of documents. */
export interface Vaults {
  /** The keys of the vaults, encrypted. */
  readonly keys: KeysOfVaults;

  /**
   * Lists the vaults of the account, newest first by default. Filters can be combined. Needs the
   * scope `vaults:read`.
   *
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { name } of client.vaults.list({ category: 'personal' })) console.log(name);
   */
  list(query?: ListVaults, options?: ListOptions): List<Vault>;

  /**
   * Finds the vaults whose name or description contains `text`, in any letter case, newest first.
   * Needs the scope `vaults:read`.
   *
   * @param text - 1 to 200 characters
   * @throws {@link ValidationError} when the text or the page is out of range
   * @example
   * for await (const { name } of client.vaults.search('tax', { maxItems: 10 })) console.log(name);
   */
  search(text: string, options?: SearchVaults): List<Vault>;

  /**
   * Creates an empty, active vault. Names need not be unique. Needs the scope `vaults:write`.
   *
   * @throws {@link ValidationError} when a property is invalid
   * @example
   * const vault = await client.vaults.create({ name: 'Taxes', category: 'personal' });
   */
  create(vault: CreateVault, options?: CallOptions): ApiPromise<Vault>;

  /**
   * Returns a vault. Needs the scope `vaults:read`.
   *
   * @throws {@link NotFoundError} when the account has no vault with this id
   * @example
   * const { name, documentCount } = await client.vaults.get(vault.id);
   */
  get(id: string, options?: CallOptions): ApiPromise<Vault>;

  /**
   * Changes the given fields; `null` clears `description` or `category`. Needs the scope
   * `vaults:write`.
   *
   * @throws {@link NotFoundError} when the account has no vault with this id
   * @throws {@link ValidationError} when a property is invalid
   * @example
   * await client.vaults.update(vault.id, { name: 'Taxes 2026', description: null });
   */
  update(id: string, changes: UpdateVault, options?: CallOptions): ApiPromise<Vault>;

  /**
   * Deletes a vault with its documents and their shares. This cannot be undone. Needs the scope
   * `vaults:write`.
   *
   * @throws {@link NotFoundError} when the account has no vault with this id
   * @example
   * await client.vaults.delete(vault.id);
   */
  delete(id: string, options?: CallOptions): ApiPromise<void>;
}

/** The keys of the account's own vaults, as clients have encrypted them. */
export interface KeysOfVaults {
  /**
   * Lists the keys of the account's vaults, by the ids of the vaults. A vault without keys is not
   * listed. Needs the scope `documents:read`.
   *
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { vaultId, generation } of client.vaults.keys.list()) console.log(vaultId, generation);
   */
  list(query?: ListVaultKeys, options?: ListOptions): List<VaultKeys>;

  /**
   * Stores the first key of a vault, a new generation, or the present keys encrypted anew. Needs the
   * scope `vaults:write`.
   *
   * @throws {@link NotFoundError} when the account has no vault with this id
   * @throws {@link ValidationError} when another client has stored keys since they were read (field
   * `version`, constraint `version`), or a property is invalid
   * @example
   * await client.vaults.keys.update(vault.id, { version: 1, generation: 1, sealed });
   */
  update(vaultId: string, keys: UpdateVaultKeys, options?: CallOptions): ApiPromise<VaultKeys>;
}

/** Creates the resource. */
export function createVaults(api: Api): Vaults {
  const search = api.list('/api/v1/vaults/search');
  return {
    keys: {
      list: api.list('/api/v1/vault-keys', 'vaultId'),
      update: api.send('PUT', '/api/v1/vaults/{id}/keys'),
    },
    list: api.list('/api/v1/vaults'),
    search: (text, { page, pageSize, account, ...options } = {}) =>
      search({ search: text, page, pageSize, account }, options),
    create: api.send('POST', '/api/v1/vaults'),
    get: api.call('GET', '/api/v1/vaults/{id}'),
    update: api.send('PUT', '/api/v1/vaults/{id}'),
    delete: api.call('DELETE', '/api/v1/vaults/{id}'),
  };
}
