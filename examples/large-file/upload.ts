/**
 * Encrypts a file of any size and uploads it in parts, in constant memory. Run again after a crash, a lost
 * connection or Ctrl-C, it continues: FILE.upload.json stores how far it has come.
 *
 *     npx node examples/large-file/upload.ts FILE [--vault NAME]
 *
 * Prerequisites: `npm install` and `npm run build`; a server (`npm start`), and in the environment its
 * address as VAULT_URL, an API key of the account as VAULT_API_KEY and its recovery key as VAULT_RECOVERY_KEY
 * (`create-keyring.ts` prints one).
 */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import {
  DecryptionError,
  type DocumentVault,
  NotFoundError,
  SourceChangedError,
} from '@document-vault/sdk';
import { fileCheckpoints } from '@document-vault/sdk/stores/node';
import { showProgress, unlockedClient } from './client.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { vault: { type: 'string', default: 'Large files' } },
});
const [path] = positionals;
if (!path) {
  console.error('Name the file: upload.ts FILE');
  process.exit(1);
}
const checkpointPath = `${path}.upload.json`;
const checkpoints = fileCheckpoints(checkpointPath);

try {
  console.log(await upload(path));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  const hasChanged = error instanceof SourceChangedError;
  const advice = hasChanged
    ? `Restore the file, or delete ${checkpointPath} to upload it anew.`
    : 'Run it again to continue.';
  if (await checkpoints.get()) console.error(advice);
  process.exitCode = 1;
}

/** Whether no file can continue the checkpoint. */
function isFinal(error: unknown): boolean {
  if (error instanceof DecryptionError) return error.reason === 'checkpoint';
  return error instanceof NotFoundError;
}

/** Returns the id of the document. */
async function upload(path: string): Promise<string> {
  const client = await unlockedClient();
  const resume = await checkpoints.get();
  const vaultId = resume?.vaultId ?? (await findVault(client, options.vault));
  const file = await open(path);
  try {
    const { id } = await client.documents.upload(file, {
      vaultId,
      fileName: basename(path),
      encryptFileName: true,
      resume,
      onCheckpoint: checkpoints.set,
      onProgress: ({ loaded, total = 0 }) => showProgress('Uploaded', loaded, total),
    });
    await checkpoints.clear();
    return id;
  } catch (error) {
    // Such a checkpoint would make the next run fail too.
    if (isFinal(error)) await checkpoints.clear();
    throw error;
  } finally {
    await file.close();
  }
}

/** Returns the id of the vault of this name. Creates the vault when there is none. */
async function findVault(client: DocumentVault, name: string): Promise<string> {
  for await (const found of client.vaults.list({ search: name })) {
    if (found.name === name) return found.id;
  }
  return (await client.vaults.create({ name })).id;
}
