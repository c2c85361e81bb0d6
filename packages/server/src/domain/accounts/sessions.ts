import { invalidRefreshToken } from '../../generated/rules/credentials.ts';
import { notFound } from '../../generated/rules/errors.ts';
import type {
  SessionRecord,
  SessionToken,
  SessionUse,
} from '../../store/rows/accounts/sessions.ts';
import type { UserRecord } from '../../store/rows/accounts/users.ts';
import type { Repositories } from '../../store/store.ts';
import type { Actor, Visitor } from '../actor.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import { type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { deriveToken, digest, randomToken } from './secrets.ts';

type Session = Shape<'Session'>;

export type Sessions = ReturnType<typeof createSessions>;

/** The caller's own sessions. Administrators also see and end only their own. */
export function createSessions({
  store,
  work,
  clock,
}: Pick<ServiceOptions, 'store' | 'work' | 'clock'>) {
  async function list(actor: Actor, query: ListQuery<'createdAt'>): Promise<Page<Session>> {
    const { userId, sessionId } = actor;
    const rows = await store.sessions.list({ ...inOrder(query), userId, now: clock.now() });
    return toPage(rows, query, (session) => presentSession(session, sessionId));
  }

  /**
   * Ends one session. Its access and refresh tokens are invalid at once. The caller's own one is a logout, which
   * also ends the account's sign-ins on the pages of OAuth.
   */
  function end(actor: Actor, id: string): Promise<void> {
    return work(actor, async (tx) => {
      const now = clock.now();
      const session = await tx.sessions.find(id);
      const isLive = session && session.endedAt === null && session.expiresAt > now;
      if (!isLive || session.userId !== actor.userId) throw notFound('session', { id });
      await tx.sessions.end(id, now);
      if (id === actor.sessionId) await tx.sessions.endOnPages(actor.userId, now);
    });
  }

  /** Ends every session of the account except the caller's. */
  function endOthers(actor: Actor): Promise<void> {
    return work(actor, (tx) =>
      tx.sessions.endAll(actor.userId, { except: actor.sessionId, now: clock.now() }),
    );
  }

  return { list, end, endOthers };
}

/** Returns the part of a request that its session stores. */
export function useOf({ ipAddress, userAgent }: Visitor): SessionUse {
  return { ipAddress, userAgent };
}

function presentSession(session: SessionRecord, current: string | null): Session {
  return {
    id: session.id,
    createdAt: timestamp(session.createdAt),
    lastUsedAt: timestamp(session.lastUsedAt),
    expiresAt: timestamp(session.expiresAt),
    ipAddress: session.ipAddress,
    userAgent: session.userAgent,
    current: session.id === current,
  };
}

const hour = 60 * 60 * 1000;

/** Lifetime of a refresh token: 30 days, in milliseconds. */
const lifetime = 30 * 24 * hour;

/** Lifetime of a sign-in on the pages of OAuth, in milliseconds: a working day. It is never prolonged. */
export const pageSignInLifetime = 8 * hour;

/** Sessions of an account. Ending all of them is one statement. */
export const maxSessions = 500;

/**
 * How long a rotated token still returns its successor, in milliseconds. A lost response and a
 * second browser tab must not end the session.
 */
const reuseGrace = 10_000;

export interface TokenRotation {
  /** The successor of the token. */
  readonly token: string;
  readonly sessionId: string;
  readonly user: UserRecord;
}

export interface NewSession {
  readonly id: string;
  readonly userId: string;
}

interface SessionStart {
  readonly visitor: Visitor;
  readonly now: number;
  /** Milliseconds. */
  readonly lifetime: number;
}

/** Starts a session without tokens. Above 500 sessions of an account, the oldest one ends. */
export async function startSession(
  tx: Repositories,
  session: NewSession,
  { visitor, now, lifetime }: SessionStart,
): Promise<void> {
  const times = { createdAt: now, lastUsedAt: now, expiresAt: now + lifetime };
  await tx.sessions.insert({ ...session, ...times, ...useOf(visitor) }, maxSessions);
}

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

export function createRefreshTokens({ store, clock }: Pick<ServiceOptions, 'store' | 'clock'>) {
  /** @param now one reading of the clock with the session's own times, because both expire together */
  function insert(tx: Repositories, token: string, sessionId: string, now: number) {
    const hash = digest(token);
    return tx.refreshTokens.insert({ hash, sessionId, createdAt: now, expiresAt: now + lifetime });
  }

  function judge(record: SessionToken | undefined): 'invalid' | 'reused' | 'rotated' | 'current' {
    const now = clock.now();
    if (!record || record.endedAt !== null || record.expiresAt <= now) return 'invalid';
    if (record.rotatedAt === null) return 'current';
    return now - record.rotatedAt <= reuseGrace ? 'rotated' : 'reused';
  }

  return {
    /** Starts a session for this account and returns its first token. Above 500 sessions, the oldest one ends. */
    async start(tx: Repositories, session: NewSession, visitor: Visitor): Promise<string> {
      const now = clock.now();
      await startSession(tx, session, { visitor, now, lifetime });
      const token = randomToken();
      await insert(tx, token, session.id, now);
      return token;
    },

    /**
     * Exchanges a token for its successor. A token that was exchanged more than 10 s ago was stolen or
     * lost: its session ends at once. `admit` may reject the account by throwing; the token then stays
     * valid.
     *
     * @throws ServiceError INVALID_TOKEN
     */
    async rotate(
      visitor: Visitor,
      token: string,
      admit: (user: UserRecord) => void,
    ): Promise<TokenRotation> {
      const rotated = await store.transaction(async (tx) => {
        const record = await tx.refreshTokens.find(digest(token));
        const verdict = judge(record);
        if (!record || verdict === 'invalid') return undefined;
        const { sessionId, userId, hash } = record;
        const now = clock.now();
        if (verdict === 'reused') {
          // Returned rather than thrown: the end of the session has to be committed.
          await tx.sessions.end(sessionId, now);
          return undefined;
        }
        const user = await tx.users.find(userId);
        if (!user) return undefined;
        admit(user);
        const secret = await tx.signingKeys.secret('refresh-tokens', () =>
          Buffer.from(randomToken()),
        );
        const successor = deriveToken(token, secret);
        if (verdict === 'current') {
          await tx.refreshTokens.markRotated(hash, now);
          await insert(tx, successor, sessionId, now);
          const expiresAt = now + lifetime;
          await tx.sessions.extend(sessionId, { now, expiresAt, ...useOf(visitor) });
        }
        return { token: successor, sessionId, user };
      });
      if (!rotated) {
        throw invalidRefreshToken();
      }
      return rotated;
    },

    /**
     * Ends the session of a token, and the account's sign-ins on the pages of OAuth: the same browser may have one.
     * Does nothing for an unknown token.
     */
    async revoke(token: string): Promise<void> {
      await store.transaction(async (tx) => {
        const record = await tx.refreshTokens.find(digest(token));
        if (!record) return;
        const now = clock.now();
        await tx.sessions.end(record.sessionId, now);
        await tx.sessions.endOnPages(record.userId, now);
      });
    },
  };
}
