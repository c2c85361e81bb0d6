import type { Users } from '../../domain/users.ts';
import type { Handlers } from '../handlers.ts';

export function userOperations(users: Users) {
  return {
    getCurrentUser: ({ actor }) => users.me(actor),
  } satisfies Partial<Handlers>;
}
