import { createSecretKey, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { masterKeyId } from '../../src/store/sealing.ts';

/** A new master key in base64, with its id. */
export function newMasterKey() {
  const bytes = randomBytes(32);
  return { text: bytes.toString('base64'), id: masterKeyId(createSecretKey(bytes)) };
}

/**
 * Returns the names of the texts that a file of the folder contains in plain. An SQLite page can split a long
 * value, so the search uses the first 20 bytes of each.
 */
export function revealedBy(
  folder: string,
  texts: Readonly<Record<string, string | Buffer>>,
): string[] {
  const names = readdirSync(folder).filter((name) => name !== 'development.json');
  const files = names.map((name) => readFileSync(join(folder, name)));
  return Object.entries(texts)
    .filter(([, text]) => files.some((file) => file.includes(Buffer.from(text).subarray(0, 20))))
    .map(([name]) => name);
}
