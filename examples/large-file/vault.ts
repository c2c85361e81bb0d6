/** The client and the cipher of both programs, from the environment. */
import { DocumentVault } from '@document-vault/sdk';
import { type Cipher, createCipher } from '@document-vault/sdk/crypto';

/** Creates the client of the account that VAULT_API_KEY belongs to. */
export function openVault(): DocumentVault {
  return new DocumentVault({
    baseUrl: process.env.VAULT_URL ?? 'http://localhost:4000',
    apiKey: process.env.VAULT_API_KEY,
  });
}

/** Creates the cipher of VAULT_PASSPHRASE. */
export async function openCipher(): Promise<Cipher> {
  const passphrase = process.env.VAULT_PASSPHRASE;
  if (!passphrase)
    throw new Error('VAULT_PASSPHRASE is not set: the secret that encrypts the file');
  return createCipher({ passphrase });
}

/** Shows a progress in per cent: on a terminal in one line, elsewhere not at all. */
export function showProgress(verb: string, loaded: number, total: number): void {
  if (!process.stderr.isTTY) return;
  const percent = total === 0 ? 100 : Math.floor((100 * loaded) / total);
  process.stderr.write(`\r${verb} ${percent} %${loaded === total ? '\n' : ''}`);
}
