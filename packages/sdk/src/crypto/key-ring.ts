import { UsageError } from '../errors.ts';
import { notDecrypted, randomBytes } from './aes-gcm.ts';
import {
  checkDirect,
  type EncryptionMetadata,
  type KeyDerivation,
  understandKey,
} from './metadata.ts';

/** What a derived key does: wrap the keys of documents, or decrypt content by itself. */
type Duty = 'AES-KW' | 'AES-GCM';

const usages: Record<Duty, KeyUsage[]> = {
  'AES-KW': ['wrapKey', 'unwrapKey'],
  'AES-GCM': ['decrypt'],
};

const keyLength = 32;
const documentKey = { name: 'AES-GCM', length: keyLength * 8 } as const;

/** Makes the key of a new document. By import, since generating one costs a turn of a thread. */
export function createKey(): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', randomBytes(keyLength), documentKey, true, [
    'encrypt',
    'decrypt',
  ]);
}

/** Derives keys from one passphrase, which it does not keep, and each of them once. */
export class KeyRing {
  readonly #passphrase: CryptoKey;
  readonly #keys = new Map<string, Promise<CryptoKey>>();

  constructor(passphrase: CryptoKey) {
    this.#passphrase = passphrase;
  }

  /** The key that wraps others. It cannot be read out, and takes the time of its iterations. */
  wrappingKey(derivation: KeyDerivation): Promise<CryptoKey> {
    return this.#derived('AES-KW', derivation);
  }

  /** Wraps the key of a document (RFC 3394), as it may be stored. */
  async wrap(key: CryptoKey, derivation: KeyDerivation): Promise<Uint8Array<ArrayBuffer>> {
    const wrapping = await this.wrappingKey(derivation);
    return new Uint8Array(await crypto.subtle.wrapKey('raw', key, wrapping, 'AES-KW'));
  }

  /**
   * The key that a document is encrypted under. A client that knows the passphrase alone encrypts
   * under the derived key itself: then there is no wrapped one.
   *
   * @throws DecryptionError
   */
  async keyOf(metadata: EncryptionMetadata): Promise<CryptoKey> {
    const { wrappedKey, ...derivation } = understandKey(metadata);
    if (wrappedKey) return this.#unwrap(wrappedKey, derivation, false);
    checkDirect(derivation);
    return this.#derived('AES-GCM', derivation);
  }

  /**
   * The document's own key, which opens nothing else.
   *
   * @param extractable - whether it can be read out
   * @throws UsageError when the document has none, and DecryptionError
   */
  async ownKeyOf(metadata: EncryptionMetadata, extractable: boolean): Promise<CryptoKey> {
    const { wrappedKey, ...derivation } = understandKey(metadata);
    if (wrappedKey) return this.#unwrap(wrappedKey, derivation, extractable);
    throw new UsageError(
      'The document has no key of its own (encryptionMetadata.wrappedKey): the one it is encrypted ' +
        'under opens every document of the passphrase. Upload it again.',
    );
  }

  async #unwrap(
    wrappedKey: Uint8Array<ArrayBuffer>,
    derivation: KeyDerivation,
    extractable: boolean,
  ): Promise<CryptoKey> {
    const wrapping = await this.wrappingKey(derivation);
    const { subtle } = crypto;
    try {
      return await subtle.unwrapKey(
        'raw',
        wrappedKey,
        wrapping,
        'AES-KW',
        documentKey,
        extractable,
        ['encrypt', 'decrypt'],
      );
    } catch (cause) {
      throw notDecrypted(cause);
    }
  }

  #derived(duty: Duty, derivation: KeyDerivation): Promise<CryptoKey> {
    const id = `${duty} ${derivation.iterations} ${derivation.salt}`;
    let key = this.#keys.get(id);
    if (!key) {
      key = this.#derive(duty, derivation);
      this.#keys.set(id, key);
      // A derivation that failed (memory, say) may be tried again.
      key.catch(() => this.#keys.delete(id));
    }
    return key;
  }

  /** RFC 8018, section 5.2. The key cannot be read out again. */
  #derive(duty: Duty, { salt, iterations }: KeyDerivation): Promise<CryptoKey> {
    return crypto.subtle.deriveKey(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
      this.#passphrase,
      { name: duty, length: 256 },
      false,
      usages[duty],
    );
  }
}
