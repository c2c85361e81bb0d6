import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import { userScopes } from './domain/access.ts';
import { developmentFile } from './domain/accounts/administration.ts';
import { newApiKey } from './domain/accounts/api-keys.ts';
import { digest, randomToken } from './domain/accounts/secrets.ts';
import { serverOrigin } from './domain/actor.ts';
import type { Services } from './http/operations.ts';
import { createIds } from './ids.ts';
import { syncFolder } from './store/sqlite/data-folder.ts';
import type { Store } from './store/store.ts';

/** The account that a server in development is born with. */
export interface DevelopmentAccount {
  readonly email: string;
  readonly password: string;
  /** A key with every scope that an ordinary account can have. */
  readonly apiKey: string;
}

export interface DevelopmentAccountOptions {
  readonly store: Store;
  readonly services: Services;
  readonly clock: Clock;
  /** The data folder, where the account is written down; null: it is not. */
  readonly folder: string | null;
}

/**
 * The development account: made when the store is empty, and written down beside it, so that a later
 * start can name it again. Undefined when the store was filled otherwise, or has it no longer.
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
    throw new Error(`${file} cannot be read; repair or delete it.`, { cause: error });
  }
  // Its owner may have deleted it or given it another address, and a restored database has another one.
  const holder = await store.apiKeys.findHolder(digest(String(account.apiKey)));
  return holder?.email === account.email ? account : undefined;
}

async function createAccount(options: DevelopmentAccountOptions): Promise<DevelopmentAccount> {
  const { services, clock, folder } = options;
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
  const account = {
    email: 'developer@example.com',
    password: randomToken(),
    apiKey: key,
  };
  // Before it exists, and it with its key in one transaction: a process that ends in between leaves
  // no account that nobody can sign in to, but an empty store, for which the next start makes one.
  if (folder !== null) await writeDown(account, folder);
  const { email, password } = account;
  await services.users.create(
    {
      ...serverOrigin,
      async settle(tx) {
        await tx.apiKeys.insert(record, digest(key));
        await tx.developmentAccounts.mark({ userId, keyId: record.keyId });
      },
    },
    { email, password, name: 'Developer' },
    { id: userId },
  );
  return account;
}

/** Writes the account into a file of the folder. The file survives a power loss. */
async function writeDown(account: DevelopmentAccount, folder: string): Promise<void> {
  const text = `${JSON.stringify(account, null, 2)}\n`;
  await writeFile(join(folder, developmentFile), text, { mode: 0o600, flush: true });
  await syncFolder(folder);
}
