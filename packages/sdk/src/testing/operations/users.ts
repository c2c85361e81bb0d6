import type { CurrentUser, User } from '../../generated/types.ts';
import type { Visitor } from '../actor.ts';
import type { Shape } from '../contract.ts';
import { changesBetween, emit } from '../events.ts';
import { Failure, violation } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { fold } from '../listing.ts';
import { endSessions } from '../tokens.ts';
import { timestamp, type UserRecord, type World } from '../world.ts';
import { usageOf } from './account-limits.ts';
import { removeVault } from './vaults.ts';

export const userHandlers = {
  getCurrentUser: ({ world, actor }) => presentCurrent(world, actor.user),

  /** A new password ends every session but the caller's. */
  updateCurrentUser({ world, actor, body }) {
    const { user } = actor;
    const { currentPassword, password = user.password } = body;
    if (currentPassword !== undefined) prove(user, 'currentPassword', currentPassword);
    const { name = user.name, email = user.email, revokeApiKeys } = body;
    const isNewPassword = password !== user.password;
    const changed = changesBetween(user, { ...user, name, email }, ['name', 'email']);
    if (changed) refuseTaken(world, email, user);
    if (revokeApiKeys) revokeAllApiKeys(world, user);
    if (!changed && !isNewPassword) return presentCurrent(world, user);

    Object.assign(user, { name, email, password, updatedAt: timestamp(world.now()) });
    if (isNewPassword) endSessions(world, user.id, actor.sessionId);
    const object = presentUser(user);
    const changes = [...(changed?.changes ?? []), ...(isNewPassword ? ['password'] : [])];
    const data = { object, changes, previous: changed?.previous ?? {} };
    emit(world, { type: 'user.updated', userId: user.id, visitor: actor, data });
    return presentCurrent(world, user);
  },

  deleteCurrentUser({ world, actor, body }) {
    const { user } = actor;
    prove(user, 'password', body.password);
    emit(world, {
      type: 'user.deleted',
      userId: user.id,
      visitor: actor,
      data: { object: { id: user.id } },
    });
    removeUser(world, user);
  },
} satisfies Partial<Handlers>;

function removeUser(world: World, user: UserRecord): void {
  const { tables } = world;
  const { id } = user;
  for (const vault of tables.vaults.values()) if (vault.userId === id) removeVault(world, vault);
  for (const [deliveryId, { webhookId }] of tables.deliveries) {
    if (tables.webhooks.get(webhookId)?.userId === id) tables.deliveries.delete(deliveryId);
  }
  for (const table of [tables.consents, tables.webhooks] as const) {
    for (const [key, owned] of table) if (owned.userId === id) table.delete(key);
  }
  revokeAllApiKeys(world, user);
  endSessions(world, id, null);
  tables.users.delete(id);
}

function revokeAllApiKeys({ tables }: World, { id }: UserRecord): void {
  for (const [keyId, { userId }] of tables.apiKeys) if (userId === id) tables.apiKeys.delete(keyId);
}

/** @throws Failure VALIDATION_ERROR */
function prove(user: UserRecord, field: string, password: string): void {
  if (user.password === password) return;
  throw violation(field, 'match', `${field} is not the password of this account.`);
}

function refuseTaken(world: World, email: string, holder?: UserRecord): void {
  const taken = findByEmail(world, email);
  if (!taken || taken === holder) return;
  throw violation('email', 'unique', 'An account with this email address exists already.');
}

export function findByEmail({ tables }: World, email: string): UserRecord | undefined {
  return [...tables.users.values()].find((user) => fold(user.email) === fold(email));
}

/** What an account can be born with besides what a registration says. */
export type NewUser = Shape<'RegisterRequest'> & Partial<Pick<User, 'role' | 'tier' | 'status'>>;

/** @throws Failure VALIDATION_ERROR for an email address that is taken */
export function register(world: World, visitor: Visitor, input: NewUser): User {
  const { tables, ids, now } = world;
  const instance = [...tables.instances.values()].find(({ isActive }) => isActive);
  if (!instance) {
    throw new Failure('INSUFFICIENT_PERMISSIONS', {
      message: 'No instance of this server takes new accounts.',
    });
  }
  refuseTaken(world, input.email);
  const createdAt = timestamp(now());
  const user: UserRecord = {
    id: ids.resource(),
    role: 'user',
    tier: 'enterprise',
    status: 'active',
    ...input,
    instanceId: instance.id,
    createdAt,
    updatedAt: createdAt,
  };
  tables.users.set(user.id, user);
  const object = presentUser(user);
  emit(world, { type: 'user.created', userId: user.id, visitor, data: { object } });
  return object;
}

function presentCurrent(world: World, user: UserRecord): CurrentUser {
  return { ...presentUser(user), usage: usageOf(world, user.id) };
}

/** An account without its password. */
function presentUser({ password: _, ...user }: UserRecord): User {
  return user;
}
