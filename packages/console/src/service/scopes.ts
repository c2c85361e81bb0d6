import type { Scope } from '@document-vault/sdk';
import { isAdministrator } from './client.ts';

/** Every scope of the contract: the compiler refuses a list with one missing. */
const known: Readonly<Record<Scope, true>> = {
  'vaults:read': true,
  'vaults:write': true,
  'documents:read': true,
  'documents:write': true,
  'documents:share': true,
  'webhooks:read': true,
  'webhooks:write': true,
  'consents:read': true,
  'consents:write': true,
  'users:read': true,
  'users:write': true,
  'instances:read': true,
  'instances:write': true,
  'admin:*': true,
};

/**
 * The scopes that the user can grant, and those chosen before: a client can have scopes that its owner cannot grant.
 */
export function offeredScopes(chosen: ReadonlySet<Scope>): readonly Scope[] {
  const all = Object.keys(known) as Scope[];
  return all.filter((scope) => scope !== 'admin:*' || isAdministrator.value || chosen.has(scope));
}
