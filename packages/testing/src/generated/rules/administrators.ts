// Generated from openapi/rules/administrators.ts by `npm run generate`. Do not edit.

import { violation } from './errors.ts';

/** The part of an account that makes it an administrator. */
interface Standing {
  readonly role: 'user' | 'admin';
  readonly status: 'active' | 'suspended';
}

export function isActiveAdministrator({ role, status }: Standing): boolean {
  return role === 'admin' && status === 'active';
}

/**
 * Rejects a change after which no active administrator would be left.
 *
 * @param after undefined when the account is deleted
 * @param hasOthers whether another account is an active administrator
 * @throws ServiceError VALIDATION_ERROR, `lastAdministrator`
 */
export function requireAdministratorLeft(
  before: Standing,
  after: Standing | undefined,
  hasOthers: boolean,
): void {
  if (hasOthers || !isActiveAdministrator(before)) return;
  if (after && isActiveAdministrator(after)) return;
  const [field, change] = lossOf(after);
  throw violation(
    field,
    'lastAdministrator',
    `The last active administrator cannot ${change}. Make another account an administrator first.`,
  );
}

function lossOf(after: Standing | undefined): [field: string, change: string] {
  if (!after) return ['role', 'be deleted'];
  return after.role === 'admin' ? ['status', 'be suspended'] : ['role', 'become a user'];
}
