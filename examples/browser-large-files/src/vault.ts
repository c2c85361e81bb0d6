/** The account: signing in, its vault, its cipher. */
import { DocumentVault } from '@document-vault/sdk';
import { type Cipher, createCipher } from '@document-vault/sdk/crypto';

const vaultName = 'Large files';

/** What an upload or a download needs. It lives in this page's memory: a reload asks for the secrets again. */
export interface OpenVault {
  readonly client: DocumentVault;
  readonly cipher: Cipher;
  readonly vaultId: string;
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
  const vaultId = await findVault(client);
  return { client, vaultId, cipher: await cipherOf(client, vaultId, passphrase) };
}

/** Returns the vault of this page, which the first visit creates. */
async function findVault({ vaults }: DocumentVault): Promise<string> {
  const found = await vaults.list({ search: vaultName });
  const own = found.data.find(({ name }) => name === vaultName);
  return (own ?? (await vaults.create({ name: vaultName }))).id;
}

/** Refuses a passphrase that does not fit: it would encrypt the next file as well as the right one. */
async function cipherOf(
  { documents }: DocumentVault,
  vaultId: string,
  passphrase: string,
): Promise<Cipher> {
  const cipher = await createCipher({ passphrase });
  const [newest] = (await documents.list({ vaultId, pageSize: 1 })).data;
  if (newest && !(await cipher.check(newest))) {
    throw new Error('The passphrase does not fit your files.');
  }
  return cipher;
}
