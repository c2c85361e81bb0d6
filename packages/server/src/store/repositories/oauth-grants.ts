import type { Queries } from '../driver.ts';
import type { Tier } from './users.ts';

/** The access of one sign-in of an app. Several devices of an app are several grants under one consent. */
export interface OAuthGrantRecord {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly consentId: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  /** When its newest refresh token expires. */
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

/** The account that a token acts for, with everything that limits the token. */
export interface OAuthHolder {
  readonly clientId: string;
  readonly userId: string;
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly tier: Tier;
  readonly status: 'active' | 'suspended';
  readonly instanceId: string;
  readonly clientScopes: readonly string[];
  readonly clientDisabled: boolean;
}

/** A grant with its account, consent and client. */
export interface OAuthGrantHolder extends OAuthHolder, OAuthGrantRecord {
  readonly consentStatus: 'granted' | 'revoked' | 'expired';
  readonly consentScopes: readonly string[];
  readonly consentExpiresAt: number | null;
}

/** A client that acts for its owner. */
export interface OAuthClientHolder extends OAuthHolder {
  readonly grantTypes: readonly string[];
  readonly tokenRevoked: boolean;
}

export interface OAuthGrantRepository {
  insert(grant: OAuthGrantRecord): Promise<void>;
  findHolder(id: string): Promise<OAuthGrantHolder | undefined>;
  /** @param tokenHash the id of the artifact that exists when the token was revoked */
  findClientHolder(clientId: string, tokenHash: Uint8Array): Promise<OAuthClientHolder | undefined>;
  /** Stores a later end. */
  extend(id: string, expiresAt: number): Promise<void>;
  revoke(id: string, now: number): Promise<void>;
  /** Revokes every grant of an account. */
  revokeAll(userId: string, now: number): Promise<void>;
  /** Deletes grants that expired at or before `expiredBy`. Returns their number. */
  removeExpired(grants: { expiredBy: number; limit: number }): Promise<number>;
}

const account = `u.id AS "userId", u.email AS email, u.role AS role, u.tier AS tier, u.status AS status,
  u.instance_id AS "instanceId", k.id AS "clientId", k.scopes AS "clientScopes",
  k.disabled AS "clientDisabled"`;

const grant = `g.id AS id, g.consent_id AS "consentId", g.scopes AS scopes, g.created_at AS "createdAt",
  g.expires_at AS "expiresAt", g.revoked_at AS "revokedAt", c.status AS "consentStatus",
  c.scopes AS "consentScopes", c.expires_at AS "consentExpiresAt"`;

/** A row with its lists as JSON and its flags as 0 or 1. */
type Stored<Holder> = {
  readonly [Name in keyof Holder]: Holder[Name] extends readonly string[]
    ? string | null
    : Holder[Name] extends boolean
      ? number
      : Holder[Name];
};

const list = (json: string | null): string[] => (json === null ? [] : JSON.parse(json));

export function oauthGrantRepository(queries: Queries): OAuthGrantRepository {
  return {
    async insert(grant) {
      await queries.run(
        `INSERT INTO oauth_grants (id, client_id, user_id, consent_id, scopes, created_at, expires_at, revoked_at)
         VALUES (@id, @clientId, @userId, @consentId, @scopes, @createdAt, @expiresAt, @revokedAt)`,
        { ...grant, scopes: JSON.stringify(grant.scopes) },
      );
    },

    // The row of the client is not locked: all users of an app would wait for each other.
    async findHolder(id) {
      const row = await queries.get<Stored<OAuthGrantHolder>>(
        `SELECT ${account}, ${grant} FROM oauth_grants g JOIN users u ON u.id = g.user_id
           JOIN consents c ON c.id = g.consent_id JOIN oauth_clients k ON k.id = g.client_id
         WHERE g.id IN (@id) ${queries.dialect.lock('g', 'u', 'c')}`,
        { id },
      );
      if (!row) return undefined;
      return {
        ...row,
        scopes: list(row.scopes),
        clientScopes: list(row.clientScopes),
        consentScopes: list(row.consentScopes),
        clientDisabled: row.clientDisabled === 1,
      };
    },

    async findClientHolder(clientId, tokenHash) {
      const row = await queries.get<Stored<OAuthClientHolder>>(
        `SELECT ${account}, k.grant_types AS "grantTypes",
           (SELECT COUNT(*) FROM oauth_artifacts a WHERE a.id_hash = @tokenHash) AS "tokenRevoked"
         FROM oauth_clients k JOIN users u ON u.id = k.user_id WHERE k.id IN (@clientId)
         ${queries.dialect.lock('u')}`,
        { clientId, tokenHash },
      );
      if (!row) return undefined;
      return {
        ...row,
        clientScopes: list(row.clientScopes),
        grantTypes: list(row.grantTypes),
        clientDisabled: row.clientDisabled === 1,
        tokenRevoked: row.tokenRevoked > 0,
      };
    },

    async extend(id, expiresAt) {
      await queries.run(
        'UPDATE oauth_grants SET expires_at = @expiresAt WHERE id = @id AND expires_at < @expiresAt',
        { id, expiresAt },
      );
    },

    async revoke(id, now) {
      await queries.run(
        'UPDATE oauth_grants SET revoked_at = @now WHERE id = @id AND revoked_at IS NULL',
        { id, now },
      );
    },

    async revokeAll(userId, now) {
      await queries.run(
        'UPDATE oauth_grants SET revoked_at = @now WHERE user_id = @userId AND revoked_at IS NULL',
        { userId, now },
      );
    },

    removeExpired: ({ expiredBy, limit }) =>
      queries.run(
        `DELETE FROM oauth_grants WHERE id IN (
           SELECT id FROM oauth_grants WHERE expires_at <= @expiredBy
           ORDER BY expires_at LIMIT CAST(@limit AS INTEGER) ${queries.dialect.lockFree()}
         )`,
        { expiredBy, limit },
      ),
  };
}
