import { UsageError } from '../errors.ts';

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
