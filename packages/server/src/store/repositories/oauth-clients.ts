import type { Queries, SqlParameters } from '../driver.ts';
import { listRows, matching, type Rows, type SortedPageRequest } from '../lists/listing.ts';

/** An application that is registered for OAuth 2.0. */
export interface OAuthClientRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** Whether an administrator has confirmed who owns the client. */
  readonly verified: boolean;
  readonly type: 'confidential' | 'public';
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly tokenEndpointAuthMethod:
    | 'client_secret_basic'
    | 'client_secret_post'
    | 'private_key_jwt'
    | 'none';
  /** Public keys that verify the client's assertions. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null;
  readonly requirePar: boolean;
  readonly disabled: boolean;
  /** SHA-256 of the secret. Null: the client has none. */
  readonly secretHash: Uint8Array | null;
  /** SHA-256 of the secret before the last rotation. */
  readonly previousSecretHash: Uint8Array | null;
  readonly previousSecretUntil: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface OAuthClientRepository {
  insert(client: OAuthClientRecord): Promise<void>;
  find(id: string): Promise<OAuthClientRecord | undefined>;
  /** Whether a client is registered, disabled ones included. */
  exist(): Promise<boolean>;
  /** Lists clients. A null `userId` lists all accounts. */
  list(
    filter: SortedPageRequest<keyof typeof sortColumns> & { userId: string | null },
  ): Promise<Rows<OAuthClientRecord>>;
  /** Updates everything except owner, type, authentication method and createdAt. */
  save(client: OAuthClientRecord): Promise<void>;
  delete(id: string): Promise<void>;
  /**
   * Ends what the clients of an account authenticate with: removes their secrets, and disables clients that
   * authenticate with keys.
   */
  endCredentials(userId: string, now: number): Promise<void>;
  /** Forgets previous secrets that ended at or before `endedBy`. Returns their number. */
  forgetPrevious(secrets: { endedBy: number; limit: number }): Promise<number>;
}

const sortColumns = { createdAt: 'created_at', name: 'name' } as const;

const columns = `id, user_id AS "userId", name, verified, type, redirect_uris AS "redirectUris", scopes,
  grant_types AS "grantTypes", token_endpoint_auth_method AS "tokenEndpointAuthMethod", jwks,
  require_par AS "requirePar", disabled, secret_hash AS "secretHash",
  previous_secret_hash AS "previousSecretHash", previous_secret_until AS "previousSecretUntil",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

type Lists = 'redirectUris' | 'scopes' | 'grantTypes';
type Flags = 'verified' | 'requirePar' | 'disabled';

type Row = Omit<OAuthClientRecord, Lists | Flags | 'jwks'> &
  Readonly<Record<Lists, string>> &
  Readonly<Record<Flags, number>> & { readonly jwks: string | null };

function toRecord(row: Row): OAuthClientRecord {
  return {
    ...row,
    verified: row.verified === 1,
    redirectUris: JSON.parse(row.redirectUris),
    scopes: JSON.parse(row.scopes),
    grantTypes: JSON.parse(row.grantTypes),
    jwks: row.jwks && JSON.parse(row.jwks),
    requirePar: row.requirePar === 1,
    disabled: row.disabled === 1,
  };
}

function toParameters(client: OAuthClientRecord): SqlParameters {
  return {
    ...client,
    verified: client.verified ? 1 : 0,
    redirectUris: JSON.stringify(client.redirectUris),
    scopes: JSON.stringify(client.scopes),
    grantTypes: JSON.stringify(client.grantTypes),
    jwks: client.jwks && JSON.stringify(client.jwks),
    requirePar: client.requirePar ? 1 : 0,
    disabled: client.disabled ? 1 : 0,
  };
}

export function oauthClientRepository(queries: Queries): OAuthClientRepository {
  return {
    async insert(client) {
      await queries.run(
        `INSERT INTO oauth_clients (id, user_id, name, verified, type, redirect_uris, scopes, grant_types,
           token_endpoint_auth_method, jwks, require_par, disabled, secret_hash, previous_secret_hash,
           previous_secret_until, created_at, updated_at)
         VALUES (@id, @userId, @name, @verified, @type, @redirectUris, @scopes, @grantTypes,
           @tokenEndpointAuthMethod, @jwks, @requirePar, @disabled, @secretHash, @previousSecretHash,
           @previousSecretUntil, @createdAt, @updatedAt)`,
        toParameters(client),
      );
    },

    async find(id) {
      const row = await queries.get<Row>(
        `SELECT ${columns} FROM oauth_clients WHERE id = @id ${queries.dialect.lock()}`,
        { id },
      );
      return row && toRecord(row);
    },

    async exist() {
      const row = await queries.get<{ id: string }>('SELECT id FROM oauth_clients LIMIT 1');
      return row !== undefined;
    },

    async list({ userId, sortBy, sortOrder, page, pageSize }) {
      const { rows, totalCount } = await listRows<Row>(queries, {
        table: 'oauth_clients',
        columns,
        ...matching({ user_id: userId ?? undefined }),
        orderBy: sortColumns[sortBy],
        direction: sortOrder,
        page,
        pageSize,
      });
      return { rows: rows.map(toRecord), totalCount };
    },

    async save(client) {
      await queries.run(
        `UPDATE oauth_clients SET name = @name, verified = @verified, redirect_uris = @redirectUris,
           scopes = @scopes, grant_types = @grantTypes, jwks = @jwks, require_par = @requirePar,
           disabled = @disabled, secret_hash = @secretHash, previous_secret_hash = @previousSecretHash,
           previous_secret_until = @previousSecretUntil, updated_at = @updatedAt
         WHERE id = @id`,
        toParameters(client),
      );
    },

    async delete(id) {
      await queries.run('DELETE FROM oauth_clients WHERE id = @id', { id });
    },

    async endCredentials(userId, now) {
      await queries.run(
        `UPDATE oauth_clients SET secret_hash = NULL, previous_secret_hash = NULL, previous_secret_until = NULL,
           disabled = CASE token_endpoint_auth_method WHEN 'private_key_jwt' THEN 1 ELSE disabled END,
           updated_at = @now
         WHERE user_id = @userId AND type = 'confidential'`,
        { userId, now },
      );
    },

    forgetPrevious: ({ endedBy, limit }) =>
      queries.run(
        `UPDATE oauth_clients SET previous_secret_hash = NULL, previous_secret_until = NULL WHERE id IN (
           SELECT id FROM oauth_clients WHERE previous_secret_until <= @endedBy
           ORDER BY previous_secret_until LIMIT CAST(@limit AS INTEGER) ${queries.dialect.lockFree()}
         )`,
        { endedBy, limit },
      ),
  };
}
