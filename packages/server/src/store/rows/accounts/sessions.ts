import type { Queries } from '../../driver.ts';
import type { SortedPageRequest } from '../../lists/listing.ts';
import { Table } from '../../table.ts';
import { type HolderAccount, holderAccount } from './users.ts';

/** From where a session was used. */
export interface SessionUse {
  readonly ipAddress: string;
  readonly userAgent: string | null;
}

export interface SessionRecord extends SessionUse {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** When its newest refresh token expires. */
  readonly expiresAt: number;
  readonly endedAt: number | null;
}

/** A session with its account. */
export interface SessionHolder
  extends HolderAccount,
    Pick<SessionRecord, 'userId' | 'lastUsedAt' | 'expiresAt' | 'endedAt'> {
  readonly sessionId: string;
}

const sortColumns = { createdAt: 'created_at' } as const;

const sessions = new Table<SessionRecord, typeof sortColumns>({
  name: 'sessions',
  columns: 'id, user_id, created_at, last_used_at, expires_at, ip_address, user_agent, ended_at',
  sortColumns,
});

const holderColumns = `s.id AS "sessionId", s.user_id AS "userId", s.last_used_at AS "lastUsedAt",
  s.expires_at AS "expiresAt", s.ended_at AS "endedAt", ${holderAccount}`;

export function sessionRepository(queries: Queries) {
  return {
    /** Also ends the oldest session of the account, when there are more than `limit`. */
    async insert(session: Omit<SessionRecord, 'endedAt'>, limit: number) {
      await sessions.insert(queries, { ...session, endedAt: null });
      // A login adds one session, so at most one has to end.
      const { userId, createdAt: now } = session;
      await queries.run(
        `UPDATE sessions SET ended_at = @now WHERE id IN (
           SELECT id FROM sessions WHERE user_id = @userId AND ended_at IS NULL
           ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET @limit
         )`,
        { userId, now, limit },
      );
    },

    find: (id: string) => sessions.find(queries, id),

    // The account first, as in every transaction that ends sessions of it.
    findHolder: (id: string) =>
      queries.get<SessionHolder>(
        `SELECT ${holderColumns} FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = @id
         ${queries.dialect.lock('u', 's')}`,
        { id },
      ),

    /** Lists sessions that have neither ended nor expired by `now`. */
    list: ({
      userId,
      now,
      ...request
    }: SortedPageRequest<typeof sortColumns> & { userId: string; now: number }) =>
      sessions.list(queries, request, {
        where: ['user_id = @userId', 'ended_at IS NULL', 'expires_at > @now'],
        parameters: { userId, now },
      }),

    /** Stores a use and a later end. */
    async extend(
      id: string,
      { now, expiresAt, ipAddress, userAgent }: SessionUse & { now: number; expiresAt: number },
    ) {
      await queries.run(
        `UPDATE sessions SET last_used_at = @now, expires_at = @expiresAt, ip_address = @ipAddress,
           user_agent = @userAgent
         WHERE id = @id`,
        { id, now, expiresAt, ipAddress, userAgent },
      );
    },

    /** Stores a use, unless one later than `unlessAfter` is stored. */
    async touch(
      id: string,
      { now, unlessAfter, ipAddress, userAgent }: SessionUse & { now: number; unlessAfter: number },
    ) {
      await queries.run(
        `UPDATE sessions SET last_used_at = @now, ip_address = @ipAddress, user_agent = @userAgent
         WHERE id = @id AND last_used_at <= @unlessAfter`,
        { id, now, unlessAfter, ipAddress, userAgent },
      );
    },

    async end(id: string, now: number) {
      await queries.run('UPDATE sessions SET ended_at = @now WHERE id = @id AND ended_at IS NULL', {
        id,
        now,
      });
    },

    /** Ends the sessions of an account without tokens: its sign-ins on the pages of OAuth. */
    async endOnPages(userId: string, now: number) {
      await queries.run(
        `UPDATE sessions SET ended_at = @now WHERE user_id = @userId AND ended_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.session_id = sessions.id)`,
        { userId, now },
      );
    },

    /** Ends all sessions of an account except one; null: all. */
    async endAll(userId: string, { except, now }: { except: string | null; now: number }) {
      await queries.run(
        `UPDATE sessions SET ended_at = @now
         WHERE user_id = @userId AND ended_at IS NULL AND id <> @except`,
        { userId, now, except: except ?? '' },
      );
    },
  };
}

export interface RefreshTokenRecord {
  /** SHA-256 of the token. */
  readonly hash: Uint8Array;
  readonly sessionId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly rotatedAt: number | null;
}

/** A token with its session. */
export interface SessionToken extends RefreshTokenRecord {
  readonly userId: string;
  /** When the session ended. */
  readonly endedAt: number | null;
}

export function refreshTokenRepository(queries: Queries) {
  return {
    async insert(token: Omit<RefreshTokenRecord, 'rotatedAt'>) {
      await queries.run(
        `INSERT INTO refresh_tokens (hash, session_id, created_at, expires_at)
         VALUES (@hash, @sessionId, @createdAt, @expiresAt)`,
        { ...token },
      );
    },

    find: (hash: Uint8Array) =>
      queries.get<SessionToken>(
        `SELECT t.hash AS hash, t.session_id AS "sessionId", t.created_at AS "createdAt",
           t.expires_at AS "expiresAt", t.rotated_at AS "rotatedAt", s.user_id AS "userId",
           s.ended_at AS "endedAt"
         FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
         WHERE t.hash = @hash ${queries.dialect.lock('u', 's', 't')}`,
        { hash },
      ),

    async markRotated(hash: Uint8Array, now: number) {
      await queries.run('UPDATE refresh_tokens SET rotated_at = @now WHERE hash = @hash', {
        hash,
        now,
      });
    },
  };
}

/** Maximum number of networks per account; the latest logins count. */
const maxPlaces = 100;

export type LoginPlaceRepository = ReturnType<typeof loginPlaceRepository>;

/** The networks that accounts have signed in from. */
export function loginPlaceRepository(queries: Queries) {
  return {
    /** Whether an account has signed in from a network. Takes equally long for an unknown account. */
    async isKnown(userId: string, network: string) {
      const row = await queries.get(
        'SELECT 1 FROM login_places WHERE user_id = @userId AND network = @network',
        { userId, network },
      );
      return row !== undefined;
    },

    /** Stores a login. */
    async note(userId: string, network: string, now: number) {
      await queries.run(
        `INSERT INTO login_places (user_id, network, last_login_at) VALUES (@userId, @network, @now)
         ON CONFLICT (user_id, network) DO UPDATE SET last_login_at = excluded.last_login_at`,
        { userId, network, now },
      );
      // A login adds at most one row, so at most one has to be deleted.
      await queries.run(
        `DELETE FROM login_places WHERE user_id = @userId AND network IN (
           SELECT network FROM login_places WHERE user_id = @userId
           ORDER BY last_login_at DESC, network LIMIT 1 OFFSET ${maxPlaces}
         )`,
        { userId },
      );
    },
  };
}
