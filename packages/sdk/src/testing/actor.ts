import type { EventType, Scope } from './contract.ts';
import { Failure, notFound } from './responses.ts';
import type { UserRecord } from './state.ts';

/** The sender of a request, with or without credentials. */
export interface AnonymousPrincipal {
  readonly requestId: string;
  readonly userAgent: string | null;
}

/** An authenticated account with the scopes of its credentials. */
export interface Actor extends AnonymousPrincipal {
  readonly user: UserRecord;
  readonly scopes: ReadonlySet<Scope>;
  /** The API key that was used; null for an access token. */
  readonly keyId: string | null;
  /** The session of the access token that was used; null for an API key. */
  readonly sessionId: string | null;
}

/** The scopes of an ordinary account. */
export const userScopes: readonly Scope[] = [
  'vaults:read',
  'vaults:write',
  'documents:read',
  'documents:write',
  'documents:share',
  'instances:read',
  'instances:write',
  'users:read',
  'users:write',
  'webhooks:read',
  'webhooks:write',
  'consents:read',
  'consents:write',
];

/** The scopes that an account can have. */
export function grantableScopes({ role }: Pick<UserRecord, 'role'>): readonly Scope[] {
  return role === 'admin' ? [...userScopes, 'admin:*'] : userScopes;
}

export function hasScope({ scopes }: Pick<Actor, 'scopes'>, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has('admin:*');
}

/** Whether the actor may see resources of an account. */
export function sees({ scopes, user }: Actor, owner: { readonly userId: string }): boolean {
  return scopes.has('admin:*') || owner.userId === user.id;
}

/**
 * Returns the resource if it exists and the actor may see it.
 *
 * @throws Failure NOT_FOUND
 */
export function visible<Resource extends { readonly userId: string }>(
  actor: Actor,
  resource: Resource | undefined,
  kind: string,
  details: Record<string, string>,
): Resource {
  if (!resource || !sees(actor, resource)) throw notFound(kind, details);
  return resource;
}

/** Users see their own instance, administrators all of them. */
export function seesInstance({ user }: Actor, instanceId: string): boolean {
  return user.role === 'admin' || user.instanceId === instanceId;
}

/** @throws Failure INSUFFICIENT_PERMISSIONS */
export function requireAdministrator({ user }: Actor): void {
  if (user.role === 'admin') return;
  throw new Failure('INSUFFICIENT_PERMISSIONS', {
    message: 'Only administrators may do this.',
    details: { requiredRole: 'admin' },
  });
}

/** Returns the scope that reads the resource of an event. */
export function readScopeOf(type: EventType): Scope {
  const [resource] = type.split('.');
  const isOfShare = type === 'document.shared' || type.startsWith('document.share.');
  return isOfShare ? 'documents:share' : (`${resource}s:read` as Scope);
}

/** @throws Failure INSUFFICIENT_PERMISSIONS when the actor may not read the resource of an event */
export function requireReadScope(actor: Actor, type: EventType): void {
  const scope = readScopeOf(type);
  if (hasScope(actor, scope)) return;
  throw new Failure('INSUFFICIENT_PERMISSIONS', { details: { requiredScopes: [scope] } });
}
