/**
 * Brings a folder into a vault: encrypts and uploads the files that are new or have changed. The service
 * learns neither the contents nor the names.
 *
 *     npx node examples/sync-folder/sync-folder.ts FOLDER [--vault NAME] [--prune]
 *
 * `--vault` is the name of the vault, by default that of the folder. It is created when there is none.
 * `--prune` deletes the documents whose file is gone. The exit code is 1 after a failure.
 *
 * Prerequisites: `npm install` and `npm run build`; a server (`npm start`), and in the environment its
 * address as VAULT_URL, an API key of the account as VAULT_API_KEY and its recovery key as VAULT_RECOVERY_KEY
 * (`create-keyring.ts` prints one).
 */
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Document, DocumentVault, isVaultError } from '@document-vault/sdk';
import { type LocalFile, listFiles, nameOf } from './files.ts';
import { createProgress } from './progress.ts';

/** The documents of a vault by their decrypted names, the newest first. */
type DocumentsByName = ReadonlyMap<string, readonly Document[]>;

/** Number of files that are processed at once. */
const concurrency = 3;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { vault: { type: 'string' }, prune: { type: 'boolean', default: false } },
});
const folder = resolve(positionals[0] ?? '.');
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
const { signal } = interrupted;
const failures: string[] = [];

const recoveryKey = process.env.VAULT_RECOVERY_KEY;
if (!recoveryKey) {
  console.error('VAULT_RECOVERY_KEY is not set: create-keyring.ts prints one');
  process.exit(1);
}

try {
  const summary = await synchronize(recoveryKey);
  for (const failure of failures) console.error(failure);
  console.log(summary);
} catch (error) {
  if (!isVaultError(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
if (failures.length > 0) process.exitCode = 1;

async function synchronize(recoveryKey: string): Promise<string> {
  const client = new DocumentVault();
  await client.unlock({ recoveryKey });
  const vaultId = await findVault(client, options.vault ?? basename(folder));
  const existing = await documentsByName(client, vaultId);
  const files = await listFiles(folder);
  const changed = files.filter((file) => !isUnchanged(file, existing.get(nameOf(file.name))?.[0]));

  const uploaded = await uploadAll(changed, { client, vaultId, existing });
  const deleted = options.prune ? await deleteGone(files, { client, existing }) : 0;
  const unchanged = files.length - changed.length;
  return `${uploaded} uploaded, ${unchanged} unchanged, ${deleted} deleted`;
}

/** Returns the id of the vault of this name. Creates the vault when there is none. */
async function findVault(client: DocumentVault, name: string): Promise<string> {
  for await (const found of client.vaults.list({ search: name })) {
    if (found.name === name) return found.id;
  }
  return (await client.vaults.create({ name })).id;
}

async function documentsByName(
  { documents }: DocumentVault,
  vaultId: string,
): Promise<DocumentsByName> {
  const found = new Map<string, Document[]>();
  for await (const document of documents.list({ vaultId })) {
    const name = await documents.fileName(document);
    found.set(name, [...(found.get(name) ?? []), document]);
  }
  return found;
}

/** Compared by time: `sizeBytes` counts the ciphertext, which is longer than the file. */
function isUnchanged({ changedAt }: LocalFile, document: Document | undefined): boolean {
  return document !== undefined && Date.parse(document.uploadedAt) >= changedAt;
}

/** Returns the number of uploads. */
async function uploadAll(
  files: readonly LocalFile[],
  target: { client: DocumentVault; vaultId: string; existing: DocumentsByName },
): Promise<number> {
  const { client, vaultId, existing } = target;
  const progress = createProgress(files.length);
  const outcomes = await inParallel(files, async (file) => {
    const shown = progress.begin(file.name, file.size);
    const succeeded = await attempt(file.name, async () => {
      const fileName = nameOf(file.name);
      const source = await open(file.path);
      try {
        await client.documents.upload(source, {
          vaultId,
          fileName,
          encryptFileName: true,
          signal,
          onProgress: ({ phase, loaded }) => shown.update(phase, loaded),
        });
      } finally {
        await source.close();
      }
      // Not earlier, so that the vault always contains a version of the file.
      await deleteDocuments(client, existing.get(fileName) ?? []);
    });
    shown.end(succeeded ? 'uploaded' : 'failed');
    return succeeded;
  });
  progress.end();
  return outcomes.filter(Boolean).length;
}

/** Deletes the documents whose file is gone, and returns the number of files. */
async function deleteGone(
  files: readonly LocalFile[],
  { client, existing }: { client: DocumentVault; existing: DocumentsByName },
): Promise<number> {
  const names = new Set(files.map(({ name }) => nameOf(name)));
  const gone = [...existing].filter(([name]) => !names.has(name));
  const outcomes = await inParallel(gone, ([name, documents]) =>
    attempt(name, () => deleteDocuments(client, documents)),
  );
  return outcomes.filter(Boolean).length;
}

async function deleteDocuments(client: DocumentVault, documents: readonly Document[]) {
  for (const { id } of documents) await client.documents.delete(id, { signal });
}

/** Returns whether the work for a file succeeded. Failures are collected, and printed at the end. */
async function attempt(name: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!isVaultError(error)) throw error;
    failures.push(`${name}: ${error.message}`);
    return false;
  }
}

/** Calls `work` for every item, for `concurrency` items at once. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  // The workers take turns at one iterator: each item is taken once.
  const shared = items.values();
  const worker = async () => {
    for (const item of shared) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
