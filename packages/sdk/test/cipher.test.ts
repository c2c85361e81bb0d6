import { isVaultError } from '@document-vault/sdk';
import {
  type Cipher,
  createCipher,
  DecryptionError,
  type EncryptionMetadata,
  UsageError,
  VaultError,
} from '@document-vault/sdk/crypto';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { rejection } from './support/client.ts';

const passphrase = 'correct horse battery staple';
const text = 'The quick brown fox';
const plaintext = new TextEncoder().encode(text);
const about = { fileName: 'fox.txt', mimeType: 'text/plain' };

afterEach(() => {
  vi.restoreAllMocks();
});

/** Counts the derivations of keys from the passphrase. */
function derivations(): () => number {
  const derive = vi.spyOn(crypto.subtle, 'deriveKey');
  return () =>
    derive.mock.calls.filter(([algorithm]) => (algorithm as { name: string }).name === 'PBKDF2')
      .length;
}

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher(passphrase);
});

describe('guarantee 14, encryption: encrypted content', () => {
  test('metadata has 600,000 PBKDF2 iterations, a salt of 16 random bytes and the name of the format by default', async () => {
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const { encrypt } = await createCipher({ passphrase });
    const { encryptedData, encryptionMetadata, ...fields } = await encrypt(plaintext, about);
    expect(encryptionMetadata).toEqual({
      algorithm: 'AES256_GCM_HKDF_1MB',
      keyDerivation: 'PBKDF2',
      iterations: 600_000,
      salt: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
      wrappedKey: expect.stringMatching(/^[A-Za-z0-9+/]{80}$/),
      iv: expect.stringMatching(/^[A-Za-z0-9+/]{10}==$/),
      authTag: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
    });
    expect(fields).toEqual({
      ...about,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sizeBytes: encryptedData.length,
    });
    expect(derive.mock.calls[0]).toMatchObject([
      { name: 'PBKDF2', hash: 'SHA-256', iterations: 600_000 },
      { type: 'secret' },
      { name: 'AES-GCM', length: 256 },
      false,
      ['encrypt', 'decrypt'],
    ]);
  });

  test('Web Crypto decrypts content with passphrase, id and metadata alone', async () => {
    const { id, encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext, about);
    const bytes = (field: string) => Buffer.from(String(encryptionMetadata[field]), 'base64');
    const { subtle } = crypto;
    const secret = await subtle.importKey('raw', Buffer.from(passphrase), 'PBKDF2', false, [
      'deriveKey',
    ]);
    const wrapping = await subtle.deriveKey(
      { name: 'PBKDF2', hash: 'SHA-256', salt: bytes('salt'), iterations: 1_000 },
      secret,
      { name: 'AES-GCM', length: 256 },
      false,
      ['decrypt'],
    );
    const wrapped = bytes('wrappedKey');
    const additionalData = Buffer.from(`document-vault/3/key/${id}`);
    const parameters = { name: 'AES-GCM', iv: wrapped.subarray(0, 12), additionalData };
    const raw = await subtle.decrypt(parameters, wrapping, wrapped.subarray(12));
    const root = await subtle.importKey('raw', raw, 'HKDF', false, ['deriveKey']);
    const info = Buffer.from(`document-vault/3/content/${id}`);
    const key = await subtle.deriveKey(
      { name: 'HKDF', hash: 'SHA-256', salt: encryptedData.slice(1, 33), info },
      root,
      { name: 'AES-GCM', length: 256 },
      false,
      ['decrypt'],
    );
    const iv = Buffer.concat([bytes('iv'), Buffer.from([0, 0, 0, 0, 1])]);
    const message = Buffer.from(
      await subtle.decrypt({ name: 'AES-GCM', iv }, key, encryptedData.slice(40)),
    );
    const end = 2 + message.readUInt16BE();
    expect(JSON.parse(message.subarray(2, end).toString())).toEqual({
      ...about,
      size: plaintext.length,
      encryptFileName: false,
    });
    expect(message.subarray(end).toString()).toBe(text);
  });

  test('a cipher with the salt of an earlier one derives the same key', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const derive = derivations();
    const { salt } = sealed.encryptionMetadata;
    const again = await cheapCipher(passphrase, { salt });
    expect((await again.encrypt(plaintext, about)).encryptionMetadata.salt).toBe(salt);
    expect((await again.decrypt(sealed)).bytes).toEqual(plaintext);
    expect(derive()).toBe(1);
  });

  test('the salt of metadata creates a cipher with the same key', async () => {
    const sealed = await (await createCipher({ passphrase })).encrypt(plaintext, about);
    const { salt } = sealed.encryptionMetadata;
    const again = await createCipher({ passphrase, salt });
    expect((await again.encrypt(plaintext, about)).encryptionMetadata.salt).toBe(salt);
    expect((await again.decrypt(sealed)).bytes).toEqual(plaintext);
  });

  test.each(['', 'AAAA', 'no base64 at all, however long it is', 7 as unknown as string])(
    '%j as salt rejects with a UsageError',
    async (salt) => {
      const refused = await rejection(createCipher({ passphrase, salt }));
      expect(refused).toEqual(new UsageError('salt must be base64 of at least 16 bytes'));
    },
  );

  test('every document has a new vector and every cipher a new salt', async () => {
    const other = await cheapCipher(passphrase);
    const made = await Promise.all([
      cipher.encrypt(plaintext, about),
      cipher.encrypt(plaintext, about),
      other.encrypt(plaintext, about),
    ]);
    const [first, second, third] = made.map((content) => content.encryptionMetadata);
    expect(second?.iv).not.toBe(first?.iv);
    expect(second?.salt).toBe(first?.salt);
    expect(third?.salt).not.toBe(first?.salt);
  });

  test.each([0, 1, 16, 70_000, 2_200_000])(
    '%i bytes are encrypted and decrypted',
    async (length) => {
      const bytes = Uint8Array.from({ length }, (_, n) => n % 251);
      const sealed = await cipher.encrypt(bytes, about);
      expect(sealed.sizeBytes).toBe(sealed.encryptedData.length);
      const { bytes: decrypted, ...facts } = await cipher.decrypt(sealed);
      expect(Buffer.from(decrypted).equals(bytes)).toBe(true);
      expect(facts).toEqual(about);
    },
  );

  test('a subarray and shared memory are encrypted', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(4)).fill(7);
    for (const bytes of [plaintext.subarray(4, 9), shared]) {
      const sealed = await cipher.encrypt(bytes, about);
      expect((await cipher.decrypt(sealed)).bytes).toEqual(Uint8Array.from(bytes));
    }
  });
});

describe('guarantee 14, encryption: keys', () => {
  test('keys are derived once for each salt and number of iterations', async () => {
    const other = await cheapCipher(passphrase, { iterations: 2_000 });
    const theirs = await other.encrypt(plaintext, about);
    const derive = derivations();
    const mine = await cheapCipher(passphrase);
    const ours = await mine.encrypt(plaintext, about);
    await mine.decrypt(ours);
    expect(derive()).toBe(1);
    await Promise.all([mine.decrypt(theirs), mine.decrypt(theirs)]);
    expect((await mine.decrypt(theirs)).bytes).toEqual(plaintext);
    expect(derive()).toBe(2);
  });

  test('derived keys are not extractable', async () => {
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const made = await cheapCipher(passphrase, { iterations: 1 });
    await made.decrypt(await made.encrypt(plaintext, about));
    // Of the passphrase, and one for encryption and decryption of the content.
    expect(derive).toHaveBeenCalledTimes(3);
    for (const { value } of derive.mock.results) {
      const key = await value;
      expect(key).toMatchObject({ extractable: false });
      await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow();
    }
  });

  test('passphrases in NFC and NFD derive the same key', async () => {
    const composed = await cheapCipher('caf\u00e9', { iterations: 1 });
    const decomposed = await cheapCipher('cafe\u0301', { iterations: 1 });
    const sealed = await composed.encrypt(plaintext, about);
    expect((await decomposed.decrypt(sealed)).bytes).toEqual(plaintext);
  });

  test.each([
    ['an empty passphrase', { passphrase: '' }],
    ['a passphrase that is no string', { passphrase: 17 as unknown as string }],
  ])('no key is derived from %s', async (_, options) => {
    const error = await rejection(createCipher(options));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).not.toContain(passphrase);
  });

  test('createCipher without Web Crypto rejects with a UsageError', async () => {
    vi.stubGlobal('crypto', {});
    await expect(createCipher({ passphrase })).rejects.toBeInstanceOf(UsageError);
    vi.unstubAllGlobals();
  });
});

describe('guarantee 14, encryption: every failure is an error of the SDK', () => {
  test('a platform that allows fewer iterations', async () => {
    const refusal = new DOMException('iteration counts above 100000', 'NotSupportedError');
    vi.spyOn(crypto.subtle, 'deriveKey').mockRejectedValueOnce(refusal);
    const error = await rejection(createCipher({ passphrase: 'open sesame' }));
    expect(isVaultError(error)).toBe(true);
    expect(error).toMatchObject({ cause: refusal });
  });

  const nothing = undefined as never;
  const broken = () =>
    new ReadableStream<Uint8Array>({ start: (it) => it.error(new Error('disk')) });
  test.each<[string, () => Promise<unknown>, typeof VaultError]>([
    ['no document', () => cipher.decrypt(nothing), VaultError],
    ['no content', () => cipher.unseal(nothing), VaultError],
    ['no plaintext', () => cipher.encrypt(nothing, about), VaultError],
    ['a stream that fails', () => cipher.seal(broken(), about), VaultError],
    ['no name', () => cipher.seal(plaintext), UsageError],
    ['no options', () => createCipher(nothing), UsageError],
  ])('%s', async (_, work, errorClass) => {
    expect(await rejection(work())).toBeInstanceOf(errorClass);
  });
});

describe('guarantee 14, encryption: content that decryption rejects', () => {
  const flip = (bytes: Uint8Array, bit: number) => {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return changed;
  };

  test('content with any bit flipped', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    for (let bit = 0; bit < sealed.encryptedData.length * 8; bit += 3) {
      const changed = { ...sealed, encryptedData: flip(sealed.encryptedData, bit) };
      const error = await rejection(cipher.decrypt(changed));
      expect(error).toBeInstanceOf(DecryptionError);
      expect(error).toMatchObject({ reason: 'content' });
    }
  });

  test.each([
    ['iv', 'content'],
    ['authTag', 'content'],
    ['salt', 'key'],
    ['wrappedKey', 'key'],
  ])('an %s with any bit flipped, with the reason %s', async (field, reason) => {
    const sealed = await cipher.encrypt(plaintext, about);
    const bytes = Buffer.from(String(sealed.encryptionMetadata[field]), 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const value = Buffer.from(flip(bytes, bit)).toString('base64');
      const encryptionMetadata = { ...sealed.encryptionMetadata, [field]: value };
      const error = await rejection(cipher.decrypt({ ...sealed, encryptionMetadata }));
      expect(error).toBeInstanceOf(DecryptionError);
      expect(error).toMatchObject({ reason });
    }
  });

  test('content of another passphrase, with the reason key', async () => {
    const other = await cheapCipher(`${passphrase}!`);
    const error = await rejection(other.decrypt(await cipher.encrypt(plaintext, about)));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(error).toMatchObject({ reason: 'key' });
    expect(isVaultError(error)).toBe(true);
  });

  test('content cut off at either end, or extended', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const { encryptedData } = sealed;
    for (const part of [
      encryptedData.subarray(1),
      encryptedData.subarray(0, -1),
      Uint8Array.from([...encryptedData, 0]),
      new Uint8Array(),
    ]) {
      for (const sizeBytes of [part.length, sealed.sizeBytes]) {
        const error = await rejection(
          cipher.decrypt({ ...sealed, encryptedData: part, sizeBytes }),
        );
        expect(error).toBeInstanceOf(DecryptionError);
      }
    }
  });

  test('content of several segments with one of them changed, dropped or repeated', async () => {
    const sealed = await cipher.encrypt(new Uint8Array(2_300_000), about);
    const { encryptedData } = sealed;
    const segments = [0, 1, 2].map((n) => encryptedData.subarray(n * 2 ** 20, (n + 1) * 2 ** 20));
    const [first = encryptedData, second = encryptedData, third = encryptedData] = segments;
    for (const parts of [
      [first, second],
      [first, third],
      [first, second, second, third],
      [first, flip(second, 77), third],
      [first, second, flip(third, 77)],
    ]) {
      const changed = Uint8Array.from(Buffer.concat(parts));
      for (const sizeBytes of [changed.length, sealed.sizeBytes]) {
        const broken = { ...sealed, encryptedData: changed, sizeBytes };
        expect(await rejection(cipher.decrypt(broken))).toBeInstanceOf(DecryptionError);
      }
    }
  });

  test.each<[string, Partial<EncryptionMetadata>, string]>([
    ['another algorithm', { algorithm: 'AES-128-CBC' }, 'algorithm'],
    ['another derivation', { keyDerivation: 'scrypt' }, 'keyDerivation'],
    ['a derivation that would take hours', { iterations: 2_000_000_000 }, 'iterations'],
    ['no iterations', { iterations: 0 }, 'iterations'],
    ['iterations that are no number', { iterations: '1000' as unknown as number }, 'iterations'],
    ['a short tag', { authTag: 'AAAA' }, 'authTag'],
    ['a short vector', { iv: 'AAAA' }, 'iv'],
    ['a salt that is not base64', { salt: '!!!!' }, 'salt'],
    ['a salt of the wrong padding', { salt: 'AAAAA' }, 'salt'],
    ['an empty salt', { salt: '' }, 'salt'],
    ['a short key', { wrappedKey: 'AAAA' }, 'wrappedKey'],
    ['an empty key', { wrappedKey: '' }, 'wrappedKey'],
    ['a key that is no text', { wrappedKey: 7 as unknown as string }, 'wrappedKey'],
    ['no key', { wrappedKey: undefined as unknown as string }, 'wrappedKey'],
    ['no salt', { salt: undefined as unknown as string }, 'salt'],
  ])('metadata with %s, before any key is derived', async (_, change, field) => {
    const sealed = await cipher.encrypt(plaintext, about);
    const derived = derivations();
    const encryptionMetadata = { ...sealed.encryptionMetadata, ...change };
    const error = await rejection(cipher.decrypt({ ...sealed, encryptionMetadata }));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(error).toMatchObject({ reason: 'metadata' });
    expect(String(error)).toContain(field);
    expect(derived()).toBe(0);
  });
});
