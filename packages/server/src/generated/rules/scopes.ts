// Generated from openapi/rules/scopes.ts by `npm run generate`. Do not edit.

import { ServiceError, violation } from './errors.ts';

/** The scopes of an ordinary account. `admin:*` stands for all operations on all accounts. */
export const userScopes = [
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
] as const;

export type Scope = (typeof userScopes)[number] | 'admin:*';

/** The maximum scopes of an account, by role. */
export const grantableScopes: Readonly<Record<'user' | 'admin', ReadonlySet<Scope>>> = {
  user: new Set(userScopes),
  admin: new Set([...userScopes, 'admin:*']),
};

/** The scopes of credentials. */
interface Scoped {
  readonly scopes: ReadonlySet<Scope>;
}

export function hasScope({ scopes }: Scoped, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has('admin:*');
}

/** The error for credentials without scopes. */
export function missingScopes(requiredScopes: readonly Scope[]): ServiceError {
  return new ServiceError('INSUFFICIENT_PERMISSIONS', { details: { requiredScopes } });
}

/** @throws ServiceError VALIDATION_ERROR for a scope that the grantor does not have */
export function requireGrantable(grantor: Scoped, scopes: readonly Scope[]): void {
  const index = scopes.findIndex((scope) => !hasScope(grantor, scope));
  if (index === -1) return;
  const message = `You cannot grant ${scopes[index]}: your own credentials do not have it.`;
  throw violation(`scopes.${index}`, 'grantable', message);
}

/** Returns the scope that reads the resource of an event of a type, such as `document.updated`. */
export function readScopeOf(type: string): Scope {
  const [resource] = type.split('.');
  const isOfShare = type === 'document.shared' || type.startsWith('document.share.');
  return isOfShare ? 'documents:share' : (`${resource}s:read` as Scope);
}

/**
 * Rejects a caller who may not read the resource of an event.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function requireReadScope(actor: Scoped, type: string): void {
  const scope = readScopeOf(type);
  if (!hasScope(actor, scope)) throw missingScopes([scope]);
}

/** @throws ServiceError INSUFFICIENT_PERMISSIONS */
export function requireAdministrator({ role }: { readonly role: 'user' | 'admin' }): void {
  if (role === 'admin') return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    message: 'Only administrators may do this.',
    details: { requiredRole: 'admin' },
  });
}
