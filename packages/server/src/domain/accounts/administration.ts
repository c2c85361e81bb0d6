import type { Clock } from '../../clock.ts';
import { notFound, ServiceError, violation } from '../../errors.ts';
import type { Tier, UserRecord } from '../../store/repositories/users.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { grantableScopes, hasScope } from '../access.ts';
import { type Actor, type Origin, serverOrigin } from '../actor.ts';
import { changesBetween } from '../changes.ts';
import type { Scope, Shape } from '../shapes.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { type ApiKey, type ApiKeys, presentApiKey } from './api-keys.ts';
import { actorOf } from './auth.ts';
import { ownerOf, presentUser, removeAccount, type User } from './users.ts';

/** Whoever runs the server: no account, and no request behind what they do. */
export type Operator = Origin & Pick<Actor, 'scopes'>;

/** The operator at the command line of the machine. */
export const operator: Operator = {
  ...serverOrigin,
  scopes: new Set<Scope>(['admin:*']),
};

/** A key as its operator sees it. */
export interface HeldKey extends ApiKey {
  readonly userId: string;
  readonly email: string;
}

export interface AdministrationOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly apiKeys: ApiKeys;
}

export type Administration = ReturnType<typeof createAdministration>;

/** Rows that are read at a time. */
const batch = 500;

/** What an operator does to the accounts of others; `account` is an id or an email address. */
export function createAdministration({ store, work, clock, apiKeys }: AdministrationOptions) {
  async function users(actor: Operator): Promise<User[]> {
    refuseOthers(actor);
    const found: User[] = [];
    for (let last = ''; ; ) {
      const rows = await store.users.following(last, batch);
      found.push(...rows.map(presentUser));
      const newest = rows.at(-1);
      if (rows.length < batch || !newest) return found;
      last = newest.id;
    }
  }

  async function user(actor: Operator, account: string): Promise<User> {
    return presentUser(await find(store, actor, account));
  }

  /** Changes what an account cannot change about itself. */
  function setStanding(
    actor: Operator,
    account: string,
    standing: { readonly tier?: Tier; readonly status?: UserRecord['status'] },
  ): Promise<User> {
    return work(actor, async (tx, emit) => {
      const before = await find(tx, actor, account);
      const after: UserRecord = { ...before, ...standing, updatedAt: clock.now() };
      const changed = changesBetween(before, after, ['tier', 'status']);
      if (!changed) return presentUser(before);
      await tx.users.save(after);
      const object = presentUser(after);
      await emit({ type: 'user.updated', owner: ownerOf(after), object, ...changed });
      return object;
    });
  }

  /** Removes an account with everything it owns. */
  function removeUser(actor: Operator, account: string): Promise<User> {
    return work(actor, async (tx, emit) => {
      const record = await find(tx, actor, account);
      await removeAccount(tx, emit, record);
      return presentUser(record);
    });
  }

  async function keys(actor: Operator, account?: string): Promise<HeldKey[]> {
    const holder = account === undefined ? null : await find(store, actor, account);
    refuseOthers(actor);
    const found: HeldKey[] = [];
    const emails = new Map<string, string>();
    for (let page = 1; ; page += 1) {
      const { rows, totalCount } = await store.apiKeys.list({
        userId: holder?.id ?? null,
        sortBy: 'createdAt',
        sortOrder: 'asc',
        page,
        pageSize: batch,
      });
      for (const key of rows) {
        const email = emails.get(key.userId) ?? (await store.users.find(key.userId))?.email ?? '';
        emails.set(key.userId, email);
        found.push({ ...presentApiKey(key), userId: key.userId, email });
      }
      if (page * batch >= totalCount) return found;
    }
  }

  async function createKey(
    actor: Operator,
    account: string,
    input: Shape<'CreateApiKey'>,
  ): Promise<Shape<'CreatedApiKey'>> {
    const record = await find(store, actor, account);
    const excess = input.scopes.find((scope) => !grantableScopes[record.role].has(scope));
    if (excess) {
      throw violation(
        'scopes',
        'grantable',
        `An account with the role ${record.role} cannot hold ${excess}.`,
      );
    }
    return apiKeys.create(inPlaceOf(actor, record), input);
  }

  async function revokeKey(actor: Operator, keyId: string): Promise<void> {
    refuseOthers(actor);
    const key = await store.apiKeys.find(keyId);
    const holder = key && (await store.users.find(key.userId));
    if (!holder) throw notFound('API key', { keyId });
    await apiKeys.revoke(inPlaceOf(actor, holder), keyId);
  }

  return { users, user, setStanding, removeUser, keys, createKey, revokeKey };
}

function refuseOthers(actor: Operator): void {
  if (!hasScope(actor, 'admin:*')) throw new ServiceError('INSUFFICIENT_PERMISSIONS');
}

async function find(
  repositories: Repositories,
  actor: Operator,
  account: string,
): Promise<UserRecord> {
  refuseOthers(actor);
  const record = account.includes('@')
    ? await repositories.users.findByEmail(account)
    : await repositories.users.find(account);
  if (!record) throw notFound('account', { account });
  return record;
}

/** The account itself at work, at the operator's bidding, with everything it may do. */
function inPlaceOf(actor: Operator, user: UserRecord): Actor {
  const origin: Origin = { ...actor, userId: user.id };
  return actorOf(origin, user, {
    scopes: [...grantableScopes[user.role]],
    keyId: null,
    sessionId: null,
  });
}
