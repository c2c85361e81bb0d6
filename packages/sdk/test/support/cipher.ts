import type { Cipher } from '@document-vault/sdk/crypto';
import { randomBytes } from '../../src/crypto/aes-gcm.ts';
import { fromBase64 } from '../../src/crypto/base64.ts';
import { documentCipher } from '../../src/crypto/cipher.ts';
import { importPassphrase } from '../../src/crypto/passphrase.ts';
import { PassphraseKeys } from '../../src/crypto/passphrase-keys.ts';

/** Creates a cipher as that of another program, with so few iterations that tests do not wait for it. */
export async function cheapCipher(
  passphrase: string,
  { iterations = 1_000, salt = undefined as string | undefined } = {},
): Promise<Cipher> {
  const bytes = salt === undefined ? randomBytes(16) : fromBase64(salt);
  return documentCipher(
    new PassphraseKeys(await importPassphrase(passphrase), { salt: bytes, iterations }),
  );
}
