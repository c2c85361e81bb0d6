/**
 * Opens a link to a shared file and writes the file into the current folder.
 *
 *     npx node examples/open-link.ts LINK
 *
 * Prerequisites: `npm install` and `npm run build`; a link that `share-file.ts` printed, and the address
 * of its service as VAULT_URL.
 */
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { openShare } from '@document-vault/sdk/share';

try {
  const { bytes, fileName } = await openShare(process.argv[2] ?? '', {
    baseUrl: process.env.VAULT_URL ?? 'http://localhost:4000',
  });
  // The sender chose the name: it must not leave this folder or replace a file.
  const path = basename(fileName);
  await writeFile(path, bytes, { flag: 'wx' });
  console.log(`${path}, ${bytes.length} bytes`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
