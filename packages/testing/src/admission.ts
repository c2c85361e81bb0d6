import type { Actor, Visitor } from './actor.ts';
import type { Operation } from './contract.ts';
import {
  checkedKey,
  checkedToken,
  missingAuth,
  sessionEnded,
} from './generated/rules/credentials.ts';
import { ServiceError } from './generated/rules/errors.ts';
import {
  grantableScopes,
  hasScope,
  missingScopes,
  requireAdministrator,
  type Scope,
} from './generated/rules/scopes.ts';
import { isPast, type State, timestamp } from './state.ts';
import { noteUse } from './tokens.ts';

/** Minimum interval of updates to `lastUsedAt`, in milliseconds. */
const touchInterval = 60_000;

/**
 * Authenticates a request. An API key takes precedence over an access token.
 *
 * @throws ServiceError for missing and invalid credentials
 */
export function authenticate(
  state: State,
  { security }: Operation,
  principal: Visitor & { readonly headers: Headers },
): Actor | undefined {
  const { headers, ...sender } = principal;
  const takes = (scheme: 'apiKey' | 'bearer') => security.some((needed) => scheme in needed);
  const apiKey = headers.get('x-api-key');
  if (apiKey && takes('apiKey')) return actorOfKey(state, sender, checkedKey(apiKey));
  const authorization = headers.get('authorization');
  if (authorization && takes('bearer')) {
    return actorOfToken(state, sender, checkedToken(authorization));
  }
  const isOpen = security.length === 0 || security.some((needed) => isEmpty(needed));
  if (!isOpen) throw missingAuth({ key: takes('apiKey'), token: takes('bearer') });
  return undefined;
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}

function actorOfKey(state: State, principal: Visitor, apiKey: string): Actor {
  const { tables, now } = state;
  const key = [...tables.apiKeys.values()].find((candidate) => candidate.key === apiKey);
  const user = key && tables.users.get(key.userId);
  const isExpired = key?.expiresAt != null && Date.parse(key.expiresAt) <= now();
  if (!user || isExpired) throw new ServiceError('INVALID_API_KEY');
  if (key.lastUsedAt === null || Date.parse(key.lastUsedAt) <= now() - touchInterval) {
    key.lastUsedAt = timestamp(now());
  }
  const scopes = granted(user, key.scopes);
  return { ...principal, user, scopes, keyId: key.keyId, sessionId: null };
}

function actorOfToken(state: State, principal: Visitor, accessToken: string): Actor {
  const { tables, now } = state;
  const token = tables.accessTokens.get(accessToken);
  if (!token) throw new ServiceError('INVALID_TOKEN');
  if (token.expiresAt <= now()) throw new ServiceError('EXPIRED_TOKEN');
  const { sessionId } = token;
  const session = tables.sessions.get(sessionId);
  const user = session && tables.users.get(session.userId);
  if (!user || isPast(session.expiresAt, state)) throw sessionEnded();
  if (Date.parse(session.lastUsedAt) <= now() - touchInterval) {
    noteUse(state, session, principal.userAgent);
  }
  const scopes = new Set(grantableScopes[user.role]);
  return { ...principal, user, scopes, keyId: null, sessionId };
}

/** The granted scopes that the account may still have. */
function granted(user: Actor['user'], scopes: readonly Scope[]): Set<Scope> {
  const grantable = grantableScopes[user.role];
  return new Set(scopes.filter((scope) => grantable.has(scope)));
}

/** @throws ServiceError ACCOUNT_SUSPENDED */
export function refuseSuspended(actor: Actor | undefined): void {
  if (actor?.user.status === 'suspended') throw new ServiceError('ACCOUNT_SUSPENDED');
}

/** @throws ServiceError INSUFFICIENT_PERMISSIONS for a missing scope or role */
export function refuseUnauthorized({ security, role }: Operation, actor: Actor): void {
  const scheme = actor.keyId === null ? 'bearer' : 'apiKey';
  const scopes = security.flatMap((needed) => needed[scheme] ?? []);
  const requiredScopes = scopes.filter((scope) => !hasScope(actor, scope));
  if (requiredScopes.length > 0) throw missingScopes(requiredScopes);
  if (role === 'admin') requireAdministrator(actor.user);
}
