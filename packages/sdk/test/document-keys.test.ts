import { createDecipheriv, hkdfSync, pbkdf2Sync } from 'node:crypto';
import {
  type Cipher,
  DecryptionError,
  type EncryptedContent,
  type EncryptionMetadata,
} from '@document-vault/sdk/crypto';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { rejection } from './support/client.ts';

const passphrase = 'correct horse battery staple';
const text = 'The quick brown fox';
const plaintext = new TextEncoder().encode(text);
const about = { fileName: 'fox.txt', mimeType: 'text/plain' };

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher(passphrase);
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
  const info = `document-vault/3/content/${id}`;
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
  const unwrap = createDecipheriv('aes-256-gcm', derived, wrapped.subarray(0, 12))
    .setAuthTag(wrapped.subarray(-16))
    .setAAD(Buffer.from(`document-vault/3/key/${content.id}`));
  return openWith(
    Buffer.concat([unwrap.update(wrapped.subarray(12, -16)), unwrap.final()]),
    content,
  );
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

  test('which is not unwrapped by a wrong passphrase', async () => {
    const other = await cheapCipher(`${passphrase}!`);
    const error = await rejection(other.documentKey(await cipher.encrypt(plaintext, about)));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(error).toMatchObject({ reason: 'key' });
  });

  test('which is not that of another document', async () => {
    const mine = await cipher.encrypt(plaintext, about);
    const other = await cipher.encrypt(plaintext, about);
    const error = await rejection(cipher.documentKey({ ...other, id: mine.id }));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(error).toMatchObject({ reason: 'key' });
  });

  test('whose content, vector, tag, wrapped key and salt may not differ by a bit', async () => {
    const sealed = await cipher.encrypt(plaintext, about);
    const { encryptedData, encryptionMetadata } = sealed;
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
});
