import {
  type Actor,
  grantableScopes,
  hasScope,
  requireAdministrator,
  type Visitor,
} from './actor.ts';
import type { Operation, Scope } from './contract.ts';
import { Failure } from './failure.ts';
import { timestamp, type World } from './world.ts';

/** How often the last use of a key is noted, in milliseconds. */
const touchInterval = 60_000;

/**
 * Who calls, by the credentials of the request; an API key goes before an access token.
 *
 * @throws Failure for credentials that are not valid, and where they are missing
 */
export function authenticate(
  world: World,
  { security }: Operation,
  visitor: Visitor & { readonly headers: Headers },
): Actor | undefined {
  const { headers, ...who } = visitor;
  const takes = (scheme: 'apiKey' | 'bearer') => security.some((needed) => scheme in needed);
  const apiKey = headers.get('x-api-key');
  if (apiKey && takes('apiKey')) return actorOfKey(world, who, apiKey);
  const authorization = headers.get('authorization');
  if (authorization && takes('bearer')) return actorOfToken(world, who, authorization);
  const isOpen = security.length === 0 || security.some((needed) => isEmpty(needed));
  if (!isOpen) throw new Failure('MISSING_AUTH');
  return undefined;
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}

function actorOfKey(world: World, visitor: Visitor, apiKey: string): Actor {
  const { tables, now } = world;
  const key = [...tables.apiKeys.values()].find((candidate) => candidate.key === apiKey);
  const user = key && tables.users.get(key.userId);
  const isOver = key?.expiresAt != null && Date.parse(key.expiresAt) <= now();
  if (!user || isOver) throw new Failure('INVALID_API_KEY');
  if (key.lastUsedAt === null || Date.parse(key.lastUsedAt) <= now() - touchInterval) {
    key.lastUsedAt = timestamp(now());
  }
  return { ...visitor, user, scopes: granted(user, key.scopes), keyId: key.keyId };
}

/** The token of an `Authorization` header. */
export function bearerToken(authorization: string | null): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function actorOfToken({ tables, now }: World, visitor: Visitor, authorization: string): Actor {
  const token = tables.accessTokens.get(bearerToken(authorization) ?? '');
  const user = token && tables.users.get(token.userId);
  if (token && token.expiresAt <= now()) throw new Failure('EXPIRED_TOKEN');
  if (!user) throw new Failure('INVALID_TOKEN');
  return { ...visitor, user, scopes: granted(user, grantableScopes(user)), keyId: null };
}

/** What credentials were granted, as far as the account may hold it today. */
function granted(user: Actor['user'], scopes: readonly Scope[]): Set<Scope> {
  const grantable = grantableScopes(user);
  return new Set(scopes.filter((scope) => grantable.includes(scope)));
}

/** @throws Failure ACCOUNT_SUSPENDED */
export function refuseSuspended(actor: Actor | undefined): void {
  if (actor?.user.status === 'suspended') throw new Failure('ACCOUNT_SUSPENDED');
}

/** @throws Failure INSUFFICIENT_PERMISSIONS for a scope, or a role, that is missing */
export function refuseUnauthorized({ security, role }: Operation, actor: Actor): void {
  const scheme = actor.keyId === null ? 'bearer' : 'apiKey';
  const scopes = security.flatMap((needed) => needed[scheme] ?? []);
  const requiredScopes = scopes.filter((scope) => !hasScope(actor, scope));
  if (requiredScopes.length > 0) {
    throw new Failure('INSUFFICIENT_PERMISSIONS', { details: { requiredScopes } });
  }
  if (role === 'admin') requireAdministrator(actor);
}
