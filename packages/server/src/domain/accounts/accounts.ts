import { requireAdministratorLeft } from '../../generated/rules/administrators.ts';
import { diffOf } from '../../generated/rules/changes.ts';
import { notFound } from '../../generated/rules/errors.ts';
import type { UserFilter, UserRecord } from '../../store/rows/accounts/users.ts';
import type { Repositories } from '../../store/store.ts';
import type { Actor } from '../actor.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import type { Shape } from '../shapes.ts';
import type { Emit, ServiceOptions } from '../unit-of-work.ts';
import { ownAccount, presentUser, type User } from './users.ts';

type AccountQuery = ListQuery<UserFilter['sortBy']> & Omit<UserFilter, keyof ListQuery<string>>;

/** Operations of administrators on all accounts. Their scope is `admin:*`. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ store, work, clock, accountLimits }: Omit<ServiceOptions, 'ids'>) {
  async function list(query: AccountQuery): Promise<Page<User>> {
    return toPage(await store.users.list(inOrder(query)), query, presentUser);
  }

  async function get(userId: string): Promise<Shape<'CurrentUser'>> {
    return present(store, await find(store, userId));
  }

  /**
   * Changes role, tier or status. The next request of the account notices it.
   *
   * @throws ServiceError VALIDATION_ERROR, `lastAdministrator`; NOT_FOUND
   */
  function administer(
    actor: Actor,
    userId: string,
    input: Shape<'AdministerUser'>,
  ): Promise<Shape<'CurrentUser'>> {
    const change = async (tx: Repositories, emit: Emit) => {
      const before = await find(tx, userId);
      const after: UserRecord = { ...before, ...input, updatedAt: clock.now() };
      const changed = diffOf(before, after, ['role', 'tier', 'status']);
      if (!changed) return present(tx, before);
      // The caller is one, and its row is locked.
      const hasOthers = actor.userId !== userId || (await tx.users.hasOtherAdministrator(userId));
      requireAdministratorLeft(before, after, hasOthers);
      await tx.users.save(after);
      const object = presentUser(after);
      await emit({ type: 'user.updated', ...ownAccount(after), object, ...changed });
      return present(tx, after);
    };
    return work(actor, change, { otherAccount: userId });
  }

  async function present(repositories: Repositories, user: UserRecord) {
    return { ...presentUser(user), usage: await accountLimits.usage(repositories, user.id) };
  }

  return { list, get, administer };
}

async function find({ users }: Repositories, userId: string): Promise<UserRecord> {
  const user = await users.find(userId);
  if (!user) throw notFound('account', { userId });
  return user;
}
