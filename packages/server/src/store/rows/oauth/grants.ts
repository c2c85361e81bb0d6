import type { Queries } from '../../driver.ts';
import { decode, type Row, Table } from '../../table.ts';
import { type HolderAccount, holderAccount } from '../accounts/users.ts';

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
export interface OAuthHolder extends HolderAccount {
  readonly clientId: string;
  readonly userId: string;
  readonly clientScopes: readonly string[];
  /** Whether the client can be used: it is not disabled, and its owner is not suspended. */
  readonly clientUsable: boolean;
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
  readonly credentialsVersion: number;
  readonly tokenRevoked: boolean;
}

/** Whether a client can be used. `k` is the client. */
const usable = `k.disabled = 0
  AND EXISTS (SELECT 1 FROM users o WHERE o.id = k.user_id AND o.status = 'active')`;

/** A client that acts as its owner. `k` is the client. */
const actsAsOwner = `${usable} AND k.grant_types LIKE '%"client_credentials"%'`;

const grants = `oauth_grants g JOIN consents c ON c.id = g.consent_id
  JOIN oauth_clients k ON k.id = g.client_id`;

/** @param now the parameter with the time. Without it, expiry is left to the sweeper. */
function isLive(now?: '@now'): string {
  const unexpired =
    now === undefined
      ? ''
      : `AND g.expires_at > ${now} AND (c.expires_at IS NULL OR c.expires_at > ${now})`;
  return `g.revoked_at IS NULL AND c.status = 'granted' ${unexpired} AND ${usable}`;
}

/**
 * Whether each of the tables lists the scope, or `admin:*` while the user is an administrator.
 *
 * @param scope an SQL expression
 * @param userId an SQL expression
 */
function allows(scope: string, userId: string, tables: readonly string[]): string {
  // Lists of scopes are JSON.
  const list = (of: string) =>
    tables.map((table) => `${table}.scopes LIKE '%"' || ${of} || '"%'`).join(' AND ');
  return `(${list(scope)} OR ${list("'admin:*'")}
    AND EXISTS (SELECT 1 FROM users a WHERE a.id = ${userId} AND a.role = 'admin'))`;
}

/**
 * The access of the app that made the rows of `table` is in force and has the scope, or they are of no app.
 *
 * @param scope an SQL expression
 * @param now the parameter with the time. Without it, expiry is left to the sweeper.
 */
export function underLiveAccess(table: string, scope: string, now?: '@now'): string {
  const id = `${table}.access_id`;
  return `(${id} IS NULL
    OR EXISTS (SELECT 1 FROM ${grants} WHERE g.id = ${id} AND ${isLive(now)}
      AND ${allows(scope, 'g.user_id', ['g', 'c', 'k'])})
    OR EXISTS (SELECT 1 FROM oauth_clients k WHERE k.id = ${id} AND ${actsAsOwner}
      AND ${allows(scope, 'k.user_id', ['k'])}))`;
}

/**
 * The app that made the rows of `table` may read what needs a scope, or they are of no app. Whether its access is in
 * force is `underLiveAccess`.
 *
 * @param scope an SQL expression
 */
export function accessReads(table: string, scope: string): string {
  const id = `${table}.access_id`;
  return `(${id} IS NULL
    OR EXISTS (SELECT 1 FROM ${grants} WHERE g.id = ${id} AND ${allows(scope, 'g.user_id', ['g', 'c', 'k'])})
    OR EXISTS (SELECT 1 FROM oauth_clients k WHERE k.id = ${id} AND ${allows(scope, 'k.user_id', ['k'])}))`;
}

const account = `u.id AS "userId", ${holderAccount}, k.id AS "clientId", k.scopes AS "clientScopes",
  CASE WHEN ${usable} THEN 1 ELSE 0 END AS "clientUsable"`;

const stored = new Table<OAuthGrantRecord>({
  name: 'oauth_grants',
  columns: 'id, client_id, user_id, consent_id, scopes, created_at, expires_at, revoked_at',
  json: ['scopes'],
});

const grant = `${stored.columnsOf('g')}, c.status AS "consentStatus",
  COALESCE(c.scopes, '[]') AS "consentScopes", c.expires_at AS "consentExpiresAt"`;

const grantForms = {
  flags: ['clientUsable'],
  json: ['scopes', 'clientScopes', 'consentScopes'],
} as const;

const clientForms = {
  flags: ['clientUsable', 'tokenRevoked'],
  json: ['clientScopes', 'grantTypes'],
} as const;

/**
 * The steps that remove what exists under ended grants. Each changes at most `limit` rows, and skips locked ones.
 * Webhooks keep the id of their grant: without the grant they stay inactive until their user chooses a URL.
 */
function endings({ among, lockFree }: Queries['dialect']): readonly string[] {
  return [
    `UPDATE shares SET is_active = 0, access_id = NULL WHERE id IN (
       SELECT id FROM shares WHERE ${among('access_id', 'ids')} LIMIT @limit ${lockFree()}
     )`,
    `DELETE FROM oauth_artifacts WHERE id_hash IN (
       SELECT id_hash FROM oauth_artifacts WHERE ${among('grant_id', 'ids')} LIMIT @limit ${lockFree()}
     )`,
  ];
}

/** Nothing is left under the grant: a row that was locked waits for the next sweep. */
const isEmpty = ['shares t WHERE t.access_id', 'oauth_artifacts t WHERE t.grant_id']
  .map((rows) => `NOT EXISTS (SELECT 1 FROM ${rows} = oauth_grants.id)`)
  .join(' AND ');

export function oauthGrantRepository(queries: Queries) {
  const revokeBy = (column: string) => async (value: string, now: number) => {
    await queries.run(
      `UPDATE oauth_grants SET revoked_at = @now WHERE ${column} = @value AND revoked_at IS NULL`,
      { value, now },
    );
  };

  return {
    insert: (granted: OAuthGrantRecord) => stored.insert(queries, granted),

    // The account first, and the consent before its grants, as in every transaction that ends them. The row of the
    // client is not locked: all users of an app would wait for each other.
    async findHolder(id: string) {
      const row = await queries.get<Row>(
        `SELECT ${account}, ${grant} FROM oauth_grants g JOIN users u ON u.id = g.user_id
           JOIN consents c ON c.id = g.consent_id JOIN oauth_clients k ON k.id = g.client_id
         WHERE g.id = @id ${queries.dialect.lock('u', 'c', 'g')}`,
        { id },
      );
      return row && decode<OAuthGrantHolder>(row, grantForms);
    },

    /** @param tokenHash the id of the artifact that exists when the token was revoked */
    async findClientHolder(clientId: string, tokenHash: Uint8Array) {
      const row = await queries.get<Row>(
        `SELECT ${account}, k.grant_types AS "grantTypes", k.credentials_version AS "credentialsVersion",
           (SELECT COUNT(*) FROM oauth_artifacts a WHERE a.id_hash = @tokenHash) AS "tokenRevoked"
         FROM oauth_clients k JOIN users u ON u.id = k.user_id WHERE k.id = @clientId
         ${queries.dialect.lock('u')}`,
        { clientId, tokenHash },
      );
      return row && decode<OAuthClientHolder>(row, clientForms);
    },

    /** Stores a later end. */
    async extend(id: string, expiresAt: number) {
      await queries.run(
        'UPDATE oauth_grants SET expires_at = @expiresAt WHERE id = @id AND expires_at < @expiresAt',
        { id, expiresAt },
      );
    },

    revoke: revokeBy('id'),

    /** Revokes every grant of an account. */
    revokeAll: revokeBy('user_id'),

    /** Revokes every grant under a consent. */
    revokeUnder: revokeBy('consent_id'),

    /** Revokes grants of a client. Returns their number; less than `limit` when none are left. */
    revokeOfClient: ({ clientId, now, limit }: { clientId: string; now: number; limit: number }) =>
      queries.run(
        `UPDATE oauth_grants SET revoked_at = @now WHERE id IN (
           SELECT id FROM oauth_grants WHERE client_id = @clientId AND revoked_at IS NULL
           LIMIT @limit
         )`,
        { clientId, now, limit },
      ),

    /** Returns those of the accesses, of grants or of clients that act as their owners, that are in force with a scope. */
    async findLive({ ids, scope, now }: { ids: readonly string[]; scope: string; now: number }) {
      const rows = await queries.all<{ id: string }>(
        `SELECT g.id AS id FROM ${grants} WHERE ${queries.dialect.among('g.id', 'ids')} AND ${isLive('@now')}
           AND ${allows('@scope', 'g.user_id', ['g', 'c', 'k'])}
         UNION ALL
         SELECT k.id FROM oauth_clients k WHERE ${queries.dialect.among('k.id', 'ids')} AND ${actsAsOwner}
           AND ${allows('@scope', 'k.user_id', ['k'])}`,
        { ids: JSON.stringify(ids), scope, now },
      );
      return rows.map(({ id }) => id);
    },

    /**
     * Removes grants that were revoked at or before `revokedBy`, or have expired. Before, it ends the shares that were
     * made under them, and removes their tokens.
     *
     * @returns the number of rows; less than `limit` when none are left, or the others are locked
     */
    async removeEnded({
      now,
      revokedBy,
      limit,
    }: {
      now: number;
      revokedBy: number;
      limit: number;
    }) {
      const revoked = await queries.all<{ id: string }>(
        `SELECT id FROM oauth_grants WHERE revoked_at IS NOT NULL AND revoked_at <= @revokedBy
         ORDER BY revoked_at LIMIT @limit ${queries.dialect.lockFree()}`,
        { revokedBy, limit },
      );
      const expired = await queries.all<{ id: string }>(
        `SELECT id FROM oauth_grants WHERE expires_at <= @now
         ORDER BY expires_at LIMIT @limit ${queries.dialect.lockFree()}`,
        { now, limit },
      );
      const ended = [...revoked, ...expired];
      if (ended.length === 0) return 0;
      const parameters = { ids: JSON.stringify(ended.map(({ id }) => id)), limit };
      for (const step of endings(queries.dialect)) {
        if ((await queries.run(step, parameters)) >= limit) return limit;
      }
      return queries.run(
        `DELETE FROM oauth_grants WHERE ${queries.dialect.among('id', 'ids')} AND ${isEmpty}`,
        parameters,
      );
    },
  };
}
