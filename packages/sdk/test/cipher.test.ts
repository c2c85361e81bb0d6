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
import { rejection } from './support/client.ts';

const passphrase = 'correct horse battery staple';
const text = 'The quick brown fox';
const plaintext = new TextEncoder().encode(text);

afterEach(() => {
  vi.restoreAllMocks();
});

let cipher: Cipher;
beforeAll(async () => {
  cipher = await createCipher({ passphrase, iterations: 1_000 });
});

describe('guarantee 14, encryption: check of a passphrase', () => {
  const created = (secret: string) => createCipher({ passphrase: secret, iterations: 1_000 });

  test('check returns true for the passphrase of a document and false for another', async () => {
    const document = await (await created(passphrase)).encrypt(plaintext);
    expect(await cipher.check(document)).toBe(true);
    expect(await (await created('correct horse batery staple')).check(document)).toBe(false);
  });

  test('check of a document without a key of its own rejects with a UsageError', async () => {
    const { encryptionMetadata } = await cipher.encrypt(plaintext);
    const { wrappedKey: _, ...direct } = encryptionMetadata;
    const refused = await rejection(cipher.check({ encryptionMetadata: direct }));
    expect(refused).toBeInstanceOf(UsageError);
    expect(refused).toMatchObject({ message: expect.stringContaining('no key of its own') });
  });

  test('check of invalid metadata rejects with a DecryptionError instead of returning false', async () => {
    const { encryptionMetadata } = await cipher.encrypt(plaintext);
    const invalid = { ...encryptionMetadata, wrappedKey: 'AAAA' };
    const refused = await rejection(cipher.check({ encryptionMetadata: invalid }));
    expect(refused).toBeInstanceOf(DecryptionError);
    expect(refused).toMatchObject({ message: expect.stringContaining('wrappedKey has 3 bytes') });
  });
});

describe('guarantee 14, encryption: encrypted content', () => {
  test('metadata has 600,000 PBKDF2 iterations, a salt of 16 random bytes and AES-256-GCM by default', async () => {
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const { encrypt } = await createCipher({ passphrase });
    const { encryptedData, encryptionMetadata } = await encrypt(plaintext);
    expect(encryptionMetadata).toEqual({
      algorithm: 'AES-256-GCM',
      keyDerivation: 'PBKDF2',
      iterations: 600_000,
      salt: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
      wrappedKey: expect.stringMatching(/^[A-Za-z0-9+/]{54}==$/),
      iv: expect.stringMatching(/^[A-Za-z0-9+/]{16}$/),
      authTag: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
    });
    expect(encryptedData).toHaveLength(plaintext.length);
    expect(derive.mock.calls[0]).toMatchObject([
      { name: 'PBKDF2', hash: 'SHA-256', iterations: 600_000 },
      { type: 'secret' },
      { name: 'AES-KW', length: 256 },
      false,
      ['wrapKey', 'unwrapKey'],
    ]);
  });

  test('Web Crypto decrypts content with passphrase and metadata alone', async () => {
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    const bytes = (field: string) => Buffer.from(String(encryptionMetadata[field]), 'base64');
    const secret = await crypto.subtle.importKey('raw', Buffer.from(passphrase), 'PBKDF2', false, [
      'deriveKey',
    ]);
    const wrapping = await crypto.subtle.deriveKey(
      { name: 'PBKDF2', hash: 'SHA-256', salt: bytes('salt'), iterations: 1_000 },
      secret,
      { name: 'AES-KW', length: 256 },
      false,
      ['unwrapKey'],
    );
    const key = await crypto.subtle.unwrapKey(
      'raw',
      bytes('wrappedKey'),
      wrapping,
      'AES-KW',
      'AES-GCM',
      false,
      ['decrypt'],
    );
    const sealed = Buffer.concat([encryptedData, bytes('authTag')]);
    const opened = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: bytes('iv') }, key, sealed);
    expect(Buffer.from(opened).toString()).toBe(text);
  });

  test('a cipher with the salt of an earlier one derives the same key', async () => {
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const { salt, iterations } = encryptionMetadata;
    const again = await createCipher({ passphrase, iterations: iterations ?? 0, salt });
    expect((await again.encrypt(plaintext)).encryptionMetadata.salt).toBe(salt);
    expect(await again.decrypt(encryptedData, encryptionMetadata)).toEqual(plaintext);
    expect(derive).toHaveBeenCalledTimes(1);
  });

  test('salt is the one in the metadata, and creates a cipher with the same key', async () => {
    const { encryptionMetadata } = await cipher.encrypt(plaintext);
    expect(cipher.salt).toBe(encryptionMetadata.salt);
    const again = await createCipher({ passphrase, iterations: 1_000, salt: cipher.salt });
    expect(again.salt).toBe(cipher.salt);
  });

  test.each(['', 'AAAA', 'no base64 at all, however long it is', 7 as unknown as string])(
    '%j as salt rejects with a UsageError',
    async (salt) => {
      const refused = await rejection(createCipher({ passphrase, salt }));
      expect(refused).toEqual(new UsageError('salt must be base64 of at least 16 bytes'));
    },
  );

  test('every document has a new vector and every cipher a new salt', async () => {
    const other = await createCipher({ passphrase, iterations: 1_000 });
    const made = await Promise.all([
      cipher.encrypt(plaintext),
      cipher.encrypt(plaintext),
      other.encrypt(plaintext),
    ]);
    const [first, second, third] = made.map((content) => content.encryptionMetadata);
    expect(second?.iv).not.toBe(first?.iv);
    expect(second?.salt).toBe(first?.salt);
    expect(third?.salt).not.toBe(first?.salt);
  });

  test.each([0, 1, 16, 70_000])('%i bytes are encrypted and decrypted', async (length) => {
    const bytes = Uint8Array.from({ length }, (_, n) => n % 251);
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(bytes);
    expect(await cipher.decrypt(encryptedData, encryptionMetadata)).toEqual(bytes);
  });

  test('a subarray and shared memory are encrypted', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(4)).fill(7);
    for (const bytes of [plaintext.subarray(4, 9), shared]) {
      const { encryptedData, encryptionMetadata } = await cipher.encrypt(bytes);
      expect(await cipher.decrypt(encryptedData, encryptionMetadata)).toEqual(
        Uint8Array.from(bytes),
      );
    }
  });
});

describe('guarantee 14, encryption: keys', () => {
  test('keys are derived once for each salt and number of iterations', async () => {
    const other = await createCipher({ passphrase, iterations: 2_000 });
    const theirs = await other.encrypt(plaintext);
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const mine = await createCipher({ passphrase, iterations: 1_000 });
    const ours = await mine.encrypt(plaintext);
    await mine.decrypt(ours.encryptedData, ours.encryptionMetadata);
    expect(derive).toHaveBeenCalledTimes(1);
    const decrypt = () => mine.decrypt(theirs.encryptedData, theirs.encryptionMetadata);
    await Promise.all([decrypt(), decrypt()]);
    expect(await decrypt()).toEqual(plaintext);
    expect(derive).toHaveBeenCalledTimes(2);
  });

  test('keys are not extractable', async () => {
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    await createCipher({ passphrase, iterations: 1 });
    const key = await derive.mock.results[0]?.value;
    expect(key).toMatchObject({ extractable: false });
    await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow();
  });

  test('passphrases in NFC and NFD derive the same key', async () => {
    const composed = await createCipher({ passphrase: 'caf\u00e9', iterations: 1 });
    const decomposed = await createCipher({ passphrase: 'cafe\u0301', iterations: 1 });
    const { encryptedData, encryptionMetadata } = await composed.encrypt(plaintext);
    expect(await decomposed.decrypt(encryptedData, encryptionMetadata)).toEqual(plaintext);
  });

  test.each([
    ['an empty passphrase', { passphrase: '' }],
    ['a passphrase that is no string', { passphrase: 17 as unknown as string }],
    ['no iterations', { passphrase, iterations: 0 }],
    ['half an iteration', { passphrase, iterations: 1.5 }],
    ['too many iterations', { passphrase, iterations: 10_000_001 }],
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
    ['no metadata', () => cipher.decrypt(plaintext, nothing), DecryptionError],
    ['no content', () => cipher.unseal(nothing), VaultError],
    ['no plaintext', () => cipher.encrypt(nothing), VaultError],
    ['a stream that fails', () => cipher.seal(broken()), VaultError],
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
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    for (let bit = 0; bit < encryptedData.length * 8; bit++) {
      const error = await rejection(cipher.decrypt(flip(encryptedData, bit), encryptionMetadata));
      expect(error).toBeInstanceOf(DecryptionError);
    }
  });

  test.each(['iv', 'authTag', 'salt', 'wrappedKey'])(
    'an %s with any bit flipped',
    async (field) => {
      const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
      const bytes = Buffer.from(String(encryptionMetadata[field]), 'base64');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const value = Buffer.from(flip(bytes, bit)).toString('base64');
        const changed = { ...encryptionMetadata, [field]: value };
        const error = await rejection(cipher.decrypt(encryptedData, changed));
        expect(error).toBeInstanceOf(DecryptionError);
      }
    },
  );

  test('content of another passphrase', async () => {
    const other = await createCipher({ passphrase: `${passphrase}!`, iterations: 1_000 });
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    const error = await rejection(other.decrypt(encryptedData, encryptionMetadata));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(isVaultError(error)).toBe(true);
  });

  test('content cut off at either end', async () => {
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    for (const part of [encryptedData.subarray(1), encryptedData.subarray(0, -1)]) {
      const error = await rejection(cipher.decrypt(part, encryptionMetadata));
      expect(error).toBeInstanceOf(DecryptionError);
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
  ])('metadata with %s, before any work', async (_, change, field) => {
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const error = await rejection(
      cipher.decrypt(encryptedData, { ...encryptionMetadata, ...change }),
    );
    expect(error).toBeInstanceOf(DecryptionError);
    expect(String(error)).toContain(field);
    expect(derive).not.toHaveBeenCalled();
  });

  test('metadata without a salt', async () => {
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    const { salt: _, ...rest } = encryptionMetadata;
    const error = await rejection(cipher.decrypt(encryptedData, rest));
    expect(error).toBeInstanceOf(DecryptionError);
  });
});
