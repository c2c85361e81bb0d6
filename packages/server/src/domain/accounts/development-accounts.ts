import type { Clock } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Store } from '../../store/store.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { Operator } from './administration.ts';
import type { Passwords } from './passwords.ts';
import { ownerOf, presentUser, type User } from './users.ts';

/** The file of a data folder that has the development account's password and API key. */
export const developmentFile = 'development.json';

/** A database with a development account cannot be used in production. */
export class DevelopmentAccountError extends Error {
  override readonly name = 'DevelopmentAccountError';
}

/**
 * Refuses a database whose development account still has its printed password or API key.
 *
 * @throws DevelopmentAccountError naming the commands that remove or keep the account
 */
export async function refuseDevelopmentAccount(store: Store, folder: string): Promise<void> {
  const account = await store.developmentAccounts.find();
  if (!account?.hasPrintedPassword && !account?.hasPrintedKey) return;
  const command = (name: string) => `document-vault development-account ${name} --data ${folder}`;
  throw new DevelopmentAccountError(
    `The database in ${folder} has the account of a development server, ${account.email}. A production ` +
      `server does not start with it, because its password or API key was printed and written to ` +
      `${developmentFile}. Remove the account: ${command('remove')}. Or keep it with a new password ` +
      `and without that key: ${command('keep')}.`,
  );
}

export interface DevelopmentAccountsOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly passwords: Passwords;
}

export type DevelopmentAccounts = ReturnType<typeof createDevelopmentAccounts>;

/** What an operator does with the development account before production. */
export function createDevelopmentAccounts(options: DevelopmentAccountsOptions) {
  const { store, work, clock, passwords } = options;

  /** The account, or undefined when there is none. */
  async function find(): Promise<User | undefined> {
    const marked = await store.developmentAccounts.find();
    const user = marked && (await store.users.find(marked.userId));
    return user && presentUser(user);
  }

  /** Sets a new password, ends every session, revokes the printed API key and removes the mark. */
  async function keep(actor: Operator, password: string): Promise<User> {
    const passwordHash = await passwords.hash(password);
    return work(actor, async (tx, emit) => {
      const marked = await tx.developmentAccounts.find();
      const before = marked && (await tx.users.find(marked.userId));
      if (!before) throw notFound('development account');
      const now = clock.now();
      const after: UserRecord = { ...before, passwordHash, updatedAt: now };
      await tx.users.save(after);
      await tx.sessions.endAll(after.id, { except: null, now });
      if (marked.hasPrintedKey) await tx.apiKeys.revoke(marked.keyId, now);
      await tx.developmentAccounts.unmark();
      const object = presentUser(after);
      const changes = ['password'];
      await emit({ type: 'user.updated', owner: ownerOf(after), object, changes, previous: {} });
      return object;
    });
  }

  return { find, keep };
}
