import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { TokenStore, Tokens } from '@document-vault/sdk';

/**
 * Keeps the tokens in a file that only this user can read. One program at a time: two that refresh at once
 * would each replace the tokens of the other.
 */
export function fileTokenStore(file: string): TokenStore {
  return {
    async get() {
      try {
        return JSON.parse(await readFile(file, 'utf8')) as Tokens;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async set(tokens) {
      // The rename replaces the file at once, so that a crash leaves the old tokens or the new ones.
      const next = `${file}.next`;
      await writeFile(next, JSON.stringify(tokens), { mode: 0o600 });
      await rename(next, file);
    },
    clear: () => rm(file, { force: true }),
  };
}
