import { UsageError } from '../errors.ts';
import { keyLength } from './aes-gcm.ts';
import type { KeyDerivation } from './metadata.ts';

/** OWASP's minimum of 2023 for PBKDF2-HMAC-SHA-256. */
export const passphraseIterations = 600_000;
/** Bytes of the salt of PBKDF2. */
export const saltLength = 16;

/**
 * Imports a passphrase for PBKDF2: UTF-8 of its Unicode NFC.
 *
 * @throws UsageError when it is empty, not a string or not valid Unicode
 */
export function importPassphrase(passphrase: string | undefined): Promise<CryptoKey> {
  if (typeof passphrase !== 'string' || passphrase === '') {
    throw new UsageError('passphrase must be a string and not empty');
  }
  if (/\p{Surrogate}/u.test(passphrase)) {
    throw new UsageError('passphrase must not contain a lone surrogate');
  }
  const bytes = new TextEncoder().encode(passphrase.normalize('NFC'));
  return crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveKey']);
}

/**
 * Derives the key that wraps other keys: PBKDF2-HMAC-SHA-256 (RFC 8018, section 5.2). It is not extractable.
 *
 * @param passphrase - the result of {@link importPassphrase}
 */
export function derivePassphraseKey(
  passphrase: CryptoKey,
  { salt, iterations }: KeyDerivation,
): Promise<CryptoKey> {
  const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  const derived = { name: 'AES-GCM', length: keyLength * 8 };
  return crypto.subtle.deriveKey(parameters, passphrase, derived, false, ['encrypt', 'decrypt']);
}
