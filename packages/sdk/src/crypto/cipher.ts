import { asVaultError, DecryptionError, UsageError } from '../errors.ts';
import { describe, type EncryptionMetadata, isIterations, understand } from './metadata.ts';
import {
  type EncryptedContent,
  type SealedContent,
  type SealOptions,
  seal,
  unseal,
} from './seal.ts';
import type { DocumentSource } from './source.ts';

/** Encrypts and decrypts the content of documents with a passphrase. */
export interface Cipher {
  /** Encrypts `bytes` under a fresh random initialisation vector. */
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
  /** Reads a source and encrypts it into what `documents.create` takes. */
  seal(
    source: DocumentSource,
    options?: SealOptions,
  ): Promise<SealedContent & { sizeBytes: number }>;
  /**
   * Decrypts what `documents.get` answers.
   *
   * @throws DecryptionError as `decrypt` does
   */
  unseal(content: SealedContent): Promise<Uint8Array<ArrayBuffer>>;
}

/** Options of {@link createCipher}. */
export interface CipherOptions {
  /** The secret; never empty. Taken in Unicode's form NFC, so that all keyboards mean the same. */
  passphrase: string;
  /** PBKDF2 iterations for new content, 1 to 10,000,000. @default 600_000 */
  iterations?: number;
}

/** OWASP's figure for PBKDF2-HMAC-SHA-256. */
const defaultIterations = 600_000;
const saltLength = 16;
/** NIST SP 800-38D, section 8.2.2: a random vector of 96 bits. */
const ivLength = 12;
const tagLength = 16;

/** The parameters of one derivation. */
interface KeyParameters {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
}

/** Derives keys from one passphrase, which it does not keep, and each of them once. */
class KeyRing {
  readonly #passphrase: CryptoKey;
  readonly #keys = new Map<string, Promise<CryptoKey>>();

  constructor(passphrase: CryptoKey) {
    this.#passphrase = passphrase;
  }

  key(parameters: KeyParameters): Promise<CryptoKey> {
    const id = `${parameters.iterations} ${parameters.salt}`;
    let key = this.#keys.get(id);
    if (!key) {
      key = this.#derive(parameters);
      this.#keys.set(id, key);
      // A derivation that failed (memory, say) may be tried again.
      key.catch(() => this.#keys.delete(id));
    }
    return key;
  }

  /** RFC 8018, section 5.2. The key cannot be read out again. */
  #derive({ salt, iterations }: KeyParameters): Promise<CryptoKey> {
    return crypto.subtle.deriveKey(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
      this.#passphrase,
      { name: 'AES-GCM', length: 256 },
      false,
      ['encrypt', 'decrypt'],
    );
  }
}

/**
 * Makes a cipher from a passphrase: a key by PBKDF2-SHA-256 with a random 16-byte salt, derived here
 * once, then AES-256-GCM with a random 12-byte vector for each document. It needs Web Crypto, which
 * browsers have on secure pages only.
 *
 * @throws UsageError when an option is wrong
 */
export async function createCipher(options: CipherOptions): Promise<Cipher> {
  const { passphrase, iterations = defaultIterations } = options ?? {};
  if (typeof passphrase !== 'string' || passphrase === '') {
    throw new UsageError('passphrase must be a string and not empty');
  }
  if (!globalThis.crypto?.subtle) throw new UsageError('Web Crypto is missing: use https');
  if (!isIterations(iterations)) throw new UsageError('iterations must be 1 to 10,000,000');
  const secret = new TextEncoder().encode(passphrase.normalize('NFC'));
  const ring = new KeyRing(
    await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']),
  );
  const parameters = { salt: randomBytes(saltLength), iterations };
  await ring.key(parameters);
  const encryptBytes: Cipher['encrypt'] = (bytes) => encrypt(ring, parameters, bytes);
  const decryptBytes: Cipher['decrypt'] = (data, metadata) => decrypt(ring, data, metadata);
  return {
    encrypt: guarded(encryptBytes),
    decrypt: guarded(decryptBytes),
    seal: guarded((source, sealOptions) => seal(encryptBytes, source, sealOptions)),
    unseal: guarded((content) => unseal(decryptBytes, content)),
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

async function encrypt(
  ring: KeyRing,
  parameters: KeyParameters,
  bytes: Uint8Array,
): Promise<EncryptedContent> {
  const iv = randomBytes(ivLength);
  const key = await ring.key(parameters);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, asSource(bytes));
  const length = sealed.byteLength - tagLength;
  const authTag = new Uint8Array(sealed, length);
  return {
    encryptedData: new Uint8Array(sealed, 0, length),
    encryptionMetadata: describe({ ...parameters, iv, authTag }),
  };
}

async function decrypt(
  ring: KeyRing,
  encryptedData: Uint8Array,
  metadata: EncryptionMetadata,
): Promise<Uint8Array<ArrayBuffer>> {
  const { iv, authTag, ...parameters } = understand(metadata);
  const sealed = new Uint8Array(encryptedData.length + tagLength);
  sealed.set(encryptedData);
  sealed.set(authTag, encryptedData.length);
  const key = await ring.key(parameters);
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed));
  } catch (cause) {
    throw new DecryptionError('Cannot decrypt: wrong passphrase, or the content was changed', {
      cause,
    });
  }
}

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Web Crypto takes no memory that another thread may change. */
function asSource(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}
