import type { CurrentUser } from '../../domain/accounts/current-user.ts';
import type { Handlers } from '../handlers.ts';

export function userOperations(currentUser: CurrentUser) {
  return {
    getCurrentUser: ({ actor }) => currentUser.get(actor),
    updateCurrentUser: ({ actor, body }) => currentUser.update(actor, body),
    deleteCurrentUser: ({ actor, body }) => currentUser.remove(actor, body),
  } satisfies Partial<Handlers>;
}
