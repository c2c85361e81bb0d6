import { createDecipheriv, pbkdf2Sync } from 'node:crypto';
import {
  type Cipher,
  createCipher,
  DecryptionError,
  type EncryptionMetadata,
  UsageError,
} from '@document-vault/sdk/crypto';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { rejection } from './support/client.ts';

const passphrase = 'correct horse battery staple';
const text = 'The quick brown fox';
const plaintext = new TextEncoder().encode(text);

let cipher: Cipher;
beforeAll(async () => {
  cipher = await createCipher({ passphrase, iterations: 1_000 });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const bytesOf = (metadata: EncryptionMetadata, field: string) =>
  Buffer.from(String(metadata[field]), 'base64');

/** Decrypts by Node's own cryptography, as the README says for other languages. */
function decryptElsewhere(encryptedData: Uint8Array, metadata: EncryptionMetadata): string {
  const [salt, wrapped, iv, tag] = ['salt', 'wrappedKey', 'iv', 'authTag'].map((field) =>
    bytesOf(metadata, field),
  ) as [Buffer, Buffer, Buffer, Buffer];
  const derived = pbkdf2Sync(passphrase, salt, Number(metadata.iterations), 32, 'sha256');
  const unwrap = createDecipheriv('id-aes256-wrap', derived, Buffer.alloc(8, 0xa6));
  const key = Buffer.concat([unwrap.update(wrapped), unwrap.final()]);
  const open = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(tag);
  return Buffer.concat([open.update(encryptedData), open.final()]).toString();
}

/** Made once by Python's `cryptography`: PBKDF2, `aes_key_wrap`, AES-GCM. */
const vector = {
  passphrase: 'an old passphrase',
  fileName: 'enc.AAECAwQFBgcICQoLGyCeG4mqjsLIgb2bLrbjV_Sjy0-mJfqKA5PE',
  encryptedData: '8h9Nbxwuke29Iaz4737wCLuihBBarxworWA5Ghs9',
  encryptionMetadata: {
    algorithm: 'AES-256-GCM',
    keyDerivation: 'PBKDF2',
    iterations: 1_000,
    salt: 'AAECAwQFBgcICQoLDA0ODw==',
    wrappedKey: 'vk4tLu2l0oXazt/SSyyaT5vB2BC5iYP320SRnvySyuGxLeCK3AT32w==',
    iv: 'ZGVmZ2hpamtsbW5v',
    authTag: 'jzzkrocApbMD+EqUaGrIoQ==',
  },
};

/** What a client writes that knows the specification alone: encrypted under the derived key. */
async function encryptedDirectly(iterations = 100_000) {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const secret = new TextEncoder().encode(passphrase);
  const base = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']);
  const key = await crypto.subtle.deriveKey(
    { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
    base,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt'],
  );
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, plaintext),
  );
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    encryptedData: sealed.slice(0, -16),
    encryptionMetadata: {
      algorithm: 'AES-256-GCM',
      keyDerivation: 'PBKDF2',
      iterations,
      salt: base64(salt),
      iv: base64(iv),
      authTag: base64(sealed.slice(-16)),
    },
  };
}

describe('guarantee 14, encryption: every document has a key of its own', () => {
  test('wrapped by the derived one, as Node’s own cryptography can undo', async () => {
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    expect(decryptElsewhere(encryptedData, encryptionMetadata)).toBe(text);
  });

  test('which another implementation may have made', async () => {
    const other = await createCipher({ passphrase: vector.passphrase, iterations: 1 });
    expect(Buffer.from(await other.unseal(vector)).toString()).toBe('Grüße aus einer anderen Welt');
    expect(await other.fileName(vector)).toBe('Grüße.txt');
  });

  test('which opens that document and no other of the same cipher', async () => {
    const [mine, other] = [await cipher.encrypt(plaintext), await cipher.encrypt(plaintext)];
    const raw = await cipher.documentKey(mine.encryptionMetadata);
    expect(raw).toHaveLength(32);
    expect(await cipher.documentKey(other.encryptionMetadata)).not.toEqual(raw);
    const open = ({ encryptedData, encryptionMetadata }: typeof mine) => {
      const iv = bytesOf(encryptionMetadata, 'iv');
      const tag = bytesOf(encryptionMetadata, 'authTag');
      const decipher = createDecipheriv('aes-256-gcm', raw, iv).setAuthTag(tag);
      return Buffer.concat([decipher.update(encryptedData), decipher.final()]).toString();
    };
    expect(open(mine)).toBe(text);
    expect(() => open(other)).toThrow();
  });

  test('which can be read out for a link alone', async () => {
    const unwrap = vi.spyOn(crypto.subtle, 'unwrapKey');
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    await cipher.decrypt(encryptedData, encryptionMetadata);
    await cipher.documentKey(encryptionMetadata);
    const keys = await Promise.all(unwrap.mock.results.map(({ value }) => value));
    expect(keys.map(({ extractable }) => extractable)).toEqual([false, true]);
  });

  test('which is not unwrapped by a wrong passphrase', async () => {
    const other = await createCipher({ passphrase: `${passphrase}!`, iterations: 1_000 });
    const { encryptionMetadata } = await cipher.encrypt(plaintext);
    const error = await rejection(other.documentKey(encryptionMetadata));
    expect(error).toBeInstanceOf(DecryptionError);
  });

  test('whose content, vector, tag, wrapped key and salt may not differ by a bit', async () => {
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    const parts: Record<string, Uint8Array> = { encryptedData };
    for (const field of ['iv', 'authTag', 'wrappedKey', 'salt']) {
      parts[field] = bytesOf(encryptionMetadata, field);
    }
    const anyBit = fc
      .constantFrom(...Object.keys(parts))
      .chain((part) =>
        fc.tuple(fc.constant(part), fc.nat({ max: (parts[part]?.length ?? 0) * 8 - 1 })),
      );
    await fc.assert(
      fc.asyncProperty(anyBit, async ([part, bit]) => {
        const changed = Uint8Array.from(parts[part] ?? []);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const base64 = Buffer.from(changed).toString('base64');
        const attempt =
          part === 'encryptedData'
            ? cipher.decrypt(changed, encryptionMetadata)
            : cipher.decrypt(encryptedData, { ...encryptionMetadata, [part]: base64 });
        expect(await rejection(attempt)).toBeInstanceOf(DecryptionError);
      }),
      { numRuns: 200 },
    );
  });

  test('and is not another one’s, nor absent', async () => {
    const { encryptedData, encryptionMetadata } = await cipher.encrypt(plaintext);
    const { wrappedKey } = (await cipher.encrypt(plaintext)).encryptionMetadata;
    for (const change of [{ wrappedKey }, { wrappedKey: undefined }, { iterations: 999 }]) {
      const metadata = { ...encryptionMetadata, ...change } as EncryptionMetadata;
      const error = await rejection(cipher.decrypt(encryptedData, metadata));
      expect(error).toBeInstanceOf(DecryptionError);
    }
  });
});

describe('guarantee 14, encryption: documents without a key of their own', () => {
  test.each([undefined, null])('are decrypted, where wrappedKey is %s', async (wrappedKey) => {
    const { encryptedData, encryptionMetadata } = await encryptedDirectly();
    const metadata = { ...encryptionMetadata, wrappedKey } as unknown as EncryptionMetadata;
    expect(await cipher.decrypt(encryptedData, metadata)).toEqual(plaintext);
  });

  test('derive their key once', async () => {
    const { encryptedData, encryptionMetadata } = await encryptedDirectly(100_001);
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const decrypt = () => cipher.decrypt(encryptedData, encryptionMetadata);
    await Promise.all([decrypt(), decrypt()]);
    expect(derive).toHaveBeenCalledTimes(1);
  });

  test('are refused below 100,000 iterations, which would make trying passphrases on people cheap', async () => {
    const { encryptedData, encryptionMetadata } = await encryptedDirectly(99_999);
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const error = await rejection(cipher.decrypt(encryptedData, encryptionMetadata));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(String(error)).toContain('iterations is below 100000');
    expect(derive).not.toHaveBeenCalled();
  });

  test('give no key away, since it opens the others too', async () => {
    const { encryptionMetadata } = await encryptedDirectly();
    const error = await rejection(cipher.documentKey(encryptionMetadata));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain('decrypts every document of the passphrase');
  });
});
