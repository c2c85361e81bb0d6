import { createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Kind } from './kinds.ts';

/** Bytes of a master key. */
const length = 32;

/** Standard base64 or base64url of 32 bytes. */
const encoded = /^[A-Za-z0-9+/_-]{43}=?$/;

/**
 * A KeyObject keeps its bytes out of `inspect` and JSON, and so out of logs and errors.
 */
export const masterKey: Kind<KeyObject | null> = {
  expects: '32 bytes in base64, as `document-vault master-key generate` prints them, or none',
  parse: (given) => (given === 'none' ? null : given),
  read(value) {
    if (value === null) return null;
    if (value instanceof Uint8Array) {
      return value.byteLength === length ? createSecretKey(value) : undefined;
    }
    if (typeof value !== 'string' || !encoded.test(value)) return undefined;
    return createSecretKey(Buffer.from(value, 'base64'));
  },
  show: () => 'none',
};

export type KeyFile = { readonly key: KeyObject } | { readonly problem: string };

/** Reads the master key in a file; white space around it does not count. */
export function readKeyFile(path: string): KeyFile {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    return { problem: `the file cannot be read: ${(error as Error).message}` };
  }
  const key = masterKey.read(content.trim());
  return key ? { key } : { problem: `the content of ${path} is not ${masterKey.expects}` };
}
