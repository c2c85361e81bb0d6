import type { User } from '../../domain/accounts/users.ts';
import { printable } from '../table.ts';

/** An account in a few words. */
export function accountLine({ email, id, role, tier, status }: User): string {
  return `${printable(email)} (${id}): ${role}, ${tier}, ${status}`;
}
