/**
 * Downloads a document of any size and decrypts it while it is written, in constant memory.
 *
 *     npx node examples/large-file/download.ts ID [FOLDER]
 *
 * Prerequisites: those of upload.ts, which prints the id.
 */
import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { showProgress, unlockedClient } from './client.ts';

const [id, folder = '.'] = process.argv.slice(2);
if (!id) {
  console.error('Name the document: download.ts ID [FOLDER]');
  process.exit(1);
}

try {
  console.log(await download(id, folder));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Returns the path of the file. */
async function download(id: string, folder: string): Promise<string> {
  const client = await unlockedClient();
  const { stream, fileName, size } = await client.documents.download(id, { as: 'stream' });
  // The client accepts no name with a path in it.
  const path = join(folder, fileName);
  if (await exists(path)) throw new Error(`${path} exists`);
  const part = `${path}.part`;
  try {
    await pipeline(stream, withProgress(size), createWriteStream(part));
    // Only a whole file gets the name.
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return path;
}

/** Passes chunks on and shows the progress. */
function withProgress(size: number) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let loaded = 0;
    for await (const chunk of chunks) {
      yield chunk;
      loaded += chunk.length;
      showProgress('Downloaded', loaded, size);
    }
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
