import type { Clock } from '../clock.ts';
import { ServiceError, violation } from '../errors.ts';
import type { Ids } from '../ids.ts';
import type { Store } from '../store/store.ts';
import type { Tier, UserRecord } from '../store/users.ts';
import type { Origin } from './actor.ts';
import type { Passwords } from './passwords.ts';
import { type Shape, timestamp } from './shapes.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export type User = Shape<'User'>;

export interface UsersOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly passwords: Passwords;
  readonly registration: 'open' | 'closed';
  /** The tier of a new account. */
  readonly defaultTier: Tier;
}

export type Users = ReturnType<typeof createUsers>;

export function createUsers(options: UsersOptions) {
  const { store, work, clock, ids, passwords, registration, defaultTier } = options;

  async function register(origin: Origin, input: Shape<'RegisterRequest'>): Promise<User> {
    if (registration === 'closed') {
      throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
        message: 'Registration is closed on this server.',
      });
    }
    const id = ids.resource();
    // The user that the event is about has caused it.
    return create({ ...origin, userId: id }, input, id);
  }

  /** Creates an account, whether registration is open or not. */
  async function create(
    origin: Origin,
    input: Shape<'RegisterRequest'>,
    id = ids.resource(),
  ): Promise<User> {
    const instance = await store.instances.firstActive();
    if (!instance) {
      throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
        message: 'No instance of this server takes new accounts.',
      });
    }
    const passwordHash = await passwords.hash(input.password);
    const now = clock.now();
    const user: UserRecord = {
      id,
      email: input.email,
      name: input.name,
      passwordHash,
      role: 'user',
      tier: defaultTier,
      status: 'active',
      instanceId: instance.id,
      createdAt: now,
      updatedAt: now,
    };
    return work(origin, async (tx, emit) => {
      if (!(await tx.users.insert(user))) {
        throw emailTaken();
      }
      const object = presentUser(user);
      await emit({
        type: 'user.created',
        owner: { userId: user.id, instanceId: user.instanceId },
        object,
      });
      return object;
    });
  }

  return { register, create };
}

export function emailTaken(): ServiceError {
  return violation('email', 'unique', 'An account with this email address exists already.');
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
