import { wrongPassword } from '../../generated/rules/accounts.ts';
import type { UserRecord } from '../../store/rows/accounts/users.ts';
import type { Repositories } from '../../store/store.ts';
import { invalidCredentials } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { CheckPassword } from './password-check.ts';

/**
 * Checks the password of the calling account, before the transaction of a change that needs it.
 *
 * @param field the one with the password
 * @returns the hash that matched, for `requireProof` inside the transaction
 * @throws ServiceError VALIDATION_ERROR, RATE_LIMIT_EXCEEDED
 */
export type Prove = (actor: Actor, field: string, password: string) => Promise<string>;

export function createProof(store: Repositories, checkPassword: CheckPassword): Prove {
  return async (actor, field, password) => {
    const { email, passwordHash } = await findCaller(store, actor);
    const attempt = { email, userId: actor.userId, passwordHash, ipAddress: actor.ipAddress };
    if (!(await checkPassword(attempt, password))) throw wrongPassword(field);
    return passwordHash;
  };
}

/** Hashing is slow: another request may have changed the password meanwhile. */
export function requireProof(user: UserRecord, proven: string, field: string): void {
  if (user.passwordHash !== proven) throw wrongPassword(field);
}

/** Returns the calling account. It may have been deleted since authentication. */
export async function findCaller(repositories: Repositories, actor: Actor): Promise<UserRecord> {
  const user = await repositories.users.find(actor.userId);
  if (!user) throw invalidCredentials(actor);
  return user;
}
