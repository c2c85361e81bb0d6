import { createCipher, DecryptionError, isVaultError } from '@document-vault/sdk/crypto';
import { check, rejects, same, sameBytes } from '../check.ts';
import { quickCipher } from '../clients.ts';
import type { Case } from '../suite.ts';
import { vector } from '../vectors.ts';

const about = { fileName: 'a.bin', mimeType: 'application/octet-stream' };

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
  {
    name: 'a cipher without a client encrypts and decrypts with 600,000 iterations',
    async run() {
      const cipher = await createCipher({ passphrase: 'open sesame' });
      const plain = new Uint8Array([1, 2, 3]);
      const sealed = await cipher.encrypt(plain, about);
      same(sealed.encryptionMetadata.iterations, 600_000, 'iterations');
      same(sealed.encryptedData.length, sealed.sizeBytes, 'bytes');
      const { bytes, ...facts } = await cipher.decrypt(sealed);
      sameBytes(bytes, plain, 'decrypted');
      same(facts, about, 'facts');
    },
  },
  {
    name: 'a document that Python has encrypted is decrypted',
    async run() {
      const cipher = await quickCipher(vector.passphrase);
      const { bytes, ...facts } = await cipher.unseal(vector);
      same(new TextDecoder().decode(bytes), vector.content, 'content');
      const { fileName, mimeType } = vector;
      same(facts, { fileName, mimeType }, 'facts');
      same(await cipher.fileName({ ...vector, fileName: vector.renamed }), 'b.pdf', 'name');
    },
  },
  {
    name: 'content of several segments is encrypted, decrypted and read in part',
    async run() {
      const cipher = await quickCipher();
      const plain = new Uint8Array(2_300_000).map((_, n) => n % 251);
      const sealed = await cipher.encrypt(plain, about);
      same(
        (await cipher.decrypt(sealed)).bytes.every((byte, n) => byte === n % 251),
        true,
        'all',
      );
      const decryptor = await cipher.decryptor(sealed, sealed.encryptedData.subarray(0, 2 ** 20));
      const { start, end } = decryptor.ciphertextOf(1);
      const part = await decryptor.segment(1, sealed.encryptedData.subarray(start, end));
      const within = decryptor.contentOf(1);
      sameBytes(part, plain.subarray(within.start, within.end), 'part');
      const other = sealed.encryptedData.subarray(2 ** 21);
      await rejects(decryptor.segment(1, other), { name: 'DecryptionError' });
    },
  },
  {
    name: 'every document has its own initialisation vector, and every cipher its own salt',
    async run() {
      const ciphers = await Promise.all([quickCipher(), quickCipher('another')]);
      const sealed = await Promise.all(
        ciphers.flatMap((cipher) => [cipher.seal('a', about), cipher.seal('a', about)]),
      );
      const distinct = (field: 'iv' | 'salt') =>
        new Set(sealed.map(({ encryptionMetadata }) => encryptionMetadata[field])).size;
      same([distinct('iv'), distinct('salt')], [4, 2], 'vectors and salts');
    },
  },
  {
    name: 'decryption with a wrong passphrase rejects with a DecryptionError',
    async run() {
      const sealed = await (await quickCipher()).seal('a text', about);
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
      const sealed = await cipher.encrypt(new Uint8Array(4), about);
      for (let bit = 0; bit < sealed.encryptedData.length * 8; bit += 7) {
        const encryptedData = flipped(sealed.encryptedData, bit);
        await rejects(cipher.decrypt({ ...sealed, encryptedData }), { name: 'DecryptionError' });
      }
      for (const field of ['iv', 'authTag', 'salt', 'wrappedKey'] as const) {
        const bytes = flipped(bytesOf(String(sealed.encryptionMetadata[field])), 5);
        const value = btoa(String.fromCharCode(...bytes));
        const encryptionMetadata = { ...sealed.encryptionMetadata, [field]: value };
        await rejects(cipher.decrypt({ ...sealed, encryptionMetadata }), {
          name: 'DecryptionError',
        });
      }
    },
  },
  {
    name: 'decryption of invalid metadata or content rejects with a DecryptionError',
    async run() {
      const cipher = await quickCipher();
      const sealed = await cipher.seal('a text', about);
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
