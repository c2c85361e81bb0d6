import type { Session } from '@document-vault/sdk';
import { testContract } from '../contract.ts';
import { emit } from '../events.ts';
import { wrongLogin } from '../generated/rules/credentials.ts';
import { notFound, ServiceError } from '../generated/rules/errors.ts';
import { normalPassword } from '../generated/rules/passwords.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { isPast, type SessionRecord, timestamp } from '../state.ts';
import {
  endSession,
  endSessionOf,
  endSessions,
  rotate,
  startSession,
  testKeyId,
} from '../tokens.ts';
import { findByEmail, register } from './users.ts';

export const authHandlers = {
  register: ({ state, principal, body }) => register(state, principal, body),

  login({ state, principal, body }) {
    const user = findByEmail(state, body.email);
    if (user?.password !== normalPassword(body.password)) throw wrongLogin();
    if (user.status === 'suspended') throw new ServiceError('ACCOUNT_SUSPENDED');
    const { id: userId, email } = user;
    const object = {
      userId,
      email,
      method: 'password',
      ipAddress: '127.0.0.1',
      userAgent: principal.userAgent,
      loggedInAt: timestamp(state.now()),
    };
    const triggered = { userId, principal: { ...principal, user } };
    emit(state, { type: 'user.login', ...triggered, object });
    return startSession(state, user, principal);
  },

  refresh: ({ state, principal, body }) => rotate(state, principal, body.refreshToken),

  logout({ state, body }) {
    endSessionOf(state, body.refreshToken);
  },

  getJwks: () => ({
    keys: [{ kty: 'RSA', use: 'sig', alg: 'RS256', kid: testKeyId, n: 'AQAB', e: 'AQAB' }],
  }),

  /** Only the required properties: the kit does not contain the whole contract. */
  getOpenApiDocument({ state }) {
    const paths: Record<string, Record<string, object>> = {};
    for (const {
      id,
      method,
      paths: [path],
    } of testContract.operations) {
      paths[path] = { ...paths[path], [method]: { operationId: id } };
    }
    const { openapi, info } = testContract;
    return { openapi, info, servers: [{ url: state.baseUrl }], paths };
  },
} satisfies Partial<Handlers>;

export const sessionHandlers = {
  listSessions: ({ state, actor, query }) =>
    toPage(
      [...state.tables.sessions.values()].filter(
        (session) => session.userId === actor.user.id && !isPast(session.expiresAt, state),
      ),
      query,
      (session) => presentSession(session, actor.sessionId),
    ),

  /** Administrators, too, end only their own sessions. */
  endSession({ state, actor, path: { id } }) {
    const session = state.tables.sessions.get(id);
    const isLive = session && !isPast(session.expiresAt, state);
    if (!isLive || session.userId !== actor.user.id) throw notFound('session', { id });
    endSession(state, id);
  },

  endOtherSessions({ state, actor }) {
    endSessions(state, actor.user.id, actor.sessionId);
  },
} satisfies Partial<Handlers>;

function presentSession({ userId: _, ...session }: SessionRecord, current: string | null): Session {
  return { ...session, current: session.id === current };
}
