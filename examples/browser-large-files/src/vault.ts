/** The account: signing in, unlocking, its vault. */
import { DocumentVault, NotFoundError } from '@document-vault/sdk';

const vaultName = 'Large files';

/** What an upload or a download needs. It lives in this page's memory: a reload asks for the secrets again. */
export interface OpenVault {
  /** An unlocked client. */
  readonly client: DocumentVault;
  readonly vaultId: string;
  /** The recovery key of a new keyring, for the user to keep. */
  readonly recoveryKey: string | undefined;
}

/** What the form asks for. */
export interface Secrets {
  readonly email: string;
  readonly password: string;
  readonly passphrase: string;
}

/** Signs in, or first creates the account. */
export async function openVault(secrets: Secrets, isNew: boolean): Promise<OpenVault> {
  const { email, password, passphrase } = secrets;
  const baseUrl = import.meta.env.VITE_VAULT_URL ?? 'http://localhost:4000';
  const client = new DocumentVault({ baseUrl, session: {} });
  if (isNew) await client.auth.register({ name: email, email, password });
  await client.auth.login({ email, password });
  const recoveryKey = await unlock(client, passphrase);
  return { client, vaultId: await findVault(client), recoveryKey };
}

/** Returns the vault of this page, which the first visit creates. */
async function findVault({ vaults }: DocumentVault): Promise<string> {
  const found = await vaults.list({ search: vaultName });
  const own = found.data.find(({ name }) => name === vaultName);
  return (own ?? (await vaults.create({ name: vaultName }))).id;
}

/**
 * Unlocks the client. For an account without a keyring, creates one.
 *
 * @returns the recovery key of a new keyring
 */
async function unlock(client: DocumentVault, passphrase: string): Promise<string | undefined> {
  try {
    await client.unlock({ passphrase });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return (await client.keyring.create({ passphrase })).recoveryKey;
  }
}
