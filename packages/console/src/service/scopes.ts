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
 * The scopes that the user can choose: those to grant, and those that a client already has. Its owner can keep or remove
 * one that only an administrator can grant.
 */
export function offeredScopes(present: readonly Scope[] = []): readonly Scope[] {
  const all = Object.keys(known) as Scope[];
  return all.filter(
    (scope) => scope !== 'admin:*' || isAdministrator.value || present.includes(scope),
  );
}
