import { createSecretKey, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { masterKeyId } from '../../src/store/sealing.ts';

/** A master key as operators set it, and its id. */
export function newMasterKey() {
  const bytes = randomBytes(32);
  return { text: bytes.toString('base64'), id: masterKeyId(createSecretKey(bytes)) };
}

/**
 * Which of these the database of a folder reveals, in any of its files. An SQLite page can split a long
 * value, so the first 20 bytes of each are looked for.
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
