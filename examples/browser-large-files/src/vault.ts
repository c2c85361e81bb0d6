/** Signs in, unlocks, and finds the vault. */
import { DocumentVault, NotFoundError } from '@document-vault/sdk';

const vaultName = 'Large files';

/** What uploads and downloads need. It is in the memory of this page: a reload asks for the secrets again. */
export interface OpenVault {
  /** An unlocked client. */
  readonly client: DocumentVault;
  readonly vaultId: string;
  /** The recovery key of a new keyring, for the user to keep. */
  readonly recoveryKey: string | undefined;
}

/** The input of the form. */
export interface Secrets {
  readonly email: string;
  readonly password: string;
  readonly passphrase: string;
}

/** Signs in and unlocks. Creates the account first when `isNew`. */
export async function openVault(secrets: Secrets, isNew: boolean): Promise<OpenVault> {
  const { email, password, passphrase } = secrets;
  const baseUrl = import.meta.env.VITE_VAULT_URL ?? 'http://localhost:4000';
  const client = new DocumentVault({ baseUrl, session: {} });
  if (isNew) await client.auth.register({ name: email, email, password });
  await client.auth.login({ email, password });
  const vaultId = await findVault(client);
  // Last: a failure after it would lose the recovery key.
  const recoveryKey = await unlock(client, passphrase);
  return { client, vaultId, recoveryKey };
}

/** Returns the id of this page's vault. Creates the vault at the first visit. */
async function findVault({ vaults }: DocumentVault): Promise<string> {
  for await (const { id, name } of vaults.list({ search: vaultName })) {
    if (name === vaultName) return id;
  }
  return (await vaults.create({ name: vaultName })).id;
}

/**
 * Unlocks the client. Creates the keyring of an account that has none.
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
