/**
 * Creates the keyring of an account, once, and prints its recovery key. The other programs unlock by that key:
 *
 *     export VAULT_RECOVERY_KEY=$(npx node examples/create-keyring.ts)
 *
 * Prerequisites: `npm install` and `npm run build`; a server (`npm start`), and in the environment its
 * address as VAULT_URL, an API key of the account as VAULT_API_KEY and a passphrase as VAULT_PASSPHRASE.
 */
import { DocumentVault } from '@document-vault/sdk';

const passphrase = process.env.VAULT_PASSPHRASE;

try {
  if (!passphrase)
    throw new Error('VAULT_PASSPHRASE is not set: the secret that opens the keyring');
  const client = new DocumentVault();
  const { recoveryKey } = await client.keyring.create({ passphrase });
  console.log(recoveryKey);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
