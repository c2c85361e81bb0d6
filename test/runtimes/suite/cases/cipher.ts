import { createCipher, DecryptionError, isVaultError } from '@document-vault/sdk/crypto';
import { check, rejects, same, sameBytes } from '../check.ts';
import { quickCipher } from '../clients.ts';
import type { Case } from '../suite.ts';
import { vectors } from '../vectors.ts';

const bytesOf = (base64: string) =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Returns a copy with one bit flipped. */
function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = Math.floor(bit / 8);
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8));
  return copy;
}

export const cipherCases: readonly Case[] = [
  ...vectors.map((vector) => ({
    name: `a document that OpenSSL has encrypted is decrypted: ${vector.name}`,
    run: async () => {
      const cipher = await quickCipher(vector.passphrase);
      sameBytes(await cipher.unseal(vector), bytesOf(vector.plaintext), 'unsealed');
      const decrypted = await cipher.decrypt(
        bytesOf(vector.encryptedData),
        vector.encryptionMetadata,
      );
      sameBytes(decrypted, bytesOf(vector.plaintext), 'decrypted');
    },
  })),
  {
    name: 'a cipher without a client encrypts and decrypts with 600,000 iterations',
    async run() {
      const cipher = await createCipher({ passphrase: 'open sesame' });
      const plain = new Uint8Array([1, 2, 3]);
      const { encryptedData, encryptionMetadata } = await cipher.encrypt(plain);
      same(encryptionMetadata.iterations, 600_000, 'iterations');
      same(encryptedData.length, 3, 'bytes');
      sameBytes(await cipher.decrypt(encryptedData, encryptionMetadata), plain, 'decrypted');
    },
  },
  {
    name: 'every document has its own initialisation vector, and every cipher its own salt',
    async run() {
      const ciphers = await Promise.all([quickCipher(), quickCipher()]);
      const sealed = await Promise.all(
        ciphers.flatMap((cipher) => [cipher.seal('a'), cipher.seal('a')]),
      );
      const distinct = (field: 'iv' | 'salt') =>
        new Set(sealed.map(({ encryptionMetadata }) => encryptionMetadata[field])).size;
      same([distinct('iv'), distinct('salt')], [4, 2], 'vectors and salts');
    },
  },
  {
    name: 'decryption with a wrong passphrase rejects with a DecryptionError',
    async run() {
      const sealed = await (await quickCipher()).seal('a text');
      const error = await rejects((await quickCipher('open barley')).unseal(sealed), {
        name: 'DecryptionError',
      });
      check(error instanceof DecryptionError && isVaultError(error), 'class of the error');
    },
  },
  {
    name: 'decryption after any bit was flipped rejects with a DecryptionError',
    async run() {
      const cipher = await quickCipher();
      const { encryptedData, encryptionMetadata } = await cipher.encrypt(new Uint8Array(4));
      for (let bit = 0; bit < 32; bit++) {
        const changed = flipped(encryptedData, bit);
        await rejects(cipher.decrypt(changed, encryptionMetadata), { name: 'DecryptionError' });
      }
      for (const field of ['iv', 'authTag', 'salt'] as const) {
        const bytes = flipped(bytesOf(String(encryptionMetadata[field])), 5);
        const changed = { ...encryptionMetadata, [field]: btoa(String.fromCharCode(...bytes)) };
        await rejects(cipher.decrypt(encryptedData, changed), { name: 'DecryptionError' });
      }
    },
  },
  {
    name: 'decryption of invalid metadata or content rejects with a DecryptionError',
    async run() {
      const cipher = await quickCipher();
      const sealed = await cipher.seal('a text');
      const { encryptionMetadata } = sealed;
      for (const change of [{ algorithm: 'AES-128-CBC' }, { iterations: 0 }, { iv: '*' }]) {
        const changed = { ...encryptionMetadata, ...change };
        const unseal = cipher.unseal({ ...sealed, encryptionMetadata: changed });
        await rejects(unseal, { name: 'DecryptionError' });
      }
      for (const encryptedData of ['', 'not base64', 'AAAA', 'AA=A']) {
        await rejects(cipher.unseal({ ...sealed, encryptedData }), { name: 'DecryptionError' });
      }
    },
  },
];
