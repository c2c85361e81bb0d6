// Uploads one document with the SDK, in a process of its own. It begins or continues by the checkpoint file, and keeps
// the file durable. It reports `began` before the first part is sent, and the id of the document at the end.
import { open, readFile, rename } from 'node:fs/promises';
import { DocumentVault, type UploadCheckpoint, VaultError } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { contentOf, type UploadTask } from './upload-task.ts';

const [, , argument = '{}'] = process.argv;
const task = JSON.parse(argument) as UploadTask;

async function storedCheckpoint(): Promise<UploadCheckpoint | undefined> {
  const text = await readFile(task.checkpointFile, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as UploadCheckpoint);
}

async function store(checkpoint: UploadCheckpoint): Promise<void> {
  const written = `${task.checkpointFile}.new`;
  const file = await open(written, 'w');
  await file.writeFile(JSON.stringify(checkpoint));
  await file.datasync();
  await file.close();
  await rename(written, task.checkpointFile);
  // An upload that fails can still be storing a checkpoint.
  if (process.connected) process.send?.('began');
}

const { url, apiKey, vaultId, passphrase, seed, size } = task;
const client = new DocumentVault({ baseUrl: url, apiKey, maxRetries: 1 });
const cipher = await createCipher({ passphrase });
try {
  const document = await client.documents.upload(contentOf(seed, size), {
    vaultId,
    cipher,
    fileName: `upload ${seed}`,
    onCheckpoint: store,
    resume: await storedCheckpoint(),
  });
  process.send?.({ id: document.id });
} catch (error) {
  if (!(error instanceof VaultError)) throw error;
  process.send?.({ failure: `${error.name}: ${error.message}` });
}
process.disconnect();
