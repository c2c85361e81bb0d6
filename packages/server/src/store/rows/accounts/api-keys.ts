import type { Queries, SqlParameters } from '../../driver.ts';
import {
  listRows,
  mapRows,
  matching,
  orderAndPage,
  type SortedPageRequest,
} from '../../lists/listing.ts';
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

const columns = `key_id AS "keyId", user_id AS "userId", name, scopes, prefix, created_at AS "createdAt",
  last_used_at AS "lastUsedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt"`;

const holderColumns = `k.key_id AS "keyId", k.user_id AS "userId", k.name AS name, k.scopes AS scopes,
  k.prefix AS prefix, k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt",
  k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", ${holderAccount}`;

type Stored<Key extends ApiKeyRecord> = Omit<Key, 'scopes'> & { readonly scopes: string };

function toRecord<Key extends ApiKeyRecord>(row: Stored<Key>): Omit<Key, 'scopes'> & ApiKeyRecord {
  return { ...row, scopes: JSON.parse(row.scopes) } as Omit<Key, 'scopes'> & ApiKeyRecord;
}

export function apiKeyRepository(queries: Queries) {
  /** Locks the account first, as every transaction that revokes keys of it. */
  async function findHolder(where: string, parameters: SqlParameters) {
    const row = await queries.get<Stored<ApiKeyHolder>>(
      `SELECT ${holderColumns} FROM api_keys k JOIN users u ON u.id = k.user_id WHERE ${where}
       ${queries.dialect.lock('u', 'k')}`,
      parameters,
    );
    return row && toRecord<ApiKeyHolder>(row);
  }

  return {
    /** @param hash SHA-256 of the key */
    async insert(key: ApiKeyRecord, hash: Uint8Array) {
      await queries.run(
        `INSERT INTO api_keys (key_id, user_id, name, hash, prefix, scopes, created_at, last_used_at,
           expires_at, revoked_at)
         VALUES (@keyId, @userId, @name, @hash, @prefix, @scopes, @createdAt, @lastUsedAt, @expiresAt,
           @revokedAt)`,
        { ...key, hash, scopes: JSON.stringify(key.scopes) },
      );
    },

    find: (keyId: string) => findHolder('k.key_id = @keyId', { keyId }),

    findByHash: (hash: Uint8Array) => findHolder('k.hash = @hash', { hash }),

    /** Lists keys that are not revoked. A null `userId` lists all accounts. */
    async list({
      userId,
      ...request
    }: SortedPageRequest<typeof sortColumns> & { userId: string | null }) {
      const { where, parameters } = matching({ user_id: userId ?? undefined });
      const list = await listRows<Stored<ApiKeyRecord>>(queries, {
        table: 'api_keys',
        columns,
        where: ['revoked_at IS NULL', ...where],
        parameters,
        key: 'key_id',
        ...orderAndPage(request, sortColumns),
      });
      return mapRows(list, (row) => toRecord<ApiKeyRecord>(row));
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
