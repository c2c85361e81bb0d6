import { diffOf } from '../../generated/rules/changes.ts';
import { notFound, ServiceError, violation } from '../../generated/rules/errors.ts';
import { requireLongPassword } from '../../generated/rules/passwords.ts';
import { OperatorError } from '../../lib/operator-error.ts';
import type { UserRecord } from '../../store/rows/accounts/users.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { grantableScopes, hasScope } from '../access.ts';
import { type Actor, type Sender, serverItself } from '../actor.ts';
import type { Scope, Shape, Tier } from '../shapes.ts';
import type { Emit, ServiceOptions } from '../unit-of-work.ts';
import { revokeAllAccess } from './all-access.ts';
import { type ApiKey, type ApiKeys, presentApiKey } from './api-keys.ts';
import { actorOf } from './auth.ts';
import type { Passwords } from './secrets.ts';
import { ownAccount, presentUser, removeAccount, removeBelongings, type User } from './users.ts';

/** The operator of the server: has no account and sends no requests. */
export type Operator = Sender & Pick<Actor, 'scopes'>;

/** The operator at the command line. */
export const operator: Operator = {
  ...serverItself,
  scopes: new Set<Scope>(['admin:*']),
};

/** An API key with its account, as operators see it. */
export interface HeldKey extends ApiKey {
  readonly userId: string;
  readonly email: string;
}

export interface AdministrationOptions extends Pick<ServiceOptions, 'store' | 'work' | 'clock'> {
  readonly apiKeys: ApiKeys;
  readonly passwords: Passwords;
}

export type Administration = ReturnType<typeof createAdministration>;

/** Rows per query. */
const batch = 500;

/** Operations of an operator on accounts. `account` is an id or an email address. */
export function createAdministration(options: AdministrationOptions) {
  const { store, work, clock, apiKeys, passwords } = options;

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
    return presentUser(await findAccount(store, actor, account));
  }

  /** Changes tier or status, which an account cannot change itself. */
  function updateUser(
    actor: Operator,
    account: string,
    change: { readonly tier?: Tier; readonly status?: UserRecord['status'] },
  ): Promise<User> {
    return work(actor, async (tx, emit) => {
      const before = await findAccount(tx, actor, account);
      const after: UserRecord = { ...before, ...change, updatedAt: clock.now() };
      const changed = diffOf(before, after, ['tier', 'status']);
      if (!changed) return presentUser(before);
      await tx.users.save(after);
      const object = presentUser(after);
      await emit({ type: 'user.updated', ...ownAccount(after), object, ...changed });
      return object;
    });
  }

  /**
   * Sets the password of an account whose user has forgotten it, and ends all its sessions.
   *
   * @param revokeApiKeys whether to end API keys, secrets of OAuth clients and the access of apps, too
   */
  async function setPassword(
    actor: Operator,
    account: string,
    { password, revokeApiKeys }: { readonly password: string; readonly revokeApiKeys: boolean },
  ): Promise<User> {
    refuseOthers(actor);
    requireLongPassword(password);
    const passwordHash = await passwords.hash(password);
    return work(actor, async (tx, emit) => {
      const before = await findAccount(tx, actor, account);
      const after = { ...before, passwordHash, updatedAt: clock.now() };
      if (revokeApiKeys) await revokeAllAccess(tx, emit, after);
      return replacePassword(tx, emit, after);
    });
  }

  /** Removes an account with everything it owns. */
  async function removeUser(actor: Operator, account: string): Promise<User> {
    const { id: userId, instanceId } = await findAccount(store, actor, account);
    const belongings = { userId, instanceId, sessionId: null };
    await removeBelongings((step) => work(actor, step), belongings);
    return work(actor, async (tx, emit) => {
      const record = await findAccount(tx, actor, account);
      await removeAccount(tx, emit, record);
      return presentUser(record);
    });
  }

  async function keys(actor: Operator, account?: string): Promise<HeldKey[]> {
    const holder = account === undefined ? null : await findAccount(store, actor, account);
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
    const record = await findAccount(store, actor, account);
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

  return { users, user, updateUser, setPassword, removeUser, keys, createKey, revokeKey };
}

/** Saves an account with a new password, and ends all its sessions. */
async function replacePassword(tx: Repositories, emit: Emit, user: UserRecord): Promise<User> {
  await tx.users.save(user);
  await tx.sessions.endAll(user.id, { except: null, now: user.updatedAt });
  const object = presentUser(user);
  const changes = ['password'];
  await emit({ type: 'user.updated', ...ownAccount(user), object, changes, previous: {} });
  return object;
}

/** @throws ServiceError INSUFFICIENT_PERMISSIONS */
export function refuseOthers(actor: Operator): void {
  if (!hasScope(actor, 'admin:*')) throw new ServiceError('INSUFFICIENT_PERMISSIONS');
}

/**
 * Returns an account by its id or email address.
 *
 * @throws ServiceError NOT_FOUND, INSUFFICIENT_PERMISSIONS
 */
export async function findAccount(
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

/** Returns an actor for the account, with all scopes of its role, on behalf of the operator. */
export function inPlaceOf(actor: Operator, user: UserRecord): Actor {
  const sender: Sender = { ...actor, userId: user.id };
  const account = { ...user, userId: user.id };
  return actorOf(sender, account, {
    scopes: [...grantableScopes[user.role]],
    keyId: null,
    sessionId: null,
  });
}

/** The file of a data folder that has the development account's password and API key. */
export const developmentFile = 'development.json';

/**
 * Rejects a database whose development account still has its printed password or API key.
 *
 * @param flag with which commands find the database, after a space
 * @throws OperatorError naming the commands that remove or keep the account
 */
export async function refuseDevelopmentAccount(
  store: Store,
  database: string,
  flag: string,
): Promise<void> {
  const account = await store.developmentAccounts.find();
  if (!account?.hasPrintedPassword && !account?.hasPrintedKey) return;
  const command = (name: string) => `document-vault development-account ${name}${flag}`;
  throw new OperatorError(
    `The database in ${database} has the account of a development server, ${account.email}. A production ` +
      `server does not start with it, because its password or API key was printed and written to ` +
      `${developmentFile}. Remove the account: ${command('remove')}. Or keep it with a new password ` +
      `and without that key: ${command('keep')}.`,
  );
}

export type DevelopmentAccounts = ReturnType<typeof createDevelopmentAccounts>;

/** Operations of an operator on the development account before production. */
export function createDevelopmentAccounts(options: Omit<AdministrationOptions, 'apiKeys'>) {
  const { store, work, clock, passwords } = options;

  /** Returns the account, or undefined when there is none. */
  async function find(): Promise<User | undefined> {
    const marked = await store.developmentAccounts.find();
    const user = marked && (await store.users.find(marked.userId));
    return user && presentUser(user);
  }

  /** Sets a new password, ends every session, revokes the printed API key and removes the mark. */
  async function keep(actor: Operator, password: string): Promise<User> {
    requireLongPassword(password);
    const passwordHash = await passwords.hash(password);
    return work(actor, async (tx, emit) => {
      const marked = await tx.developmentAccounts.find();
      const before = marked && (await tx.users.find(marked.userId));
      if (!before) throw notFound('development account');
      const now = clock.now();
      if (marked.hasPrintedKey) await tx.apiKeys.revoke(marked.keyId, now);
      await tx.developmentAccounts.unmark();
      return replacePassword(tx, emit, { ...before, passwordHash, updatedAt: now });
    });
  }

  return { find, keep };
}
