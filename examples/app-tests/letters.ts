/**
 * A small app: it encrypts letters, stores them in a vault, and explains errors to its user.
 * letters.test.ts tests it.
 */
import { type DocumentVault, isVaultError, RateLimitError } from '@document-vault/sdk';

const vaultName = 'Letters';

/** Encrypts a letter and stores it. Creates the vault when it is missing. Returns the id of the letter. */
export async function fileLetter(client: DocumentVault, letter: File): Promise<string> {
  const { data } = await client.vaults.list({ search: vaultName });
  const vault = data[0] ?? (await client.vaults.create({ name: vaultName }));
  const { id } = await client.documents.upload(letter, { vaultId: vault.id });
  return id;
}

/** Returns the names of the latest letters. */
export async function latestLetters(client: DocumentVault): Promise<string[]> {
  const { data } = await client.documents.list({ pageSize: 3 });
  return data.map(({ fileName }) => fileName);
}

/** Returns the message about an error for the user of the app. */
export function explain(error: unknown): string {
  if (!isVaultError(error)) throw error;
  if (error instanceof RateLimitError) {
    return `Too busy. Try again in ${Math.ceil((error.retryAfterMs ?? 0) / 1000)} s.`;
  }
  if (error.name === 'SessionExpiredError') return 'Please sign in again.';
  if (error.name === 'ConnectionError') return 'No connection. Try again later.';
  return 'Something went wrong.';
}
