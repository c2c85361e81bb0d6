import type { Scope } from './contract.ts';
import { Failure, notFound } from './responses.ts';
import type { UserRecord } from './state.ts';

/** Who has sent a request, signed in or not. */
export interface AnonymousPrincipal {
  readonly requestId: string;
  readonly userAgent: string | null;
}

/** An account at work, with what its credentials allow. */
export interface Actor extends AnonymousPrincipal {
  readonly user: UserRecord;
  readonly scopes: ReadonlySet<Scope>;
  /** The API key that was used; null for an access token. */
  readonly keyId: string | null;
  /** The session of the access token that was used; null for an API key. */
  readonly sessionId: string | null;
}

/** What an ordinary account can hold. */
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

/** What an account can hold at most. */
export function grantableScopes({ role }: Pick<UserRecord, 'role'>): readonly Scope[] {
  return role === 'admin' ? [...userScopes, 'admin:*'] : userScopes;
}

export function hasScope({ scopes }: Pick<Actor, 'scopes'>, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has('admin:*');
}

/** Whether the actor may see what this account owns. */
export function sees({ scopes, user }: Actor, owner: { readonly userId: string }): boolean {
  return scopes.has('admin:*') || owner.userId === user.id;
}

/**
 * The resource, if it exists and the actor may see it; what belongs to another account does not exist.
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

/** The owner of an instance is nobody: users see their own, administrators all. */
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
