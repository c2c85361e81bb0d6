import type { Queries } from '../../driver.ts';
import { matching, type OwnedPageRequest } from '../../lists/listing.ts';
import { Table } from '../../table.ts';

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

const consents = new Table<ConsentRecord, typeof sortColumns>({
  name: 'consents',
  columns: `id, user_id, purpose, description, granted_to, scopes, status, granted_at, expires_at, revoked_at,
    revocation_reason, metadata, client_id, created_at, updated_at`,
  json: ['scopes', 'metadata'],
  sortColumns,
});

const changes = consents.update(
  'status, granted_at, expires_at, revoked_at, revocation_reason, description, metadata, updated_at',
);

export function consentRepository(queries: Queries) {
  return {
    insert: (consent: ConsentRecord) => consents.insert(queries, consent),

    find: (id: string) => consents.find(queries, id),

    list: (request: OwnedPageRequest<typeof sortColumns>) =>
      consents.list(queries, request, matching({ user_id: request.userId })),

    /** Returns granted consents with an end at or before `now`, the earliest end first. */
    lapsed: (now: number, limit: number) =>
      consents.all(
        queries,
        `status = 'granted' AND expires_at IS NOT NULL AND expires_at <= @now
         ORDER BY expires_at, id LIMIT @limit ${queries.dialect.lockFree()}`,
        { now, limit },
      ),

    /** Returns the granted consents of an account for an app that have not ended by `now`, the newest first. */
    liveOfClient: (consent: { userId: string; clientId: string; now: number }) =>
      consents.all(
        queries,
        `user_id = @userId AND client_id = @clientId AND status = 'granted'
           AND (expires_at IS NULL OR expires_at > @now)
         ORDER BY created_at DESC, id DESC LIMIT 50 ${queries.dialect.lock()}`,
        consent,
      ),

    /** Returns the granted consents of an account for apps that have not ended by `now`. */
    liveOfApps: (userId: string, now: number) =>
      consents.all(
        queries,
        `user_id = @userId AND client_id IS NOT NULL AND status = 'granted'
           AND (expires_at IS NULL OR expires_at > @now)
         ORDER BY created_at, id ${queries.dialect.lock()}`,
        { userId, now },
      ),

    /** Returns consents for an app that are stored as granted. */
    ofClient: (clientId: string, limit: number) =>
      consents.all(
        queries,
        `client_id = @clientId AND status = 'granted' LIMIT @limit ${queries.dialect.lock()}`,
        { clientId, limit },
      ),

    /** Updates status, grantedAt, expiresAt, revokedAt, revocationReason, description, metadata and updatedAt. */
    async save(consent: ConsentRecord) {
      await queries.run(changes, consents.parametersOf(consent));
    },
  };
}
