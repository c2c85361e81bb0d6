/**
 * Encrypts a file, stores it and prints a link: anyone with the link can open the file, without an
 * account and without the passphrase.
 *
 *     npx node examples/share-file.ts FILE [--times 3] [--days 7]
 *
 * `--times` caps how often it opens, `--days` when it ends. `npx node examples/open-link.ts LINK` opens it.
 *
 * Prerequisites: `npm install` and `npm run build`; a server (`npm start`), and in the environment its
 * address as VAULT_URL, an API key of the account as VAULT_API_KEY and its recovery key as VAULT_RECOVERY_KEY
 * (`create-keyring.ts` prints one).
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { DocumentVault } from '@document-vault/sdk';
import { shareUrl } from '@document-vault/sdk/share';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string', default: '3' }, days: { type: 'string', default: '7' } },
});
const [file = ''] = positionals;
const day = 24 * 60 * 60 * 1000;
const recoveryKey = process.env.VAULT_RECOVERY_KEY;

try {
  if (!recoveryKey) throw new Error('VAULT_RECOVERY_KEY is not set: create-keyring.ts prints one');
  const client = new DocumentVault();
  await client.unlock({ recoveryKey });
  const { id: vaultId } = await client.vaults.create({ name: 'Shared by link' });
  const document = await client.documents.upload(await readFile(file), {
    vaultId,
    fileName: basename(file),
    encryptFileName: true,
    onProgress: ({ phase, loaded, total }) =>
      console.error(`${phase}: ${loaded} of ${total} bytes`),
  });
  const share = await client.shares.create(document.id, {
    access: 'anyone',
    maxAccessCount: Number(values.times),
    expiresAt: new Date(Date.now() + Number(values.days) * day).toISOString(),
  });
  console.log(await shareUrl(share, { document }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
