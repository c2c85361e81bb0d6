import type { Queries, SqlParameters } from '../../driver.ts';
import {
  listRows,
  mapRows,
  matching,
  orderAndPage,
  type SortedPageRequest,
} from '../../lists/listing.ts';

export interface ConsentRecord {
  readonly id: string;
  /** The account that gave the consent. */
  readonly userId: string;
  readonly purpose: string;
  readonly description: string | null;
  readonly grantedTo: string;
  readonly scopes: readonly string[] | null;
  /** Stays `granted` past the end until the expiry event is emitted. */
  readonly status: 'granted' | 'revoked' | 'expired';
  /** When it was granted or last renewed. */
  readonly grantedAt: number;
  /** Null: it does not expire. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly revocationReason: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The app that it gives access to. */
  readonly clientId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const sortColumns = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

const columns = `id, user_id AS "userId", purpose, description, granted_to AS "grantedTo", scopes, status,
  granted_at AS "grantedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
  revocation_reason AS "revocationReason", metadata,
  client_id AS "clientId", created_at AS "createdAt", updated_at AS "updatedAt"`;

type Row = Omit<ConsentRecord, 'scopes' | 'metadata'> & {
  readonly scopes: string | null;
  readonly metadata: string | null;
};

function toRecord(row: Row): ConsentRecord {
  return {
    ...row,
    scopes: row.scopes && JSON.parse(row.scopes),
    metadata: row.metadata && JSON.parse(row.metadata),
  };
}

function toParameters(consent: ConsentRecord): SqlParameters {
  return {
    ...consent,
    scopes: consent.scopes && JSON.stringify(consent.scopes),
    metadata: consent.metadata && JSON.stringify(consent.metadata),
  };
}

export function consentRepository(queries: Queries) {
  return {
    async insert(consent: ConsentRecord) {
      await queries.run(
        `INSERT INTO consents (id, user_id, purpose, description, granted_to, scopes, status, granted_at, expires_at,
           revoked_at, revocation_reason, metadata, client_id, created_at, updated_at)
         VALUES (@id, @userId, @purpose, @description, @grantedTo, @scopes, @status, @grantedAt, @expiresAt,
           @revokedAt, @revocationReason, @metadata, @clientId, @createdAt, @updatedAt)`,
        toParameters(consent),
      );
    },

    async find(id: string) {
      const row = await queries.get<Row>(
        `SELECT ${columns} FROM consents WHERE id = @id ${queries.dialect.lock()}`,
        { id },
      );
      return row && toRecord(row);
    },

    /** Lists consents. A null `userId` lists all accounts. */
    async list({
      userId,
      ...request
    }: SortedPageRequest<typeof sortColumns> & { userId: string | null }) {
      const list = await listRows<Row>(queries, {
        table: 'consents',
        columns,
        ...matching({ user_id: userId ?? undefined }),
        ...orderAndPage(request, sortColumns),
      });
      return mapRows(list, toRecord);
    },

    /** Returns granted consents with an end at or before `now`, the earliest end first. */
    async lapsed(now: number, limit: number) {
      const rows = await queries.all<Row>(
        `SELECT ${columns} FROM consents
         WHERE status = 'granted' AND expires_at IS NOT NULL AND expires_at <= @now
         ORDER BY expires_at, id LIMIT @limit ${queries.dialect.lockFree()}`,
        { now, limit },
      );
      return rows.map(toRecord);
    },

    /** Returns the granted consents of an account for an app that have not ended by `now`, the newest first. */
    async liveOfClient(consent: { userId: string; clientId: string; now: number }) {
      const rows = await queries.all<Row>(
        `SELECT ${columns} FROM consents
         WHERE user_id = @userId AND client_id = @clientId AND status = 'granted'
           AND (expires_at IS NULL OR expires_at > @now)
         ORDER BY created_at DESC, id DESC LIMIT 50 ${queries.dialect.lock()}`,
        consent,
      );
      return rows.map(toRecord);
    },

    /** Returns the granted consents of an account for apps that have not ended by `now`. */
    async liveOfApps(userId: string, now: number) {
      const rows = await queries.all<Row>(
        `SELECT ${columns} FROM consents
         WHERE user_id = @userId AND client_id IS NOT NULL AND status = 'granted'
           AND (expires_at IS NULL OR expires_at > @now)
         ORDER BY created_at, id ${queries.dialect.lock()}`,
        { userId, now },
      );
      return rows.map(toRecord);
    },

    /** Returns consents for an app that are stored as granted. */
    async ofClient(clientId: string, limit: number) {
      const rows = await queries.all<Row>(
        `SELECT ${columns} FROM consents WHERE client_id = @clientId AND status = 'granted'
         LIMIT @limit ${queries.dialect.lock()}`,
        { clientId, limit },
      );
      return rows.map(toRecord);
    },

    /** Updates status, end, description, metadata and updatedAt. */
    async save(consent: ConsentRecord) {
      await queries.run(
        `UPDATE consents SET status = @status, granted_at = @grantedAt, expires_at = @expiresAt,
           revoked_at = @revokedAt, revocation_reason = @revocationReason, description = @description,
           metadata = @metadata, updated_at = @updatedAt
         WHERE id = @id`,
        toParameters(consent),
      );
    },
  };
}
