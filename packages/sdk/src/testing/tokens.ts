import type { TokenPair } from '../http/session.ts';
import { grantableScopes } from './actor.ts';
import { Failure } from './failure.ts';
import { randomToken, toBase64Url } from './ids.ts';
import type { RefreshToken, UserRecord, World } from './world.ts';

/** Lifetime of an access token: an hour, in seconds. */
const accessLifetime = 3_600;
/** Lifetime of a refresh token: 30 days, in milliseconds. */
const refreshLifetime = 30 * 24 * 60 * 60 * 1_000;
/** How long a token that was exchanged answers its successor again. */
const reuseGrace = 10_000;

/** How many pairs of tokens have been issued. */
export function issuedPairs({ tables }: World): number {
  return tables.accessTokens.size;
}

/** The first pair of a session. */
export function startSession(world: World, user: UserRecord): TokenPair {
  return { ...issueAccess(world, user), refreshToken: issueRefresh(world, user, randomToken()) };
}

/**
 * Exchanges a refresh token. One that was exchanged before answers its successor for 10 s, and then
 * ends its whole family.
 *
 * @throws Failure INVALID_TOKEN
 */
export function rotate(world: World, token: string): TokenPair {
  const { tables, now } = world;
  const found = tables.refreshTokens.get(token);
  const user = found && tables.users.get(found.userId);
  if (!user || found.expiresAt <= now()) throw refused();
  if (user.status === 'suspended') throw new Failure('ACCOUNT_SUSPENDED');
  if (found.rotated && now() - found.rotated.at > reuseGrace) {
    endFamily(world, found);
    throw refused();
  }
  const issued = issueAccess(world, user);
  if (!found.rotated) {
    const successor = issueRefresh(world, user, found.family);
    found.rotated = { at: now(), successor };
  }
  return { ...issued, refreshToken: found.rotated.successor };
}

/** Ends every session that goes back to the same login as this token, if there is one. */
export function endSession(world: World, token: string): void {
  const found = world.tables.refreshTokens.get(token);
  if (found) endFamily(world, found);
}

/** Ends all sessions of an account; access tokens live on until they expire. */
export function endSessions({ tables }: World, userId: string): void {
  for (const [token, found] of tables.refreshTokens) {
    if (found.userId === userId) tables.refreshTokens.delete(token);
  }
}

function endFamily({ tables }: World, { family }: RefreshToken): void {
  for (const [token, found] of tables.refreshTokens) {
    if (found.family === family) tables.refreshTokens.delete(token);
  }
}

function refused(): Failure {
  return new Failure('INVALID_TOKEN', {
    message: 'The refresh token is not valid. Sign in again.',
  });
}

function issueRefresh(world: World, { id: userId }: UserRecord, family: string): string {
  const token = randomToken();
  const expiresAt = world.now() + refreshLifetime;
  world.tables.refreshTokens.set(token, { userId, family, expiresAt, issue: issuedPairs(world) });
  return token;
}

function issueAccess(world: World, user: UserRecord): Omit<TokenPair, 'refreshToken'> {
  const { tables, now } = world;
  const issuedAt = Math.floor(now() / 1_000);
  const claims = {
    sub: user.id,
    email: user.email,
    iss: world.baseUrl,
    aud: 'document-vault',
    iat: issuedAt,
    exp: issuedAt + accessLifetime,
    scopes: grantableScopes(user),
  };
  const accessToken = unsignedJwt(claims);
  const issue = issuedPairs(world) + 1;
  tables.accessTokens.set(accessToken, { userId: user.id, expiresAt: claims.exp * 1_000, issue });
  return { accessToken, expiresIn: accessLifetime };
}

/** Shaped like the service's tokens, so that an app can read the claims; its signature is random. */
function unsignedJwt(claims: object): string {
  const header = { alg: 'RS256', typ: 'JWT', kid: testKeyId };
  return [part(header), part(claims), randomToken()].join('.');
}

/** The `kid` of every token. */
export const testKeyId = 'test';

function part(value: object): string {
  return toBase64Url(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
}
