import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userScopes } from './domain/access.ts';
import { actorOf } from './domain/auth.ts';
import { digest, randomToken } from './domain/secrets.ts';
import type { Services } from './http/operations/index.ts';
import type { Store } from './store/store.ts';

/** The account that a server in development is born with. */
export interface DevelopmentAccount {
  readonly email: string;
  readonly password: string;
  /** A key with every scope that an ordinary account can have. */
  readonly apiKey: string;
}

const fileName = 'development.json';

export interface DevelopmentAccountOptions {
  readonly store: Store;
  readonly services: Services;
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
  const file = join(folder, fileName);
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

async function createAccount({
  store,
  services,
  folder,
}: DevelopmentAccountOptions): Promise<DevelopmentAccount> {
  const origin = { userId: null, requestId: null, ipAddress: null, userAgent: null };
  const email = 'developer@example.com';
  const password = randomToken();
  const { id } = await services.users.create(origin, { email, password, name: 'Developer' });
  const user = await store.users.find(id);
  if (!user) throw new Error('the development account was not stored');
  const actor = actorOf(origin, user, { scopes: userScopes, keyId: null });
  const { key } = await services.apiKeys.create(actor, {
    name: 'Development',
    scopes: [...userScopes],
  });

  const account = { email, password, apiKey: key };
  if (folder !== null) {
    const text = `${JSON.stringify(account, null, 2)}\n`;
    await writeFile(join(folder, fileName), text, { mode: 0o600 });
  }
  return account;
}
