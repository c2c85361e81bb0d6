import { UsageError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { notDecrypted, randomBytes } from './aes-gcm.ts';
import { type KeyDerivation, parseKey, validateDirect } from './metadata.ts';

/** The use of a derived key: to wrap the keys of documents, or to decrypt content itself. */
type KeyUse = 'AES-KW' | 'AES-GCM';

const usages: Record<KeyUse, KeyUsage[]> = {
  'AES-KW': ['wrapKey', 'unwrapKey'],
  'AES-GCM': ['decrypt'],
};

const keyLength = 32;
const documentKey = { name: 'AES-GCM', length: keyLength * 8 } as const;

/** Creates the key of a new document. An import is faster than `generateKey`, which uses a thread. */
export function createKey(): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', randomBytes(keyLength), documentKey, true, [
    'encrypt',
    'decrypt',
  ]);
}

/** Derives keys from a passphrase, each of them once. It does not keep the passphrase. */
export class KeyRing {
  readonly #passphrase: CryptoKey;
  readonly #keys = new Map<string, Promise<CryptoKey>>();

  constructor(passphrase: CryptoKey) {
    this.#passphrase = passphrase;
  }

  /** Returns the key that wraps document keys. It is not extractable. */
  wrappingKey(derivation: KeyDerivation): Promise<CryptoKey> {
    return this.#derived('AES-KW', derivation);
  }

  /** Wraps the key of a document (RFC 3394) for storage. */
  async wrap(key: CryptoKey, derivation: KeyDerivation): Promise<Uint8Array<ArrayBuffer>> {
    const wrapping = await this.wrappingKey(derivation);
    return new Uint8Array(await crypto.subtle.wrapKey('raw', key, wrapping, 'AES-KW'));
  }

  /**
   * Returns the key of a document. Without a wrapped key, the derived key itself has encrypted the
   * content.
   *
   * @throws DecryptionError
   */
  async keyOf(metadata: EncryptionMetadata): Promise<CryptoKey> {
    const { wrappedKey, ...derivation } = parseKey(metadata);
    if (wrappedKey) return this.#unwrap(wrappedKey, derivation, false);
    validateDirect(derivation);
    return this.#derived('AES-GCM', derivation);
  }

  /**
   * Returns the document's own key, which decrypts no other document.
   *
   * @param extractable - whether it can be exported
   * @throws UsageError when the document has none, and DecryptionError
   */
  async ownKeyOf(metadata: EncryptionMetadata, extractable: boolean): Promise<CryptoKey> {
    const { wrappedKey, ...derivation } = ownKeyParameters(metadata);
    return this.#unwrap(wrappedKey, derivation, extractable);
  }

  /**
   * Whether the passphrase unwraps the key of a document: AES-KW detects a wrong one.
   *
   * @throws UsageError when the document has no key of its own, and DecryptionError for invalid metadata
   */
  async fits(metadata: EncryptionMetadata): Promise<boolean> {
    const { wrappedKey, ...derivation } = ownKeyParameters(metadata);
    const wrapping = await this.wrappingKey(derivation);
    return unwrap(wrappedKey, wrapping, false).then(
      () => true,
      () => false,
    );
  }

  async #unwrap(
    wrappedKey: Uint8Array<ArrayBuffer>,
    derivation: KeyDerivation,
    extractable: boolean,
  ): Promise<CryptoKey> {
    const wrapping = await this.wrappingKey(derivation);
    try {
      return await unwrap(wrappedKey, wrapping, extractable);
    } catch (cause) {
      throw notDecrypted(cause);
    }
  }

  #derived(use: KeyUse, derivation: KeyDerivation): Promise<CryptoKey> {
    const id = `${use} ${derivation.iterations} ${derivation.salt}`;
    let key = this.#keys.get(id);
    if (!key) {
      key = this.#derive(use, derivation);
      this.#keys.set(id, key);
      // A failed derivation may succeed later, for example after running out of memory.
      key.catch(() => this.#keys.delete(id));
    }
    return key;
  }

  /** PBKDF2 (RFC 8018, section 5.2). The key is not extractable. */
  #derive(use: KeyUse, { salt, iterations }: KeyDerivation): Promise<CryptoKey> {
    return crypto.subtle.deriveKey(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
      this.#passphrase,
      { name: use, length: 256 },
      false,
      usages[use],
    );
  }
}

/** Parses the key parameters of a document with a key of its own. */
function ownKeyParameters(metadata: EncryptionMetadata) {
  const { wrappedKey, ...derivation } = parseKey(metadata);
  if (wrappedKey) return { wrappedKey, ...derivation };
  throw new UsageError(
    'The document has no key of its own (encryptionMetadata.wrappedKey). Upload it again: its key ' +
      'decrypts every document of the passphrase.',
  );
}

function unwrap(
  wrappedKey: Uint8Array<ArrayBuffer>,
  wrapping: CryptoKey,
  extractable: boolean,
): Promise<CryptoKey> {
  const uses: KeyUsage[] = ['encrypt', 'decrypt'];
  const { subtle } = crypto;
  return subtle.unwrapKey('raw', wrappedKey, wrapping, 'AES-KW', documentKey, extractable, uses);
}
