/** Where programs on Node, Bun and Deno keep the checkpoints of uploads. */
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { jsonObject } from '../http/responses.ts';
import type { CheckpointStore, UploadCheckpoint } from '../resources/checkpoints.ts';

/**
 * Keeps the checkpoint of an upload in a file, which only its owner can read. A crash, also of the machine, leaves the
 * last checkpoint or the one that was being stored.
 *
 * @param path - of the file. `<path>.new` is used too
 * @example
 * const checkpoints = fileCheckpoints('film.mp4.upload.json');
 * const resume = await checkpoints.get();
 * await client.documents.upload(film, { vaultId: vault.id, fileName, resume, onCheckpoint: checkpoints.set });
 * await checkpoints.clear();
 */
export function fileCheckpoints(path: string): CheckpointStore {
  const next = `${path}.new`;
  return {
    async get() {
      const text = await readFile(path, 'utf8').catch(ignoreMissing);
      return jsonObject(text ?? '') as UploadCheckpoint | undefined;
    },
    async set(checkpoint) {
      // A link or a file of others at this path must not receive the checkpoint.
      await rm(next, { force: true });
      const file = await open(next, 'wx', 0o600);
      try {
        await file.writeFile(JSON.stringify(checkpoint));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(next, path);
      await syncFolder(dirname(path));
    },
    async clear() {
      await rm(path, { force: true });
      await rm(next, { force: true });
    },
  };
}

function ignoreMissing(error: unknown): undefined {
  if (Object(error).code !== 'ENOENT') throw error;
}

/** Makes the new name of a file durable. Windows opens no folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}
