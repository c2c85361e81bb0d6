import type { Clock } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import type { SessionRecord, SessionUse } from '../../store/repositories/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { Actor, Visitor } from '../actor.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import { type Shape, timestamp } from '../shapes.ts';
import type { UnitOfWork } from '../unit-of-work.ts';

type Session = Shape<'Session'>;

export interface SessionsOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Maximum length of a stored User-Agent, in UTF-16 code units. */
const maxUserAgent = 512;

/** The caller's own sessions. Administrators too see and end only their own. */
export function createSessions({ store, work, clock }: SessionsOptions) {
  async function list(actor: Actor, query: ListQuery<'createdAt'>): Promise<Page<Session>> {
    const { userId, sessionId } = actor;
    const rows = await store.sessions.list({ ...inOrder(query), userId, now: clock.now() });
    return toPage(rows, query, (session) => presentSession(session, sessionId));
  }

  /** Ends one session, also the caller's: its access and refresh tokens are invalid at once. */
  function end(actor: Actor, id: string): Promise<void> {
    return work(actor, async (tx) => {
      const now = clock.now();
      const session = await tx.sessions.find(id);
      const isLive = session && session.endedAt === null && session.expiresAt > now;
      if (!isLive || session.userId !== actor.userId) throw notFound('session', { id });
      await tx.sessions.end(id, now);
    });
  }

  /** Ends every session of the account but the caller's. */
  function endOthers(actor: Actor): Promise<void> {
    return work(actor, (tx) =>
      tx.sessions.endAll(actor.userId, { except: actor.sessionId, now: clock.now() }),
    );
  }

  return { list, end, endOthers };
}

/** What a session keeps of a request. */
export function useOf({ ipAddress, userAgent }: Visitor): SessionUse {
  return { ipAddress, userAgent: userAgent?.slice(0, maxUserAgent) ?? null };
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
