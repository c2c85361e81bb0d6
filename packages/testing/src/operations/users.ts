import type { CurrentUser, User } from '@document-vault/sdk';
import type { Visitor } from '../actor.ts';
import type { Shape } from '../contract.ts';
import { emit } from '../events.ts';
import { emailTaken, noInstance, wrongPassword } from '../generated/rules/accounts.ts';
import {
  isActiveAdministrator,
  requireAdministratorLeft,
} from '../generated/rules/administrators.ts';
import { diffOf } from '../generated/rules/changes.ts';
import { notFound } from '../generated/rules/errors.ts';
import { fold } from '../generated/rules/lists.ts';
import { normalPassword, requireLongPassword } from '../generated/rules/passwords.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { containsAny } from '../resource.ts';
import { type State, timestamp, type UserRecord } from '../state.ts';
import { endSessions } from '../tokens.ts';
import { usageOf } from './limits.ts';
import { endClientCredentials } from './oauth-clients.ts';
import { removeVault } from './vaults.ts';
import { narrowWebhooks } from './webhooks.ts';

export const userHandlers = {
  getCurrentUser: ({ state, actor }) => presentCurrent(state, actor.user),

  /** A new password ends every session except the caller's. */
  updateCurrentUser({ state, actor, body }) {
    const { user } = actor;
    const { currentPassword } = body;
    if (body.password !== undefined) requireLongPassword(body.password);
    const password = normalPassword(body.password ?? user.password);
    if (currentPassword !== undefined) prove(user, 'currentPassword', currentPassword);
    const { name = user.name, email = user.email, revokeApiKeys } = body;
    const isNewPassword = password !== user.password;
    const changed = diffOf(user, { ...user, name, email }, ['name', 'email']);
    if (changed) refuseTaken(state, email, user);
    if (revokeApiKeys) {
      revokeAllApiKeys(state, user);
      endClientCredentials(state, user);
    }
    if (!changed && !isNewPassword) return presentCurrent(state, user);

    Object.assign(user, { name, email, password, updatedAt: timestamp(state.now()) });
    if (isNewPassword) endSessions(state, user.id, actor.sessionId);
    const object = presentUser(user);
    const changes = [...(changed?.changes ?? []), ...(isNewPassword ? ['password'] : [])];
    const previous = changed?.previous ?? {};
    const event = { type: 'user.updated', userId: user.id, principal: actor, object } as const;
    emit(state, { ...event, changes, previous });
    return presentCurrent(state, user);
  },

  deleteCurrentUser({ state, actor, body }) {
    const { user } = actor;
    prove(user, 'password', body.password);
    requireAdministratorLeft(user, undefined, hasOtherAdministrator(state, user));
    const { id: userId } = user;
    emit(state, { type: 'user.deleted', userId, principal: actor, object: { id: userId } });
    removeUser(state, user);
  },

  listUsers({ state, query }) {
    const { search, tier, role, status } = query;
    const found = [...state.tables.users.values()].filter(
      (user) =>
        (tier === undefined || user.tier === tier) &&
        (role === undefined || user.role === role) &&
        (status === undefined || user.status === status) &&
        containsAny(user, ['name', 'email'], search),
    );
    return toPage(found, query, presentUser);
  },

  getUser: ({ state, path }) => presentCurrent(state, findUser(state, path.id)),

  administerUser({ state, actor, path, body }) {
    const user = findUser(state, path.id);
    const after = { ...user, ...body };
    const changed = diffOf(user, after, ['role', 'tier', 'status']);
    if (!changed) return presentCurrent(state, user);
    requireAdministratorLeft(user, after, hasOtherAdministrator(state, user));
    Object.assign(user, body, { updatedAt: timestamp(state.now()) });
    if (!isActiveAdministrator(user)) narrowWebhooks(state, user.id);
    const event = { type: 'user.updated', userId: user.id, principal: actor } as const;
    emit(state, { ...event, object: presentUser(user), ...changed });
    return presentCurrent(state, user);
  },
} satisfies Partial<Handlers>;

/** @throws ServiceError NOT_FOUND */
function findUser({ tables }: State, userId: string): UserRecord {
  const user = tables.users.get(userId);
  if (!user) throw notFound('account', { userId });
  return user;
}

function hasOtherAdministrator({ tables }: State, user: UserRecord): boolean {
  return [...tables.users.values()].some((each) => each !== user && isActiveAdministrator(each));
}

function removeUser(state: State, user: UserRecord): void {
  const { tables } = state;
  const { id } = user;
  for (const vault of tables.vaults.values()) if (vault.userId === id) removeVault(state, vault);
  for (const [deliveryId, { webhookId }] of tables.deliveries) {
    if (tables.webhooks.get(webhookId)?.userId === id) tables.deliveries.delete(deliveryId);
  }
  for (const table of [tables.consents, tables.webhooks, tables.clients] as const) {
    for (const [key, owned] of table) if (owned.userId === id) table.delete(key);
  }
  revokeAllApiKeys(state, user);
  endSessions(state, id, null);
  tables.keyrings.delete(id);
  tables.users.delete(id);
}

function revokeAllApiKeys({ tables }: State, { id }: UserRecord): void {
  for (const [keyId, { userId }] of tables.apiKeys) if (userId === id) tables.apiKeys.delete(keyId);
}

/** @throws ServiceError VALIDATION_ERROR */
export function prove(user: UserRecord, field: string, password: string): void {
  if (user.password === normalPassword(password)) return;
  throw wrongPassword(field);
}

function refuseTaken(state: State, email: string, holder?: UserRecord): void {
  const taken = findByEmail(state, email);
  if (taken && taken !== holder) throw emailTaken();
}

export function findByEmail({ tables }: State, email: string): UserRecord | undefined {
  return [...tables.users.values()].find((user) => fold(user.email) === fold(email));
}

/** Properties of a new account that a registration does not have. */
export type NewUser = Shape<'RegisterRequest'> & Partial<Pick<User, 'role' | 'tier' | 'status'>>;

/** @throws ServiceError VALIDATION_ERROR for an email address that is taken */
export function register(state: State, principal: Visitor, input: NewUser): User {
  const { tables, ids, now } = state;
  requireLongPassword(input.password);
  const instance = [...tables.instances.values()].find(({ isActive }) => isActive);
  if (!instance) throw noInstance();
  refuseTaken(state, input.email);
  const createdAt = timestamp(now());
  const user: UserRecord = {
    id: ids.resource(),
    role: 'user',
    tier: 'enterprise',
    status: 'active',
    ...input,
    password: normalPassword(input.password),
    instanceId: instance.id,
    createdAt,
    updatedAt: createdAt,
  };
  tables.users.set(user.id, user);
  const object = presentUser(user);
  const triggered = { userId: user.id, principal: { ...principal, user } };
  emit(state, { type: 'user.created', ...triggered, object });
  return object;
}

function presentCurrent(state: State, user: UserRecord): CurrentUser {
  return { ...presentUser(user), usage: usageOf(state, user.id) };
}

/** An account without its password. */
export function presentUser({ password: _, ...user }: UserRecord): User {
  return user;
}
