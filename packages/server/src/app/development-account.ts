import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userScopes } from '../domain/access.ts';
import { developmentFile } from '../domain/accounts/administration.ts';
import { newApiKey } from '../domain/accounts/api-keys.ts';
import { digest, randomToken } from '../domain/accounts/secrets.ts';
import { serverItself } from '../domain/actor.ts';
import type { Services } from '../domain/services.ts';
import type { Clock } from '../lib/clock.ts';
import { createIds } from '../lib/ids.ts';
import { makeFolder, syncFolder } from '../store/sqlite/data-folder.ts';
import type { Store } from '../store/store.ts';

/** The account that a server in development creates at its first start. */
export interface DevelopmentAccount {
  /** Id of the user. */
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** A key with every scope of the role user. */
  readonly apiKey: string;
}

export interface DevelopmentAccountOptions {
  readonly store: Store;
  readonly services: Services;
  readonly clock: Clock;
  /** The data folder, for the file with the credentials; null: no file is written. */
  readonly folder: string | null;
  /** Default: a developer with a random password. */
  readonly profile?: NewProfile | undefined;
}

/** The profile of a new account. */
export interface NewProfile {
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

/**
 * Returns the development account. Creates it when the store is empty, and writes its credentials into a
 * file of the data folder, from which later starts read them.
 *
 * @returns undefined when the store was filled without it, or the account was deleted
 */
export async function developmentAccount(
  options: DevelopmentAccountOptions,
): Promise<DevelopmentAccount | undefined> {
  const { store, folder } = options;
  if (await store.users.isEmpty()) return createAccount(options);
  if (folder === null) return undefined;
  const file = join(folder, developmentFile);
  let account: DevelopmentAccount;
  try {
    account = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read. Repair or delete it.`, { cause: error });
  }
  // The account can be deleted or have another address, and a restored database has another account.
  const holder = await store.apiKeys.findByHash(digest(String(account.apiKey)));
  return holder?.email === account.email ? { ...account, id: holder.userId } : undefined;
}

async function createAccount(options: DevelopmentAccountOptions): Promise<DevelopmentAccount> {
  const { services, clock, folder, profile = newDeveloper() } = options;
  const ids = createIds(clock);
  const userId = ids.resource();
  const { key, record } = newApiKey({
    keyId: ids.prefixed('key'),
    userId,
    name: 'Development',
    scopes: [...userScopes],
    createdAt: clock.now(),
    expiresAt: null,
  });
  const { email, password } = profile;
  const account = { id: userId, email, password, apiKey: key };
  // The file comes first, and account and key are one transaction. A process that ends in between leaves
  // an empty store, for which the next start creates an account, and no account with lost credentials.
  if (folder !== null) await writeCredentials(account, folder);
  await services.users.create(
    {
      ...serverItself,
      async beforeCommit(tx) {
        await tx.apiKeys.insert(record, digest(key));
        await tx.developmentAccounts.mark({ userId, keyId: record.keyId });
      },
    },
    profile,
    { id: userId },
  );
  return account;
}

function newDeveloper(): NewProfile {
  return { email: 'developer@example.com', password: randomToken(), name: 'Developer' };
}

/** Writes the credentials into a file that survives a power loss. */
async function writeCredentials(account: DevelopmentAccount, folder: string): Promise<void> {
  const text = `${JSON.stringify(account, null, 2)}\n`;
  // With PostgreSQL, no database has created it.
  await makeFolder(folder);
  await writeFile(join(folder, developmentFile), text, { mode: 0o600, flush: true });
  await syncFolder(folder);
}
