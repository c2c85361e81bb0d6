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
 * @param hasOthers whether another account is an active administrator
 * @throws ServiceError VALIDATION_ERROR, `lastAdministrator`
 */
export function requireAdministratorLeft(
  before: Standing,
  after: Standing,
  hasOthers: boolean,
): void {
  if (hasOthers || !isActiveAdministrator(before) || isActiveAdministrator(after)) return;
  const [field, change] =
    after.role === 'admin' ? ['status', 'be suspended'] : ['role', 'become a user'];
  throw violation(
    field,
    'lastAdministrator',
    `The last active administrator cannot ${change}. Make another account an administrator first.`,
  );
}
