import { emailTaken } from '../../generated/rules/accounts.ts';
import { requireAdministratorLeft } from '../../generated/rules/administrators.ts';
import { diffOf } from '../../generated/rules/changes.ts';
import { normalPassword, requireLongPassword } from '../../generated/rules/passwords.ts';
import type { UserRecord } from '../../store/rows/accounts/users.ts';
import type { Repositories } from '../../store/store.ts';
import { refuseApp } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { Shape } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { revokeAllAccess } from './all-access.ts';
import { findCaller, type Prove, requireProof } from './proof.ts';
import type { Passwords } from './secrets.ts';
import { ownAccount, presentUser, type RunStep, removeAccount, removeBelongings } from './users.ts';

export interface CurrentUserOptions extends Omit<ServiceOptions, 'ids'> {
  readonly passwords: Passwords;
  readonly prove: Prove;
}

export type CurrentUser = ReturnType<typeof createCurrentUser>;

/** Operations of users on their own account. */
export function createCurrentUser(options: CurrentUserOptions) {
  const { store, work, clock, passwords, prove, accountLimits } = options;

  async function get(actor: Actor): Promise<Shape<'CurrentUser'>> {
    return presentCurrent(store, await findCaller(store, actor));
  }

  async function presentCurrent(repositories: Repositories, user: UserRecord) {
    return { ...presentUser(user), usage: await accountLimits.usage(repositories, user.id) };
  }

  /**
   * Changes the account. A new password ends all other sessions, because others may have signed in with
   * the old one. `revokeApiKeys` also revokes all API keys, including the caller's, and ends the secrets of
   * OAuth clients.
   */
  async function update(actor: Actor, input: Shape<'UpdateUser'>): Promise<Shape<'CurrentUser'>> {
    const { currentPassword, password, name, email, revokeApiKeys = false } = input;
    if (changesCredentials(input)) refuseApp(actor);
    if (password !== undefined) requireLongPassword(password);
    const proven =
      currentPassword === undefined
        ? undefined
        : await prove(actor, 'currentPassword', currentPassword);
    const isNewPassword =
      password !== undefined && normalPassword(password) !== normalPassword(currentPassword ?? '');
    const passwordHash = isNewPassword ? await passwords.hash(password) : undefined;

    return work(actor, async (tx, emit) => {
      const before = await findCaller(tx, actor);
      if (proven !== undefined) requireProof(before, proven, 'currentPassword');
      const after: UserRecord = {
        ...before,
        name: name ?? before.name,
        email: email ?? before.email,
        passwordHash: passwordHash ?? before.passwordHash,
        updatedAt: clock.now(),
      };
      if (revokeApiKeys) await revokeAllAccess(tx, emit, after);
      const changed = diffOf(profileOf(before), profileOf(after), ['name', 'email']);
      if (!changed && !isNewPassword) return presentCurrent(tx, before);
      if (!isNewPassword) accountLimits.refuseFullDisk();

      await refuseTaken(tx, after);
      await tx.users.save(after);
      if (isNewPassword) {
        const { sessionId: except } = actor;
        await tx.sessions.endAll(after.id, { except, now: after.updatedAt });
      }
      const object = presentUser(after);
      await emit({
        type: 'user.updated',
        ...ownAccount(after),
        object,
        changes: [...(changed?.changes ?? []), ...(isNewPassword ? ['password'] : [])],
        previous: changed?.previous ?? {},
      });
      return presentCurrent(tx, after);
    });
  }

  /**
   * Deletes the account with everything that it owns.
   *
   * @throws ServiceError VALIDATION_ERROR, `match` or `lastAdministrator`; RATE_LIMIT_EXCEEDED
   */
  async function remove(actor: Actor, input: Shape<'DeleteUser'>): Promise<void> {
    const proven = await prove(actor, 'password', input.password);
    const findProven = async (tx: Repositories) => {
      const user = await findCaller(tx, actor);
      requireProof(user, proven, 'password');
      await requireOtherAdministrator(tx, user);
      return user;
    };
    const { userId, sessionId, instanceId } = actor;
    const run: RunStep = (step) =>
      work(actor, async (tx) => {
        await findProven(tx);
        return step(tx);
      });
    await removeBelongings(run, { userId, sessionId, instanceId });
    await work(actor, async (tx, emit) => removeAccount(tx, emit, await findProven(tx)));
  }

  return { get, update, remove };
}

/** Whether a change needs more than an app may do. */
function changesCredentials(input: Shape<'UpdateUser'>): boolean {
  const { email, password, currentPassword, revokeApiKeys } = input;
  return [email, password, currentPassword, revokeApiKeys].some((value) => value !== undefined);
}

/** @throws ServiceError VALIDATION_ERROR, `lastAdministrator` */
async function requireOtherAdministrator(tx: Repositories, user: UserRecord): Promise<void> {
  if (user.role !== 'admin') return;
  requireAdministratorLeft(user, undefined, await tx.users.hasOtherAdministrator(user.id));
}

async function refuseTaken(tx: Repositories, { id, email }: UserRecord): Promise<void> {
  const holder = await tx.users.findByEmail(email);
  if (holder && holder.id !== id) throw emailTaken();
}

/** The fields of an account that events show. Never the password or its hash. */
function profileOf({ name, email }: UserRecord) {
  return { name, email };
}
