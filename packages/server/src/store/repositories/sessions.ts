import type { Queries } from '../driver.ts';
import { listRows, type Rows, type SortedPageRequest } from '../lists/listing.ts';
import type { Tier } from './users.ts';

/** Where a session was used from. */
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

/** A session together with the account that it speaks for. */
export interface SessionHolder
  extends Pick<SessionRecord, 'userId' | 'lastUsedAt' | 'expiresAt' | 'endedAt'> {
  readonly sessionId: string;
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly tier: Tier;
  readonly status: 'active' | 'suspended';
  readonly instanceId: string;
}

export interface Sessions {
  insert(session: Omit<SessionRecord, 'endedAt'>): Promise<void>;
  find(id: string): Promise<SessionRecord | undefined>;
  findHolder(id: string): Promise<SessionHolder | undefined>;
  /** Sessions of an account that have neither ended nor expired by `now`. */
  list(
    filter: SortedPageRequest<keyof typeof sortColumns> & { userId: string; now: number },
  ): Promise<Rows<SessionRecord>>;
  /** Notes a use and moves the end of the session. */
  extend(id: string, use: SessionUse & { now: number; expiresAt: number }): Promise<void>;
  /** Notes a use, unless one later than `unlessAfter` is noted already. */
  touch(id: string, use: SessionUse & { now: number; unlessAfter: number }): Promise<void>;
  end(id: string, now: number): Promise<void>;
  /** Ends every session of an account but one; all of them with null. */
  endAll(userId: string, sessions: { except: string | null; now: number }): Promise<void>;
  /**
   * Removes sessions that expired at or before that moment and have no refresh token left; returns
   * how many.
   */
  removeExpired(sessions: { expiredBy: number; limit: number }): Promise<number>;
}

const sortColumns = { createdAt: 'created_at' } as const;

const columns = `id, user_id AS "userId", created_at AS "createdAt", last_used_at AS "lastUsedAt",
  expires_at AS "expiresAt", ip_address AS "ipAddress", user_agent AS "userAgent", ended_at AS "endedAt"`;

const holderColumns = `s.id AS "sessionId", s.user_id AS "userId", s.last_used_at AS "lastUsedAt",
  s.expires_at AS "expiresAt", s.ended_at AS "endedAt", u.email AS email, u.role AS role, u.tier AS tier,
  u.status AS status, u.instance_id AS "instanceId"`;

export function sessions(queries: Queries): Sessions {
  return {
    async insert(session) {
      await queries.run(
        `INSERT INTO sessions (id, user_id, created_at, last_used_at, expires_at, ip_address, user_agent)
         VALUES (@id, @userId, @createdAt, @lastUsedAt, @expiresAt, @ipAddress, @userAgent)`,
        { ...session },
      );
    },

    find: (id) =>
      queries.get<SessionRecord>(`SELECT ${columns} FROM sessions WHERE id = @id`, { id }),

    findHolder: (id) =>
      queries.get<SessionHolder>(
        `SELECT ${holderColumns} FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id IN (@id)`,
        { id },
      ),

    list: ({ userId, now, sortBy, sortOrder, page, pageSize }) =>
      listRows<SessionRecord>(queries, {
        table: 'sessions',
        columns,
        where: ['user_id IN (@userId)', 'ended_at IS NULL', 'expires_at > @now'],
        parameters: { userId, now },
        orderBy: sortColumns[sortBy],
        direction: sortOrder,
        page,
        pageSize,
      }),

    async extend(id, { now, expiresAt, ipAddress, userAgent }) {
      await queries.run(
        `UPDATE sessions SET last_used_at = @now, expires_at = @expiresAt, ip_address = @ipAddress,
           user_agent = @userAgent
         WHERE id = @id`,
        { id, now, expiresAt, ipAddress, userAgent },
      );
    },

    async touch(id, { now, unlessAfter, ipAddress, userAgent }) {
      await queries.run(
        `UPDATE sessions SET last_used_at = @now, ip_address = @ipAddress, user_agent = @userAgent
         WHERE id = @id AND last_used_at <= @unlessAfter`,
        { id, now, unlessAfter, ipAddress, userAgent },
      );
    },

    async end(id, now) {
      await queries.run('UPDATE sessions SET ended_at = @now WHERE id = @id AND ended_at IS NULL', {
        id,
        now,
      });
    },

    async endAll(userId, { except, now }) {
      await queries.run(
        `UPDATE sessions SET ended_at = @now
         WHERE user_id = @userId AND ended_at IS NULL AND id <> @except`,
        { userId, now, except: except ?? '' },
      );
    },

    removeExpired: ({ expiredBy, limit }) =>
      queries.run(
        `DELETE FROM sessions WHERE id IN (
           SELECT id FROM sessions s WHERE expires_at <= @expiredBy
             AND NOT EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.session_id = s.id)
           ORDER BY expires_at LIMIT CAST(@limit AS INTEGER)
         )`,
        { expiredBy, limit },
      ),
  };
}
