import type { TokenPair } from '@document-vault/sdk';
import type { Visitor } from './actor.ts';
import { invalidRefreshToken } from './generated/rules/credentials.ts';
import { ServiceError } from './generated/rules/errors.ts';
import { grantableScopes } from './generated/rules/scopes.ts';
import {
  randomToken,
  type SessionRecord,
  type State,
  timestamp,
  toBase64Url,
  type UserRecord,
} from './state.ts';

/** Lifetime of an access token: an hour, in seconds. */
const accessLifetime = 3_600;
/** Lifetime of a refresh token: 30 days, in milliseconds. */
const refreshLifetime = 30 * 24 * 60 * 60 * 1_000;
/** How long an exchanged token returns the same successor, in milliseconds. */
const reuseGrace = 10_000;

/** How many pairs of tokens have been issued. */
export function issuedPairs({ tables }: State): number {
  return tables.accessTokens.size;
}

/** Starts a session and returns its first pair. */
export function startSession(state: State, user: UserRecord, { userAgent }: Visitor): TokenPair {
  const { tables, ids, now } = state;
  const createdAt = timestamp(now());
  const session: SessionRecord = {
    id: ids.resource(),
    userId: user.id,
    createdAt,
    lastUsedAt: createdAt,
    expiresAt: timestamp(now() + refreshLifetime),
    ipAddress: '127.0.0.1',
    userAgent: shortened(userAgent),
  };
  endExcess(state, user.id);
  tables.sessions.set(session.id, session);
  const access = issueAccess(state, user, session);
  return { ...access, refreshToken: issueRefresh(state, session) };
}

/**
 * Exchanges a refresh token. A token that was exchanged before returns its successor for 10 s, and
 * ends its session after that.
 *
 * @throws ServiceError INVALID_TOKEN
 */
export function rotate(state: State, { userAgent }: Visitor, token: string): TokenPair {
  const { tables, now } = state;
  const found = tables.refreshTokens.get(token);
  const session = found && tables.sessions.get(found.sessionId);
  const user = session && tables.users.get(session.userId);
  if (!user || found.expiresAt <= now()) throw invalidRefreshToken();
  if (found.rotated && now() - found.rotated.at > reuseGrace) {
    endSession(state, session.id);
    throw invalidRefreshToken();
  }
  if (user.status === 'suspended') throw new ServiceError('ACCOUNT_SUSPENDED');
  const issued = issueAccess(state, user, session);
  if (!found.rotated) {
    noteUse(state, session, userAgent);
    session.expiresAt = timestamp(now() + refreshLifetime);
    found.rotated = { at: now(), successor: issueRefresh(state, session) };
  }
  return { ...issued, refreshToken: found.rotated.successor };
}

/** Updates the last use of a session and its user agent. */
export function noteUse({ now }: State, session: SessionRecord, userAgent: string | null): void {
  session.lastUsedAt = timestamp(now());
  session.userAgent = shortened(userAgent);
}

function shortened(userAgent: string | null): string | null {
  return userAgent?.slice(0, 512) ?? null;
}

/** Ends the session that a refresh token belongs to, if there is one. */
export function endSessionOf(state: State, token: string): void {
  const found = state.tables.refreshTokens.get(token);
  if (found) endSession(state, found.sessionId);
}

/** Sessions of an account. */
const maxSessions = 500;

/** Before a login, ends the oldest session of an account that has `maxSessions`. */
function endExcess(state: State, userId: string): void {
  // In the order of their creation.
  const [oldest, ...others] = [...state.tables.sessions.values()].filter(
    (session) => session.userId === userId,
  );
  if (oldest && others.length + 1 >= maxSessions) endSession(state, oldest.id);
}

/** Ends the sessions of an account except one. */
export function endSessions(state: State, userId: string, except: string | null): void {
  for (const session of state.tables.sessions.values()) {
    if (session.userId === userId && session.id !== except) endSession(state, session.id);
  }
}

/** Ends a session. Its access tokens are rejected from then on. */
export function endSession({ tables }: State, id: string): void {
  tables.sessions.delete(id);
  for (const [token, found] of tables.refreshTokens) {
    if (found.sessionId === id) tables.refreshTokens.delete(token);
  }
}

function issueRefresh(state: State, { id: sessionId }: SessionRecord): string {
  const token = randomToken();
  const expiresAt = state.now() + refreshLifetime;
  state.tables.refreshTokens.set(token, { sessionId, expiresAt, issue: issuedPairs(state) });
  return token;
}

function issueAccess(
  state: State,
  user: UserRecord,
  { id: sessionId }: SessionRecord,
): Omit<TokenPair, 'refreshToken'> {
  const { tables, now } = state;
  const issuedAt = Math.floor(now() / 1_000);
  const claims = {
    sub: user.id,
    email: user.email,
    sid: sessionId,
    iss: state.baseUrl,
    aud: 'document-vault',
    iat: issuedAt,
    exp: issuedAt + accessLifetime,
    scopes: [...grantableScopes[user.role]],
  };
  const accessToken = unsignedJwt(claims);
  const issue = issuedPairs(state) + 1;
  tables.accessTokens.set(accessToken, { sessionId, expiresAt: claims.exp * 1_000, issue });
  return { accessToken, expiresIn: accessLifetime };
}

/** Makes a token with the claims of the service's tokens and a random signature. */
function unsignedJwt(claims: object): string {
  const header = { alg: 'RS256', typ: 'JWT', kid: testKeyId };
  return [part(header), part(claims), randomToken()].join('.');
}

/** The `kid` of every token. */
export const testKeyId = 'test';

function part(value: object): string {
  return toBase64Url(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
}
