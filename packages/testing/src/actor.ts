import { notFound } from './generated/rules/errors.ts';
import { missingScopes, type Scope } from './generated/rules/scopes.ts';
import type { UserRecord } from './state.ts';

/** The sender of a request, with or without credentials. */
export interface Visitor {
  readonly requestId: string;
  readonly userAgent: string | null;
}

/** An authenticated account with the scopes of its credentials. */
export interface Actor extends Visitor {
  readonly user: UserRecord;
  readonly scopes: ReadonlySet<Scope>;
  /** The API key that was used; null for an access token. */
  readonly keyId: string | null;
  /** The session of the access token that was used; null for an API key. */
  readonly sessionId: string | null;
}

/**
 * Whether a list with the parameter `account` contains the rows of an owner.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS for rows of others without `admin:*`
 */
export function rowsOf(
  { scopes, user }: Actor,
  { account }: { readonly account?: string | undefined },
): (owner: { readonly userId: string | null }) => boolean {
  const chosen = account ?? user.id;
  if (chosen !== user.id && !scopes.has('admin:*')) throw missingScopes(['admin:*']);
  return ({ userId }) => chosen === 'all' || userId === chosen;
}

/** Whether the actor may see resources of an account. */
export function sees({ scopes, user }: Actor, owner: { readonly userId: string }): boolean {
  return scopes.has('admin:*') || owner.userId === user.id;
}

/**
 * Returns the resource. A resource that the actor may not see counts as missing.
 *
 * @throws ServiceError NOT_FOUND
 */
export function requireVisible<Resource extends { readonly userId: string }>(
  actor: Actor,
  resource: Resource | undefined,
  kind: string,
  details: Record<string, string>,
): Resource {
  if (!resource || !sees(actor, resource)) throw notFound(kind, details);
  return resource;
}

/** Accounts see their own instance, credentials with `admin:*` all of them. */
export function seesInstance({ scopes, user }: Actor, instanceId: string): boolean {
  return scopes.has('admin:*') || user.instanceId === instanceId;
}
