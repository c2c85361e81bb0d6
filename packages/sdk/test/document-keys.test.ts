import { createDecipheriv, hkdfSync, pbkdf2Sync } from 'node:crypto';
import {
  type Cipher,
  createCipher,
  DecryptionError,
  type EncryptedContent,
  type EncryptionMetadata,
  UsageError,
} from '@document-vault/sdk/crypto';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { rejection } from './support/client.ts';

const passphrase = 'correct horse battery staple';
const text = 'The quick brown fox';
const plaintext = new TextEncoder().encode(text);
const about = { fileName: 'fox.txt', mimeType: 'text/plain' };

let cipher: Cipher;
beforeAll(async () => {
  cipher = await createCipher({ passphrase, iterations: 1_000 });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const bytesOf = (metadata: EncryptionMetadata, field: string) =>
  Buffer.from(String(metadata[field]), 'base64');

/** Decrypts the only segment of a small content by Node's own cryptography. */
function openWith(
  root: Uint8Array,
  { id, encryptedData }: { id: string; encryptedData: Uint8Array },
) {
  const info = `document-vault/2/content/${id}`;
  const key = Buffer.from(hkdfSync('sha256', root, encryptedData.subarray(1, 33), info, 32));
  const nonce = Buffer.concat([encryptedData.subarray(33, 40), Buffer.from([0, 0, 0, 0, 1])]);
  const open = createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(encryptedData.slice(-16));
  const message = Buffer.concat([open.update(encryptedData.slice(40, -16)), open.final()]);
  return message.subarray(2 + message.readUInt16BE()).toString();
}

/** Decrypts by Node's own cryptography, as the page of formats says for other languages. */
function decryptElsewhere(content: EncryptedContent): string {
  const metadata = content.encryptionMetadata;
  const [salt, wrapped] = [bytesOf(metadata, 'salt'), bytesOf(metadata, 'wrappedKey')];
  const derived = pbkdf2Sync(passphrase, salt, Number(metadata.iterations), 32, 'sha256');
  const unwrap = createDecipheriv('id-aes256-wrap', derived, Buffer.alloc(8, 0xa6));
  return openWith(Buffer.concat([unwrap.update(wrapped), unwrap.final()]), content);
}

/** Of the older format, made once by Python's `cryptography`: PBKDF2, `aes_key_wrap`, AES-GCM. */
const vector = {
  passphrase: 'an old passphrase',
  id: 'd1',
  mimeType: 'text/plain',
  sizeBytes: 30,
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
    ...about,
    id: 'd1',
    sizeBytes: plaintext.length,
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
    expect(decryptElsewhere(await cipher.encrypt(plaintext, about))).toBe(text);
  });

  test('which opens that document and no other of the same cipher', async () => {
    const mine = await cipher.encrypt(plaintext, about);
    const other = await cipher.encrypt(plaintext, about);
    const raw = await cipher.documentKey(mine);
    expect(raw).toHaveLength(32);
    expect(await cipher.documentKey(other)).not.toEqual(raw);
    expect(openWith(raw, mine)).toBe(text);
    expect(() => openWith(raw, other)).toThrow();
  });

  test('which is extractable only to be exported', async () => {
    const unwrap = vi.spyOn(crypto.subtle, 'unwrapKey');
    const sealed = await cipher.encrypt(plaintext, about);
    await cipher.decrypt(sealed);
    await cipher.documentKey(sealed);
    const keys = await Promise.all(unwrap.mock.results.map(({ value }) => value));
    expect(keys.map(({ extractable }) => extractable)).toEqual([false, true]);
  });

  test('which is not unwrapped by a wrong passphrase', async () => {
    const other = await createCipher({ passphrase: `${passphrase}!`, iterations: 1_000 });
    const error = await rejection(other.documentKey(await cipher.encrypt(plaintext, about)));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(error).toMatchObject({ reason: 'key' });
  });

  test('which is not that of another document, nor exported without proof', async () => {
    const [mine, other] = [
      await cipher.encrypt(plaintext, about),
      await cipher.encrypt(plaintext, about),
    ];
    const { binding, wrappedKey } = other.encryptionMetadata;
    const swapped = (change: object) => ({
      id: mine.id,
      encryptionMetadata: { ...mine.encryptionMetadata, ...change },
    });
    for (const [change, reason] of [
      [{ wrappedKey }, 'document'],
      [{ wrappedKey, binding }, 'document'],
      [{ wrappedKey, binding: undefined }, 'metadata'],
    ] as const) {
      const error = await rejection(cipher.documentKey(swapped(change)));
      expect(error).toBeInstanceOf(DecryptionError);
      expect(error).toMatchObject({ reason });
    }
    const older = swapped({ wrappedKey, algorithm: 'AES-256-GCM' });
    expect(await rejection(cipher.documentKey(older))).toBeInstanceOf(UsageError);
  });

  test('whose content, vector, tag, wrapped key and salt may not differ by a bit', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const { encryptedData, encryptionMetadata } = sealed;
    const parts: Record<string, Uint8Array> = { encryptedData };
    for (const field of ['iv', 'authTag', 'wrappedKey', 'salt', 'binding']) {
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
        const document =
          part === 'encryptedData'
            ? { ...sealed, encryptedData: changed }
            : { ...sealed, encryptionMetadata: { ...encryptionMetadata, [part]: base64 } };
        expect(await rejection(cipher.decrypt(document))).toBeInstanceOf(DecryptionError);
      }),
      { numRuns: 200 },
    );
  });

  test('and is not another one’s, nor absent', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const { wrappedKey } = (await cipher.encrypt(plaintext, about)).encryptionMetadata;
    for (const change of [{ wrappedKey }, { wrappedKey: undefined }, { iterations: 999 }]) {
      const encryptionMetadata = { ...sealed.encryptionMetadata, ...change } as EncryptionMetadata;
      const error = await rejection(cipher.decrypt({ ...sealed, encryptionMetadata }));
      expect(error).toBeInstanceOf(DecryptionError);
    }
  });

  test('which another cipher wraps, so that its passphrase opens the document', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const other = await createCipher({ passphrase: 'a new passphrase', iterations: 2_000 });
    const wrapped = await cipher.rewrap(sealed, other);
    expect(wrapped).toEqual({
      keyDerivation: 'PBKDF2',
      iterations: 2_000,
      salt: other.salt,
      wrappedKey: expect.stringMatching(/^[\w+/]{54}==$/),
    });
    const moved = { ...sealed, encryptionMetadata: { ...sealed.encryptionMetadata, ...wrapped } };
    expect((await other.decrypt(moved)).bytes).toEqual(plaintext);
    expect(await other.documentKey(moved)).toEqual(await cipher.documentKey(sealed));
    expect(await rejection(cipher.decrypt(moved))).toMatchObject({ reason: 'key' });
    expect(await rejection(cipher.rewrap(moved, other))).toMatchObject({ reason: 'key' });
  });

  test('which is not wrapped again when it belongs to another document', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const { id } = await cipher.encrypt(plaintext, about);
    const error = await rejection(cipher.rewrap({ ...sealed, id }, cipher));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'document' });
  });
});

describe('guarantee 14, encryption: content of the older format', () => {
  test('that another implementation has made is decrypted and reported as unbound', async () => {
    const other = await createCipher({ passphrase: vector.passphrase, iterations: 1 });
    const { bytes, ...facts } = await other.unseal(vector);
    expect(Buffer.from(bytes).toString()).toBe('Grüße aus einer anderen Welt');
    expect(facts).toEqual({ fileName: 'Grüße.txt', mimeType: 'text/plain', bound: false });
    expect(await other.fileName(vector)).toBe('Grüße.txt');
  });

  test.each([
    { fileName: ['..'] },
    { fileName: ['.'] },
    { fileName: [''] },
    { fileName: {} },
    { fileName: null },
    { fileName: 7 },
    { fileName: [vector.fileName] },
    { mimeType: ['text/html'] },
    { mimeType: { toString: 'text/html' } },
    { mimeType: undefined },
    { mimeType: 'text/html;\r\nX: y' },
  ])('with the name or type %j of the service throws DecryptionError', async (changes) => {
    const other = await createCipher({ passphrase: vector.passphrase, iterations: 1 });
    const document = { ...vector, ...changes } as unknown as typeof vector;
    expect(await rejection(other.unseal(document))).toBeInstanceOf(DecryptionError);
    if ('mimeType' in changes) return;
    expect(await rejection(other.fileName(document))).toBeInstanceOf(DecryptionError);
  });

  test('gets no link and no encrypted name', async () => {
    const other = await createCipher({ passphrase: vector.passphrase, iterations: 1 });
    for (const work of [other.documentKey(vector), other.encryptFileName(vector, 'a.txt')]) {
      const error = await rejection(work);
      expect(error).toBeInstanceOf(UsageError);
      expect(String(error)).toContain('upload it again');
    }
  });

  test('that was changed throws DecryptionError', async () => {
    const other = await createCipher({ passphrase: vector.passphrase, iterations: 1 });
    const encryptedData = `A${vector.encryptedData.slice(1)}`;
    const error = await rejection(other.unseal({ ...vector, encryptedData }));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'content' });
    const wrong = await createCipher({ passphrase: 'another', iterations: 1 });
    expect(await rejection(wrong.unseal(vector))).toMatchObject({ reason: 'key' });
  });

  test('does not take the place of bound content: the algorithm is part of the key', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const encryptionMetadata = { ...sealed.encryptionMetadata, algorithm: 'AES-256-GCM' };
    for (const iv of [encryptionMetadata.iv, 'ZGVmZ2hpamtsbW5v']) {
      const posing = { ...sealed, encryptionMetadata: { ...encryptionMetadata, iv } };
      expect(await rejection(cipher.decrypt(posing))).toBeInstanceOf(DecryptionError);
    }
  });
});

describe('guarantee 14, encryption: documents without a key of their own', () => {
  test.each([undefined, null])('are decrypted, where wrappedKey is %s', async (wrappedKey) => {
    const direct = await encryptedDirectly();
    const metadata = { ...direct.encryptionMetadata, wrappedKey } as unknown as EncryptionMetadata;
    const opened = await cipher.decrypt({ ...direct, encryptionMetadata: metadata });
    expect(opened).toEqual({ ...about, bytes: plaintext, bound: false });
  });

  test('derive their key once', async () => {
    const direct = await encryptedDirectly(100_001);
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const decrypt = () => cipher.decrypt(direct);
    await Promise.all([decrypt(), decrypt()]);
    expect(derive).toHaveBeenCalledTimes(1);
  });

  test('are refused below 100,000 iterations, which would make trying passphrases on people cheap', async () => {
    const direct = await encryptedDirectly(99_999);
    const derive = vi.spyOn(crypto.subtle, 'deriveKey');
    const error = await rejection(cipher.decrypt(direct));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(String(error)).toContain('iterations is below 100000');
    expect(derive).not.toHaveBeenCalled();
  });

  test('give no key away, since it opens the others too', async () => {
    const direct = await encryptedDirectly();
    const error = await rejection(cipher.rewrap(direct, cipher));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain('decrypts every document of the passphrase');
    expect(await rejection(cipher.documentKey(direct))).toBeInstanceOf(UsageError);
  });

  test('throw DecryptionError with the reason key for another passphrase', async () => {
    const other = await createCipher({ passphrase: 'open barley', iterations: 1 });
    const error = await rejection(other.decrypt(await encryptedDirectly()));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'key' });
  });
});
