import type { Queries } from '../../driver.ts';
import { matching, type OwnedPageRequest } from '../../lists/listing.ts';
import { type Row, Table } from '../../table.ts';
import type { Tier } from '../accounts/users.ts';

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
  /** Whether an administrator has disabled it. Its owner cannot enable it then. */
  readonly locked: boolean;
  /** SHA-256 of the secret. Null: the client has none. */
  readonly secretHash: Uint8Array | null;
  /** SHA-256 of the secret before the last rotation. */
  readonly previousSecretHash: Uint8Array | null;
  readonly previousSecretUntil: number | null;
  /** Increases with `endCredentials`. Tokens of client credentials contain it. */
  readonly credentialsVersion: number;
  /** When its name or its redirect URIs changed. */
  readonly identityChangedAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A client with the tier of its owner. */
export interface OwnedClient extends OAuthClientRecord {
  readonly ownerTier: Tier;
}

const sortColumns = { createdAt: 'created_at', name: 'name' } as const;

const clients = new Table<OAuthClientRecord, typeof sortColumns>({
  name: 'oauth_clients',
  columns: `id, user_id, name, verified, type, redirect_uris, scopes, grant_types, token_endpoint_auth_method,
    jwks, require_par, disabled, locked, secret_hash, previous_secret_hash, previous_secret_until,
    credentials_version, identity_changed_at, created_at, updated_at`,
  flags: ['verified', 'requirePar', 'disabled', 'locked'],
  json: ['redirectUris', 'scopes', 'grantTypes', 'jwks'],
  sortColumns,
});

const changes = clients.update(
  `name, verified, redirect_uris, scopes, grant_types, jwks, require_par, disabled, locked, secret_hash,
   previous_secret_hash, previous_secret_until, identity_changed_at, updated_at`,
);

export function oauthClientRepository(queries: Queries) {
  return {
    insert: (client: OAuthClientRecord) => clients.insert(queries, client),

    find: (id: string) => clients.find(queries, id),

    /**
     * Returns a client that is not disabled and whose owner is not suspended. Inside a transaction, no other one deletes it
     * before the transaction ends.
     */
    async findUsable(id: string) {
      const row = await queries.get<Row>(
        `SELECT ${clients.columns}, (SELECT tier FROM users u WHERE u.id = oauth_clients.user_id) AS "ownerTier"
         FROM oauth_clients WHERE id = @id AND disabled = 0
           AND EXISTS (SELECT 1 FROM users u WHERE u.id = oauth_clients.user_id AND u.status = 'active')
         ${queries.dialect.keep()}`,
        { id },
      );
      return row && clients.itemOf<OwnedClient>(row);
    },

    /** Whether a client is registered, disabled ones included. */
    async exist() {
      const row = await queries.get<{ id: string }>('SELECT id FROM oauth_clients LIMIT 1');
      return row !== undefined;
    },

    list: (request: OwnedPageRequest<typeof sortColumns>) =>
      clients.list(queries, request, matching({ user_id: request.userId })),

    /** Updates everything except owner, type, authentication method, credentialsVersion and createdAt. */
    async save(client: OAuthClientRecord) {
      await queries.run(changes, clients.parametersOf(client));
    },

    async delete(id: string) {
      await queries.run('DELETE FROM oauth_clients WHERE id = @id', { id });
    },

    /**
     * Ends what the clients of an account authenticate with: removes their secrets, disables clients that
     * authenticate with keys, and ends their tokens of client credentials.
     */
    async endCredentials(userId: string, now: number) {
      await queries.run(
        `UPDATE oauth_clients SET secret_hash = NULL, previous_secret_hash = NULL, previous_secret_until = NULL,
           disabled = CASE token_endpoint_auth_method WHEN 'private_key_jwt' THEN 1 ELSE disabled END,
           credentials_version = credentials_version + 1, updated_at = @now
         WHERE user_id = @userId AND type = 'confidential'`,
        { userId, now },
      );
    },

    /** Forgets previous secrets that ended at or before `endedBy`. Returns their number. */
    forgetPrevious: ({ endedBy, limit }: { endedBy: number; limit: number }) =>
      queries.run(
        `UPDATE oauth_clients SET previous_secret_hash = NULL, previous_secret_until = NULL WHERE id IN (
           SELECT id FROM oauth_clients WHERE previous_secret_until <= @endedBy
           ORDER BY previous_secret_until LIMIT @limit ${queries.dialect.lockFree()}
         )`,
        { endedBy, limit },
      ),

    /** Returns a deleted client whose consents, grants and shares wait to be ended. */
    async firstErasure() {
      const row = await queries.get<{ clientId: string }>(
        `SELECT client_id AS "clientId" FROM oauth_client_erasures ORDER BY client_id LIMIT 1
         ${queries.dialect.lockFree()}`,
      );
      return row?.clientId;
    },

    /** Ends shares that a deleted client made as its owner. Returns their number. */
    endShares: ({ clientId, limit }: { clientId: string; limit: number }) =>
      queries.run(
        `UPDATE shares SET is_active = 0, access_id = NULL WHERE id IN (
           SELECT id FROM shares WHERE access_id = @clientId LIMIT @limit ${queries.dialect.lockFree()}
         )`,
        { clientId, limit },
      ),

    /** Ends the erasure of a client. */
    async endErasure(clientId: string) {
      await queries.run('DELETE FROM oauth_client_erasures WHERE client_id = @clientId', {
        clientId,
      });
    },
  };
}
