import { asVaultError, UsageError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { decryptUnder, encryptUnder, randomBytes } from './aes-gcm.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { checkedName, decryptName, encryptName, isEncryptedName } from './file-name.ts';
import { createKey, KeyRing } from './key-ring.ts';
import { isIterations, type KeyDerivation, parseContent, serialize } from './metadata.ts';
import {
  type DocumentSource,
  type EncryptedContent,
  type SealedContent,
  type SealOptions,
  seal,
  unseal,
} from './seal.ts';

/** The file name of a document, with the metadata that decrypts it. */
export interface NamedDocument {
  /** The name as stored, encrypted or not. */
  fileName: string;
  /** The encryption metadata of the document. */
  encryptionMetadata: EncryptionMetadata;
}

/** Decrypts documents. */
export interface Decipher {
  /**
   * Decrypts the result of `documents.get`.
   *
   * @throws {@link DecryptionError} for a wrong passphrase, changed content or invalid metadata
   * @example
   * const bytes = await cipher.unseal(await client.documents.get(document.id));
   */
  unseal(content: SealedContent): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Returns the name of a document: decrypted if it is encrypted, otherwise as stored.
   *
   * @throws {@link DecryptionError} for a wrong passphrase or a changed name, and for an invalid name:
   * empty, or with slashes, control or bidirectional characters
   * @example
   * const fileName = await cipher.fileName(document);
   */
  fileName(document: NamedDocument): Promise<string>;
}

/** Encrypts and decrypts documents with a passphrase. */
export interface Cipher extends Decipher {
  /**
   * The salt of new content: base64 of 16 bytes or more, not secret. Keep it and pass it to the next
   * {@link createCipher}, so that both derive the same key.
   *
   * @example
   * localStorage.setItem('salt', cipher.salt);
   */
  readonly salt: string;
  /**
   * Whether the passphrase is the one of a document. Check it against an existing document before the
   * first upload: a misspelt passphrase would encrypt as well as the right one. Needs no content, so a
   * document of `documents.list` is enough. The key of another salt is derived once, then cached.
   *
   * @throws {@link UsageError} when the document has no key of its own: `unseal` its content instead
   * @throws {@link DecryptionError} for invalid metadata
   * @example
   * const [newest] = (await client.documents.list({ pageSize: 1 })).data;
   * if (newest && !(await cipher.check(newest))) throw new Error('Wrong passphrase');
   */
  check(document: { encryptionMetadata: EncryptionMetadata }): Promise<boolean>;
  /**
   * Encrypts `bytes` with a new random key and a new random initialisation vector.
   *
   * @example
   * const { encryptedData, encryptionMetadata } = await cipher.encrypt(new Uint8Array([1, 2, 3]));
   */
  encrypt(bytes: Uint8Array): Promise<EncryptedContent>;
  /**
   * Decrypts and authenticates. The key of another salt is derived once, then cached.
   *
   * @throws {@link DecryptionError} for a wrong passphrase, changed content or invalid metadata
   * @example
   * const bytes = await cipher.decrypt(encryptedData, encryptionMetadata);
   */
  decrypt(
    encryptedData: Uint8Array,
    metadata: EncryptionMetadata,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Reads a source and encrypts it for `documents.create`. With the option `fileName` it also encrypts
   * the name.
   *
   * @throws {@link UsageError} when the name is invalid or longer than 160 bytes of UTF-8
   * @example
   * const { fileName, ...sealed } = await cipher.seal('Total: 42', { fileName: 'return.txt' });
   */
  seal(
    source: DocumentSource,
    options: SealOptions & { fileName: string },
  ): Promise<SealedContent & { sizeBytes: number; fileName: string }>;
  /** Reads a source and encrypts it, with its name if `options` has one. */
  seal(
    source: DocumentSource,
    options?: SealOptions,
  ): Promise<SealedContent & { sizeBytes: number; fileName?: string }>;
  /**
   * Encrypts a new name for a document, for `documents.update`.
   *
   * @param document - the document, or an object with its metadata
   * @throws {@link UsageError} as `seal` does, and when the document has no key of its own
   * @example
   * const fileName = await cipher.encryptFileName(document, 'tax-return-2026.txt');
   * await client.documents.update(document.id, { fileName });
   */
  encryptFileName(
    document: { encryptionMetadata: EncryptionMetadata },
    fileName: string,
  ): Promise<string>;
  /**
   * Exports a document's own key: 32 bytes that decrypt this document and no other. The key is a
   * secret. `shareUrl` puts it into a link.
   *
   * @throws {@link UsageError} when the document has no key of its own
   * @throws {@link DecryptionError} for a wrong passphrase or invalid metadata
   * @example
   * const key = await cipher.documentKey(document.encryptionMetadata);
   */
  documentKey(metadata: EncryptionMetadata): Promise<Uint8Array<ArrayBuffer>>;
}

/** Options of {@link createCipher}. */
export interface CipherOptions {
  /** The secret, not empty. It is normalised to Unicode NFC, so that every keyboard gives the same. */
  passphrase: string;
  /** PBKDF2 iterations for new content, 1 to 10,000,000. @default 600_000 */
  iterations?: number;
  /**
   * The salt of an earlier cipher: `encryptionMetadata.salt`, at least 16 bytes in base64. The same
   * passphrase then gives the same key, which is derived once for the documents of both.
   * @default 16 random bytes
   */
  salt?: string | undefined;
}

/** OWASP's recommendation for PBKDF2-HMAC-SHA-256. */
const defaultIterations = 600_000;
const saltLength = 16;

/**
 * Creates a cipher from a passphrase. It derives a key by PBKDF2-SHA-256 with a random 16-byte salt,
 * once. That key wraps the random key of each document (RFC 3394), which encrypts it by AES-256-GCM
 * with a random 12-byte initialisation vector. Needs Web Crypto, which browsers have on secure pages
 * only. The derivation takes some tenths of a second: create one cipher and keep it.
 *
 * @throws {@link UsageError} when an option is invalid
 * @example
 * const cipher = await createCipher({ passphrase: 'correct horse battery staple' });
 */
export async function createCipher(options: CipherOptions): Promise<Cipher> {
  const { passphrase, iterations = defaultIterations, salt } = options ?? {};
  if (typeof passphrase !== 'string' || passphrase === '') {
    throw new UsageError('passphrase must be a string and not empty');
  }
  requireWebCrypto();
  if (!isIterations(iterations)) throw new UsageError('iterations must be 1 to 10,000,000');
  const secret = new TextEncoder().encode(passphrase.normalize('NFC'));
  const ring = new KeyRing(
    await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']),
  );
  const derivation = { salt: readSalt(salt), iterations };
  // Derives the key now, because some platforms limit the iterations.
  await guarded(() => ring.wrappingKey(derivation))();
  return cipherOf(ring, derivation);
}

/** Decodes the given salt, or creates one. */
function readSalt(salt: string | undefined): Uint8Array<ArrayBuffer> {
  if (salt === undefined) return randomBytes(saltLength);
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes = fromBase64(salt);
  } catch {
    // The error below is the same as for a short salt.
  }
  if (bytes && bytes.length >= saltLength) return bytes;
  throw new UsageError(`salt must be base64 of at least ${saltLength} bytes`);
}

/** @throws UsageError on a page that is not secure */
export function requireWebCrypto(): void {
  if (!globalThis.crypto?.subtle)
    throw new UsageError('Web Crypto is missing: open the page by https or on localhost');
}

function cipherOf(ring: KeyRing, derivation: KeyDerivation): Cipher {
  const encrypt = async (bytes: Uint8Array, fileName?: string): Promise<EncryptedContent> => {
    const key = await createKey();
    // The name first: it may be invalid, and checking it is cheap.
    const name = fileName === undefined ? {} : { fileName: await encryptName(key, fileName) };
    const [wrappedKey, { data, iv, authTag }] = await Promise.all([
      ring.wrap(key, derivation),
      encryptUnder(key, bytes),
    ]);
    const encryptionMetadata = serialize({ ...derivation, wrappedKey, iv, authTag });
    return { encryptedData: data, encryptionMetadata, ...name };
  };
  const { decrypt, unseal, fileName } = decipherOf((metadata) => ring.keyOf(metadata));
  return {
    salt: toBase64(derivation.salt),
    check: guarded(({ encryptionMetadata }) => ring.fits(encryptionMetadata)),
    encrypt: guarded((bytes) => encrypt(bytes)),
    decrypt,
    seal: guarded((source, options) => seal(encrypt, source, options)) as Cipher['seal'],
    unseal,
    fileName,
    encryptFileName: guarded(async ({ encryptionMetadata }, name) =>
      encryptName(await ring.ownKeyOf(encryptionMetadata, false), name),
    ),
    documentKey: guarded(async (metadata) => {
      const key = await ring.ownKeyOf(metadata, true);
      return new Uint8Array(await crypto.subtle.exportKey('raw', key));
    }),
  };
}

/**
 * Creates a decipher from a function that returns the key of a document.
 *
 * @param hasOwnKey - whether a document has a key of its own; only such documents have encrypted names
 */
export function decipherOf(
  keyOf: (metadata: EncryptionMetadata) => Promise<CryptoKey>,
  hasOwnKey = (metadata: EncryptionMetadata) => Boolean(metadata?.wrappedKey),
): Pick<Cipher, 'decrypt' | 'unseal' | 'fileName'> {
  const decrypt: Cipher['decrypt'] = async (data, metadata) => {
    const content = parseContent(metadata);
    return decryptUnder(await keyOf(metadata), { data, ...content });
  };
  return {
    decrypt: guarded(decrypt),
    unseal: guarded((content) => unseal(decrypt, content)),
    fileName: guarded(async ({ fileName, encryptionMetadata }) =>
      isEncryptedName(fileName) && hasOwnKey(encryptionMetadata)
        ? decryptName(await keyOf(encryptionMetadata), fileName)
        : checkedName(fileName),
    ),
  };
}

/** Makes a function reject only with errors of the SDK, also when a source fails. */
function guarded<A extends unknown[], T>(
  work: (...input: A) => Promise<T>,
): (...input: A) => Promise<T> {
  return (...input) =>
    work(...input).catch((error) => {
      throw asVaultError(error);
    });
}
