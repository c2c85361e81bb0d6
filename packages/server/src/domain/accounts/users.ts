import { emailTaken, noInstance } from '../../generated/rules/accounts.ts';
import { ServiceError } from '../../generated/rules/errors.ts';
import { requireLongPassword } from '../../generated/rules/passwords.ts';
import { siteOf } from '../../lib/networks.ts';
import type { Belongings, UserRecord } from '../../store/rows/accounts/users.ts';
import type { Repositories } from '../../store/store.ts';
import type { Sender, WithCommitHook } from '../actor.ts';
import type { DiskSpace } from '../limits/account-limits.ts';
import { type Shape, type Tier, timestamp } from '../shapes.ts';
import type { Emit, ServiceOptions } from '../unit-of-work.ts';
import type { Passwords } from './secrets.ts';

export type User = Shape<'User'>;

export interface UsersOptions extends Omit<ServiceOptions, 'accountLimits'> {
  readonly passwords: Passwords;
  readonly registration: 'open' | 'closed';
  /** The tier of a new account. */
  readonly defaultTier: Tier;
  /** Rejects registrations while the disk is nearly full. Operators can still create accounts. */
  readonly disk?: DiskSpace;
}

/** Properties that a registration cannot choose. */
export interface NewAccount {
  readonly id?: string;
  /** Default: user. */
  readonly role?: 'user' | 'admin' | undefined;
  /** Default: that of new accounts. */
  readonly tier?: Tier | undefined;
  /** Default: active. */
  readonly status?: UserRecord['status'] | undefined;
}

export type Users = ReturnType<typeof createUsers>;

export function createUsers(options: UsersOptions) {
  const { store, work, clock, ids, passwords, registration, defaultTier, disk } = options;

  async function register(sender: Sender, input: Shape<'RegisterRequest'>): Promise<User> {
    if (registration === 'closed') {
      throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
        message: 'Registration is closed on this server.',
      });
    }
    disk?.refuseGrowth();
    const id = ids.resource();
    // The new user is the sender of the event.
    return create({ ...sender, userId: id }, input, { id });
  }

  /** Creates an account, even if registration is closed. */
  async function create(
    sender: WithCommitHook<Sender>,
    input: Shape<'RegisterRequest'>,
    { id = ids.resource(), role = 'user', tier = defaultTier, status = 'active' }: NewAccount = {},
  ): Promise<User> {
    const instance = await store.instances.firstActive();
    if (!instance) throw noInstance();
    requireLongPassword(input.password);
    const site = sender.ipAddress === null ? undefined : siteOf(sender.ipAddress);
    const passwordHash = await passwords.hash(input.password, site);
    const now = clock.now();
    const user: UserRecord = {
      id,
      email: input.email,
      name: input.name,
      passwordHash,
      role,
      tier,
      status,
      instanceId: instance.id,
      createdAt: now,
      updatedAt: now,
    };
    return work(sender, async (tx, emit) => {
      if (!(await tx.users.insert(user))) {
        throw emailTaken();
      }
      const object = presentUser(user);
      await emit({
        type: 'user.created',
        ...ownAccount(user),
        object,
      });
      return object;
    });
  }

  return { register, create };
}

/** Rows per transaction, which takes a few milliseconds. */
const removalStep = 100;

/** Runs a step of a removal in a transaction of its own. */
export type RunStep = (step: (tx: Repositories) => Promise<boolean>) => Promise<boolean>;

/**
 * Removes the kinds of rows that an account can have thousands of, in small transactions. One transaction
 * would block all other requests for seconds. Call it before `removeAccount`.
 *
 * @param run checks before each step that the caller may still remove the account
 */
export async function removeBelongings(
  run: RunStep,
  { instanceId, ...account }: Omit<Belongings, 'limit'> & Pick<UserRecord, 'instanceId'>,
): Promise<void> {
  const belongings = { ...account, limit: removalStep };
  const step = async (tx: Repositories) => {
    const before = await tx.usage.contentBytes(account.userId);
    const isMore = await tx.users.removeBelongings(belongings);
    const after = await tx.usage.contentBytes(account.userId);
    if (after < before) await tx.instances.use(instanceId, after - before);
    return isMore;
  };
  while (await run(step));
}

/** Deletes an account with everything that it owns. */
export async function removeAccount(tx: Repositories, emit: Emit, user: UserRecord): Promise<void> {
  const bytes = await tx.usage.contentBytes(user.id);
  await tx.users.delete(user.id);
  await tx.instances.use(user.instanceId, -bytes);
  // Its own webhooks are deleted too, so only administrators receive the event.
  await emit({ type: 'user.deleted', ...ownAccount(user), object: { id: user.id } });
}

/** The events of an account belong to the account itself. */
export function ownAccount({ id, instanceId }: UserRecord) {
  return { accountId: id, instanceId };
}

export function presentUser(user: UserRecord): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    tier: user.tier,
    status: user.status,
    instanceId: user.instanceId,
    createdAt: timestamp(user.createdAt),
    updatedAt: timestamp(user.updatedAt),
  };
}
