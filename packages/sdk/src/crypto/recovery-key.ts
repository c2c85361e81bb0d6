import { UsageError } from '../errors.ts';
import { randomBytes } from './aes-gcm.ts';
import { contextOf } from './context.ts';

/** Bytes of a recovery key: 160 random bits cannot be guessed. */
const keyBytes = 20;

/** Crockford's base32: without `I`, `L`, `O` and `U`. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Characters of key and checksum: 160 and 20 bits, 5 each. */
const characters = 36;

/** Creates a recovery key for paper, as {@link writeRecoveryKey} returns it. */
export function createRecoveryKey(): Promise<string> {
  return writeRecoveryKey(randomBytes(keyBytes));
}

/**
 * Writes a recovery key for paper.
 *
 * @param bytes - 20 bytes
 * @returns nine groups of four characters, joined by `-`; the last group is a checksum
 * @see {@link https://www.crockford.com/base32.html | Crockford's base32}
 */
export async function writeRecoveryKey(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const input = new Uint8Array([...contextOf('recovery'), ...bytes]);
  const checksum = new Uint8Array(await crypto.subtle.digest('SHA-256', input));
  const bits = Array.from([...bytes, ...checksum], (byte) => byte.toString(2).padStart(8, '0'));
  const groups =
    bits
      .join('')
      .match(/.{20}/g)
      ?.slice(0, characters / 4) ?? [];
  return groups.map((group) => group.replace(/.{5}/g, digitOf)).join('-');
}

function digitOf(bits: string): string {
  return digits.charAt(Number.parseInt(bits, 2));
}

/**
 * Reads a recovery key that a person typed. Case, spaces and hyphens do not matter; `O` is read as `0`, `I` and `L`
 * as `1`.
 *
 * @returns 20 bytes
 * @throws UsageError when a character is missing or wrong
 */
export async function readRecoveryKey(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const typed = String(text ?? '')
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '');
  const key = typed.replaceAll('O', '0').replace(/[IL]/g, '1');
  if (key.length !== characters) {
    throw new UsageError(`recoveryKey must have ${characters} characters; it has ${key.length}`);
  }
  const bits = Array.from(key, (digit) => digits.indexOf(digit).toString(2).padStart(5, '0'));
  const octets = bits.join('').match(/.{8}/g)?.slice(0, keyBytes) ?? [];
  const bytes = Uint8Array.from(octets, (octet) => Number.parseInt(octet, 2));
  if ((await writeRecoveryKey(bytes)).replaceAll('-', '') === key) return bytes;
  throw new UsageError(
    'recoveryKey has a typing error: its checksum, the last group, does not fit',
  );
}
