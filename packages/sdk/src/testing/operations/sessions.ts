import type { Session } from '../../generated/types.ts';
import { notFound } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { endSession, endSessions } from '../tokens.ts';
import { isPast, type SessionRecord } from '../world.ts';

export const sessionHandlers = {
  listSessions: ({ world, actor, query }) =>
    toPage(
      [...world.tables.sessions.values()].filter(
        (session) => session.userId === actor.user.id && !isPast(session.expiresAt, world),
      ),
      query,
      (session) => presentSession(session, actor.sessionId),
    ),

  /** Administrators too end only their own sessions. */
  endSession({ world, actor, path: { id } }) {
    const session = world.tables.sessions.get(id);
    const isLive = session && !isPast(session.expiresAt, world);
    if (!isLive || session.userId !== actor.user.id) throw notFound('session', { id });
    endSession(world, id);
  },

  endOtherSessions({ world, actor }) {
    endSessions(world, actor.user.id, actor.sessionId);
  },
} satisfies Partial<Handlers>;

function presentSession({ userId: _, ...session }: SessionRecord, current: string | null): Session {
  return { ...session, current: session.id === current };
}
