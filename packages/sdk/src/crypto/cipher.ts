import { asVaultError, UsageError } from '../errors.ts';
import { decryptUnder, encryptUnder, randomBytes } from './aes-gcm.ts';
import { fromBase64 } from './base64.ts';
import { checkedName, decryptName, encryptName, isEncryptedName } from './file-name.ts';
import { createKey, KeyRing } from './key-ring.ts';
import {
  describe,
  type EncryptionMetadata,
  isIterations,
  type KeyDerivation,
  understandContent,
} from './metadata.ts';
import {
  type EncryptedContent,
  type SealedContent,
  type SealOptions,
  seal,
  unseal,
} from './seal.ts';
import type { DocumentSource } from './source.ts';

/** What the encrypted name of a document is read from. */
export interface NamedDocument {
  /** The name as the service knows it, encrypted or not. */
  fileName: string;
  /** What decrypting it needs besides the passphrase. */
  encryptionMetadata: EncryptionMetadata;
}

/** Decrypts documents, with whatever key it has. */
export interface Decipher {
  /**
   * Decrypts what `documents.get` answers.
   *
   * @throws DecryptionError for a wrong passphrase, changed content or metadata not usable
   */
  unseal(content: SealedContent): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The true name of a document: decrypted if it is encrypted, else as it stands.
   *
   * @throws DecryptionError for a wrong passphrase or a changed name, and for one, encrypted or not,
   * that the service may not have: empty, or with slashes or control characters
   */
  fileName(document: NamedDocument): Promise<string>;
}

/** Encrypts and decrypts documents with a passphrase. */
export interface Cipher extends Decipher {
  /** Encrypts `bytes` under a key of their own and a fresh random initialisation vector. */
  encrypt(bytes: Uint8Array): Promise<EncryptedContent>;
  /**
   * Decrypts and authenticates. Content that was encrypted under another salt derives that key
   * first, once.
   *
   * @throws DecryptionError for a wrong passphrase, changed content or metadata not usable
   */
  decrypt(
    encryptedData: Uint8Array,
    metadata: EncryptionMetadata,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Reads a source and encrypts it into what `documents.create` takes. With the option `fileName`
   * the name is encrypted too, and answered as the service may know it.
   *
   * @throws UsageError when the name is no file name, or longer than 160 bytes of UTF-8
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
   * Encrypts another name for a document, for `documents.update`.
   *
   * @param document - the document, or whatever has its metadata
   * @throws UsageError as `seal` does, and when the document has no key of its own
   */
  encryptFileName(
    document: { encryptionMetadata: EncryptionMetadata },
    fileName: string,
  ): Promise<string>;
  /**
   * Reads out a document's own key: 32 bytes that open this document and no other. It is a secret,
   * made for links; `shareUrl` is the usual way to give it away.
   *
   * @throws UsageError when the document has no key of its own, and DecryptionError
   */
  documentKey(metadata: EncryptionMetadata): Promise<Uint8Array<ArrayBuffer>>;
}

/** Options of {@link createCipher}. */
export interface CipherOptions {
  /** The secret; never empty. Taken in Unicode's form NFC, so that all keyboards mean the same. */
  passphrase: string;
  /** PBKDF2 iterations for new content, 1 to 10,000,000. @default 600_000 */
  iterations?: number;
  /**
   * The salt of an earlier cipher, in base64 as `encryptionMetadata.salt` has it, at least 16 bytes:
   * the same passphrase then makes the same key again, which is derived once for documents of both.
   * @default 16 random bytes
   */
  salt?: string | undefined;
}

/** OWASP's figure for PBKDF2-HMAC-SHA-256. */
const defaultIterations = 600_000;
const saltLength = 16;

/**
 * Makes a cipher from a passphrase: a key by PBKDF2-SHA-256 with a random 16-byte salt, derived here
 * once, which wraps the random keys of documents (RFC 3394). Each document is encrypted by
 * AES-256-GCM with a random 12-byte vector. It needs Web Crypto, which browsers have on secure pages
 * only.
 *
 * @throws UsageError when an option is wrong
 */
export async function createCipher(options: CipherOptions): Promise<Cipher> {
  const { passphrase, iterations = defaultIterations, salt } = options ?? {};
  if (typeof passphrase !== 'string' || passphrase === '') {
    throw new UsageError('passphrase must be a string and not empty');
  }
  needWebCrypto();
  if (!isIterations(iterations)) throw new UsageError('iterations must be 1 to 10,000,000');
  const secret = new TextEncoder().encode(passphrase.normalize('NFC'));
  const ring = new KeyRing(
    await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']),
  );
  const derivation = { salt: readSalt(salt), iterations };
  // Some platforms allow fewer iterations.
  await guarded(() => ring.wrappingKey(derivation))();
  return cipherOf(ring, derivation);
}

/** The given salt, or a new one. */
function readSalt(salt: string | undefined): Uint8Array<ArrayBuffer> {
  if (salt === undefined) return randomBytes(saltLength);
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes = fromBase64(salt);
  } catch {
    // Said below, as for a salt that is too short.
  }
  if (bytes && bytes.length >= saltLength) return bytes;
  throw new UsageError(`salt must be base64 of at least ${saltLength} bytes`);
}

/** @throws UsageError on a page that is not secure */
export function needWebCrypto(): void {
  if (!globalThis.crypto?.subtle) throw new UsageError('Web Crypto is missing: use https');
}

function cipherOf(ring: KeyRing, derivation: KeyDerivation): Cipher {
  const encrypt = async (bytes: Uint8Array, fileName?: string): Promise<EncryptedContent> => {
    const key = await createKey();
    // The name first: it may be refused, and costs nothing.
    const name = fileName === undefined ? {} : { fileName: await encryptName(key, fileName) };
    const [wrappedKey, { data, iv, authTag }] = await Promise.all([
      ring.wrap(key, derivation),
      encryptUnder(key, bytes),
    ]);
    const encryptionMetadata = describe({ ...derivation, wrappedKey, iv, authTag });
    return { encryptedData: data, encryptionMetadata, ...name };
  };
  const { decrypt, unseal, fileName } = decipherOf((metadata) => ring.keyOf(metadata));
  return {
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
 * Decrypts with the key that `keyOf` finds for a document.
 *
 * @param hasOwnKey - whether a document has a key of its own; only such documents have encrypted names
 */
export function decipherOf(
  keyOf: (metadata: EncryptionMetadata) => Promise<CryptoKey>,
  hasOwnKey = (metadata: EncryptionMetadata) => Boolean(metadata?.wrappedKey),
): Pick<Cipher, 'decrypt' | 'unseal' | 'fileName'> {
  const decrypt: Cipher['decrypt'] = async (data, metadata) => {
    const content = understandContent(metadata);
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

/** Whatever goes wrong, a source that fails too, rejects with an error of the SDK. */
function guarded<A extends unknown[], T>(
  work: (...input: A) => Promise<T>,
): (...input: A) => Promise<T> {
  return (...input) =>
    work(...input).catch((error) => {
      throw asVaultError(error);
    });
}
