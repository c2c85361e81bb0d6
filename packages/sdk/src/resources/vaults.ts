import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions, type PageQuery } from '../pages.ts';

/** A vault: documents stand in it. */
export interface Vault {
  /** Vault id (UUIDv7). */
  id: string;
  /** Name of the vault. */
  name: string;
  /** Free text about the vault; `null` when there is none. */
  description: string | null;
  /**
   * Category of the vault, for filtering: lower-case letters, digits, `_` and `-`. `null` when
   * there is none.
   */
  category: string | null;
  /** The owner. */
  userId: string;
  /** The instance that stores the vault. */
  instanceId: string;
  /** An inactive vault takes no new documents. */
  isActive: boolean;
  /** Number of documents in the vault; 0 on creation. */
  documentCount: number;
  /** Bytes of all its documents, encrypted. */
  totalSize: number;
  /** When the vault was created (ISO 8601). */
  createdAt: string;
  /**
   * When the vault itself was last changed (ISO 8601); equal to `createdAt` until then. Adding and
   * removing documents does not count as a change.
   */
  updatedAt: string;
}

/** What a new vault can say. */
export interface CreateVault {
  /** 1 to 120 characters after trimming. */
  name: string;
  /** At most 2,000 characters. */
  description?: string | null;
  /** 1 to 50 of `a-z`, `0-9`, `_` and `-`, such as `personal`. */
  category?: string | null;
}

/** What can change about a vault; what is left out stays. */
export interface UpdateVault {
  /** Name of the vault. 1 to 120 characters after trimming. */
  name?: string;
  /** Free text about the vault; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Category of the vault, for filtering: lower-case letters, digits, `_` and `-`. `null` when
   * there is none. 1 to 50 characters.
   */
  category?: string | null;
  /** `false` closes the vault for new documents, `true` opens it again. */
  isActive?: boolean;
}

/** Which vaults a list holds, and in which order. */
export interface ListVaults extends PageQuery {
  /** @default createdAt */
  sortBy?: 'createdAt' | 'updatedAt' | 'name' | 'documentCount' | 'totalSize';
  /** @default desc for times, asc for the rest */
  sortOrder?: 'asc' | 'desc';
  /** Only vaults of this category. 1 to 50 characters. */
  category?: string;
  /** Only active (`true`) or only inactive (`false`) vaults. */
  isActive?: boolean;
  /** A part of the name, in any case. */
  search?: string;
}

/** Pages and limits of a vault search. */
export interface SearchVaults extends PageQuery, ListOptions {}

/** The vaults of the account. */
export class Vaults {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Lists the vaults of the account, newest first unless sorted otherwise. Filters can be combined.
   * Needs the scope `vaults:read`.
   *
   * @throws ValidationError when the query is not as described
   */
  list(query: ListVaults = {}, options: ListOptions = {}): List<Vault> {
    return createList(this.#api, '/api/v1/vaults', { query, options });
  }

  /**
   * Finds the vaults whose name or description contains `text`, in any letter case, newest first.
   * Needs the scope `vaults:read`.
   *
   * @param text - 1 to 200 characters
   * @throws ValidationError when the text or the page is out of range
   * @example
   * for await (const { name } of client.vaults.search('tax', { maxItems: 10 })) console.log(name);
   */
  search(text: string, options: SearchVaults = {}): List<Vault> {
    const { page, pageSize } = options;
    const query = { search: text, ...(page && { page }), ...(pageSize && { pageSize }) };
    return createList(this.#api, '/api/v1/vaults/search', { query, options });
  }

  /**
   * Makes an empty, active vault. Names need not be unique. Needs the scope `vaults:write`.
   *
   * @throws ValidationError when a property is not as described
   */
  create(vault: CreateVault, options?: CallOptions): ApiPromise<Vault> {
    return this.#api.call('post', '/api/v1/vaults', { body: vault }, options);
  }

  /**
   * Answers one vault. Needs the scope `vaults:read`.
   *
   * @throws NotFoundError when the account has none of this id
   */
  get(id: string, options?: CallOptions): ApiPromise<Vault> {
    return this.#api.call('get', '/api/v1/vaults/{id}', { path: { id } }, options);
  }

  /**
   * Changes the properties that are given and leaves the rest; `null` empties `description` or
   * `category`. Needs the scope `vaults:write`.
   *
   * @throws NotFoundError when the account has none of this id
   * @throws ValidationError when a property is not as described
   */
  update(id: string, changes: UpdateVault, options?: CallOptions): ApiPromise<Vault> {
    return this.#api.call('put', '/api/v1/vaults/{id}', { path: { id }, body: changes }, options);
  }

  /**
   * Deletes the vault with its documents and their shares, for good. Needs the scope
   * `vaults:write`.
   *
   * @throws NotFoundError when the account has none of this id
   */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/vaults/{id}', { path: { id } }, options);
  }
}
