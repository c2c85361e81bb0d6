/**
 * A program for a terminal that signs in by the code of a device: its user opens a page on any device,
 * enters the code and agrees. Then it lists the user's vaults. Tokens are kept for the next run.
 *
 *     CLIENT_ID=… npx node examples/device-login/device-login.ts [--sign-out]
 *
 * `--sign-out` revokes the tokens and deletes them. VAULT_URL is the public address of the service,
 * VAULT_TOKENS the file of the tokens, by default `.document-vault-tokens.json` in the home folder.
 *
 * Prerequisites: `npm install` and `npm run build`; a server with OAuth, and the program registered there
 * as a public client:
 *
 *     npm start -- client create --user ada@example.com --name "Vault terminal" --public \
 *       --scopes vaults:read --grant-types urn:ietf:params:oauth:grant-type:device_code,refresh_token
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DocumentVault, isVaultError } from '@document-vault/sdk';
import {
  beginDeviceAuthorization,
  finishDeviceAuthorization,
  oauthSession,
  SessionExpiredError,
} from '@document-vault/sdk/oauth';
import { fileTokenStore } from './file-token-store.ts';

const { values: options } = parseArgs({
  options: { 'sign-out': { type: 'boolean', default: false } },
});
const clientId = process.env.CLIENT_ID;
if (!clientId) {
  console.error('CLIENT_ID is not set: the server returned it when the program was registered');
  process.exit(1);
}

const store = fileTokenStore(
  process.env.VAULT_TOKENS ?? join(homedir(), '.document-vault-tokens.json'),
);
const client = new DocumentVault({
  baseUrl: process.env.VAULT_URL ?? 'http://localhost:4000',
  session: oauthSession({ clientId, store }),
});
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
const { signal } = interrupted;

try {
  if (options['sign-out']) await client.auth.logout();
  else await run();
} catch (error) {
  if (!isVaultError(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  if ((await store.get()) === undefined) await signIn();
  try {
    await listVaults();
  } catch (error) {
    if (!(error instanceof SessionExpiredError)) throw error;
    console.error('The access of this program has ended.');
    await signIn();
    await listVaults();
  }
}

async function signIn(): Promise<void> {
  const device = await beginDeviceAuthorization(client, { scopes: ['vaults:read'] }, { signal });
  console.error(`Open ${device.verificationUri} and enter ${device.userCode}`);
  await finishDeviceAuthorization(client, device, { signal });
}

async function listVaults(): Promise<void> {
  for await (const { name } of client.vaults.list({}, { signal })) console.log(name);
}
