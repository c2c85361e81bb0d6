import {
  type Cipher,
  createCipher,
  DecryptionError,
  type KeptKey,
  UsageError,
} from '@document-vault/sdk/crypto';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { rejection } from './support/client.ts';

const passphrase = 'correct horse battery staple';
const plaintext = new TextEncoder().encode('The quick brown fox');
const about = { fileName: 'fox.txt', mimeType: 'text/plain' };

let cipher: Cipher;
/** A cipher of the same passphrase under another salt. */
let other: Cipher;
beforeAll(async () => {
  cipher = await createCipher({ passphrase, iterations: 1_000 });
  other = await createCipher({ passphrase, iterations: 1_000 });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Keeps the keys of a cipher and restores them, as a page does around a reload. */
const restored = (from: Cipher) => createCipher({ kept: structuredClone(from.keep()) });

const passphraseNeeded = {
  name: 'DecryptionError',
  reason: 'passphrase',
  message: 'Cannot decrypt without the passphrase: no key was kept for this salt',
};

describe('guarantee 14, encryption: kept keys', () => {
  test('a cipher of kept keys decrypts documents of the first cipher, and derives no key', async () => {
    const sealed = await cipher.encrypt(plaintext, { ...about, encryptFileName: true });
    const kept = structuredClone(cipher.keep());
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const again = await createCipher({ kept });
    expect(await again.check(sealed)).toBe(true);
    expect((await again.decrypt(sealed)).bytes).toEqual(plaintext);
    const derived = derive.mock.calls.map(([algorithm]) => (algorithm as Algorithm).name);
    expect(derived).not.toContain('PBKDF2');
    expect(derived).toContain('HKDF');
  });

  test('a cipher of kept keys encrypts under the same salt, for the passphrase', async () => {
    const again = await restored(cipher);
    const sealed = await again.encrypt(plaintext, about);
    expect(again.salt).toBe(cipher.salt);
    expect(sealed.encryptionMetadata).toMatchObject({ salt: cipher.salt, iterations: 1_000 });
    expect((await cipher.decrypt(sealed)).bytes).toEqual(plaintext);
  });

  test('keep of a cipher of kept keys returns the same keys', async () => {
    const again = await restored(await restored(cipher));
    const sealed = await cipher.encrypt(plaintext, about);
    expect((await again.decrypt(sealed)).bytes).toEqual(plaintext);
    expect(again.keep()).toHaveLength(cipher.keep().length);
  });

  test('keep returns every key that was derived, and the key of new content first', async () => {
    const both = await createCipher({ passphrase, iterations: 1_000 });
    expect(both.keep()).toHaveLength(1);
    const theirs = await other.encrypt(plaintext, about);
    await both.decrypt(theirs);
    expect(both.keep()).toHaveLength(2);
    const again = await restored(both);
    expect(again.salt).toBe(both.salt);
    expect((await again.decrypt(theirs)).bytes).toEqual(plaintext);
  });

  test('keep returns no key whose derivation failed', async () => {
    const theirs = await other.encrypt(plaintext, about);
    const both = await createCipher({ passphrase, iterations: 1_000 });
    vi.spyOn(crypto.subtle, 'deriveKey').mockRejectedValueOnce(new Error('out of memory'));
    await rejection(both.decrypt(theirs));
    expect(both.keep()).toHaveLength(1);
  });

  test('kept keys contain neither the passphrase nor readable key bytes', async () => {
    for (const { key, ...derivation } of cipher.keep()) {
      expect(Object.keys(derivation).sort()).toEqual(['iterations', 'salt']);
      expect(key).toMatchObject({ extractable: false, usages: ['encrypt', 'decrypt'] });
      await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow();
    }
    expect(JSON.stringify(cipher.keep())).not.toContain(passphrase);
  });

  test('keep returns a copy: a change of it does not change the cipher', async () => {
    const own = await createCipher({ passphrase, iterations: 1_000 });
    const { salt } = own;
    const kept = own.keep();
    const [first] = kept;
    first?.salt.fill(0);
    kept.length = 0;
    expect(own.keep()).toHaveLength(1);
    const sealed = await own.encrypt(plaintext, about);
    expect(sealed.encryptionMetadata.salt).toBe(salt);
    expect(Buffer.from(own.keep()[0]?.salt ?? []).toString('base64')).toBe(salt);
  });
});

describe('guarantee 14, encryption: kept keys and other salts', () => {
  test('a document under another salt rejects with the reason passphrase in every method', async () => {
    const again = await restored(cipher);
    const theirs = await other.encrypt(plaintext, about);
    const encryptedName = await other.encryptFileName(theirs, 'wolf.txt');
    const stored = {
      ...theirs,
      encryptedData: Buffer.from(theirs.encryptedData).toString('base64'),
    };
    const refused = await Promise.all([
      rejection(again.decrypt(theirs)),
      rejection(again.unseal(stored)),
      rejection(again.fileName({ ...theirs, fileName: encryptedName })),
      rejection(again.decryptor(theirs, theirs.encryptedData)),
      rejection(again.encryptFileName(theirs, 'wolf.txt')),
      rejection(again.documentKey(theirs)),
      rejection(again.rewrap(theirs, other)),
      rejection(again.check(theirs)),
    ]);
    for (const error of refused) {
      expect(error).toBeInstanceOf(DecryptionError);
      expect(error).toMatchObject(passphraseNeeded);
    }
  });

  test('a document of another passphrase under the same salt rejects with the reason key', async () => {
    const { salt } = cipher;
    const stranger = await createCipher({ passphrase: 'another', iterations: 1_000, salt });
    const theirs = await stranger.encrypt(plaintext, about);
    const again = await restored(cipher);
    expect(await again.check(theirs)).toBe(false);
    expect(await rejection(again.decrypt(theirs))).toMatchObject({ reason: 'key' });
  });

  test('rewrap gives documents of kept keys a new passphrase', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const next = await createCipher({ passphrase: 'a new one', iterations: 1_000 });
    const changed = await (await restored(cipher)).rewrap(sealed, next);
    const encryptionMetadata = { ...sealed.encryptionMetadata, ...changed };
    expect((await next.decrypt({ ...sealed, encryptionMetadata })).bytes).toEqual(plaintext);
  });
});

describe('guarantee 14, encryption: invalid kept keys', () => {
  const invalid = new UsageError('kept must be what cipher.keep returned');
  const salt = new Uint8Array(16);
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no keys', []],
    ['keys that JSON has lost', [{ salt, iterations: 1_000, key: {} }]],
    ['a string', 'kept'],
    ['an empty entry', [undefined]],
  ])('%s as kept rejects with a UsageError', async (_, kept) => {
    expect(await rejection(createCipher({ kept: kept as KeptKey[] }))).toEqual(invalid);
  });

  test('a change of the given keys does not change the cipher', async () => {
    const kept = structuredClone(cipher.keep());
    const again = await createCipher({ kept });
    for (const { salt } of kept) salt.fill(0);
    const sealed = await again.encrypt(plaintext, about);
    expect(sealed.encryptionMetadata.salt).toBe(cipher.salt);
  });

  test.each<[string, (key: KeptKey) => unknown]>([
    ['an empty entry', () => undefined],
    ['a key that JSON has lost', ({ salt }) => ({ salt, iterations: 1_000, key: {} })],
    ['a salt that JSON has lost', ({ key }) => ({ salt: {}, iterations: 1_000, key })],
    ['a key without iterations', ({ key, salt }) => ({ salt, key })],
  ])('%s after the first key rejects with a UsageError', async (_, change) => {
    const [first] = cipher.keep() as [KeptKey];
    const kept = [first, change(first)] as KeptKey[];
    expect(await rejection(createCipher({ kept }))).toEqual(invalid);
    expect(await rejection(createCipher({ kept: kept.slice(1) }))).toEqual(invalid);
  });

  test('keys for another use than wrapping reject with a UsageError', async () => {
    const aes = { name: 'AES-KW', length: 256 };
    const key = await crypto.subtle.generateKey(aes, false, ['wrapKey']);
    const refused = await rejection(createCipher({ kept: [{ salt, iterations: 1_000, key }] }));
    expect(refused).toEqual(invalid);
  });

  test('a passphrase beside kept keys rejects with a UsageError', async () => {
    // @ts-expect-error either of them
    const refused = await rejection(createCipher({ kept: cipher.keep(), passphrase }));
    expect(refused).toEqual(new UsageError('Pass either passphrase or kept'));
  });
});
