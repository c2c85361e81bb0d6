import type { Queries, SqlParameters } from '../../driver.ts';
import { matching, type OwnedPageRequest } from '../../lists/listing.ts';
import { type Row, Table } from '../../table.ts';
import { type HolderAccount, holderAccount } from './users.ts';

export interface ApiKeyRecord {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** The first characters of the key, for its owner to recognize it. */
  readonly prefix: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A key with its account. */
export interface ApiKeyHolder extends ApiKeyRecord, HolderAccount {}

const sortColumns = { createdAt: 'created_at', name: 'name' } as const;

const keys = new Table<ApiKeyRecord, typeof sortColumns>({
  name: 'api_keys',
  columns: `key_id, user_id, name, scopes, prefix, created_at, last_used_at, expires_at, revoked_at`,
  json: ['scopes'],
  sortColumns,
  key: 'key_id',
});

const insertion = keys.insertionWith({ hash: '@hash' });

const holderColumns = `${keys.columnsOf('k')}, ${holderAccount}`;

export function apiKeyRepository(queries: Queries) {
  /** Locks the account first, as every transaction that revokes keys of it. */
  async function findHolder(where: string, parameters: SqlParameters) {
    const row = await queries.get<Row>(
      `SELECT ${holderColumns} FROM api_keys k JOIN users u ON u.id = k.user_id WHERE ${where}
       ${queries.dialect.lock('u', 'k')}`,
      parameters,
    );
    return row && keys.itemOf<ApiKeyHolder>(row);
  }

  return {
    /** @param hash SHA-256 of the key */
    async insert(key: ApiKeyRecord, hash: Uint8Array) {
      await queries.run(insertion, { ...keys.parametersOf(key), hash });
    },

    find: (keyId: string) => findHolder('k.key_id = @keyId', { keyId }),

    findByHash: (hash: Uint8Array) => findHolder('k.hash = @hash', { hash }),

    /** Lists keys that are not revoked. */
    list(request: OwnedPageRequest<typeof sortColumns>) {
      const { where, parameters } = matching({ user_id: request.userId });
      return keys.list(queries, request, { where: ['revoked_at IS NULL', ...where], parameters });
    },

    async revoke(keyId: string, now: number) {
      await queries.run('UPDATE api_keys SET revoked_at = @now WHERE key_id = @keyId', {
        keyId,
        now,
      });
    },

    /** Revokes every key of an account. */
    async revokeAll(userId: string, now: number) {
      await queries.run(
        'UPDATE api_keys SET revoked_at = @now WHERE user_id = @userId AND revoked_at IS NULL',
        { userId, now },
      );
    },

    /** Stores a use, unless one later than `unlessAfter` is stored. */
    async touch(keyId: string, now: number, unlessAfter: number) {
      await queries.run(
        `UPDATE api_keys SET last_used_at = @now
         WHERE key_id = @keyId AND (last_used_at IS NULL OR last_used_at <= @unlessAfter)`,
        { keyId, now, unlessAfter },
      );
    },
  };
}
