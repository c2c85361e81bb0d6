import { DecryptionError } from '../errors.ts';
import {
  createDocumentKey,
  type DocumentKey,
  type DocumentKeys,
  importRoot,
  type KeyedDocument,
  unwrapDocumentKey,
  wrapDocumentKey,
} from './document-key.ts';
import type { PlatformKey } from './keyring.ts';
import {
  isIterations,
  type KeyDerivation,
  parsePassphraseWrap,
  type WrappedKeyMetadata,
  writePassphraseWrap,
} from './metadata.ts';

/**
 * A key that was derived from a passphrase. A program can use it, but cannot read its bytes. IndexedDB and
 * `postMessage` accept it.
 */
export interface KeptKey {
  /** A `CryptoKey`, not extractable. */
  readonly key: PlatformKey;
  /** Salt of PBKDF2, not secret. */
  readonly salt: Uint8Array<ArrayBuffer>;
  /** PBKDF2 iterations. */
  readonly iterations: number;
}

/** Derives each key from a passphrase once. The keys wrap those of documents. The passphrase is not kept. */
export class PassphraseKeys implements DocumentKeys {
  readonly detectsWrongKey = true;
  readonly #passphrase: CryptoKey | undefined;
  /** Of new documents. */
  readonly #derivation: KeyDerivation;
  readonly #kept: KeptKey[];
  readonly #keys = new Map<string, Promise<CryptoKey>>();

  /** @param passphrase - undefined for kept keys alone */
  constructor(
    passphrase: CryptoKey | undefined,
    derivation: KeyDerivation,
    kept: readonly KeptKey[] = [],
  ) {
    this.#passphrase = passphrase;
    this.#derivation = derivation;
    this.#kept = kept.map(copyOf);
    for (const { key, ...derivation } of kept) {
      this.#keys.set(idOf(derivation), Promise.resolve(key));
    }
  }

  /** Salt of new documents. */
  get salt(): Uint8Array {
    return this.#derivation.salt;
  }

  /** Returns the derived keys, in the order of their derivation. */
  kept(): KeptKey[] {
    return this.#kept.map(copyOf);
  }

  /** Derives the key that wraps the keys of new documents. */
  async derive(): Promise<void> {
    await this.#wrapping(this.#derivation);
  }

  async create(id: string): Promise<DocumentKey> {
    const bytes = createDocumentKey();
    const [root, metadata] = await Promise.all([importRoot(bytes), this.wrap(bytes, id)]);
    return { root, metadata };
  }

  /** Wraps the key of a document. */
  async wrap(bytes: Uint8Array<ArrayBuffer>, id: string): Promise<WrappedKeyMetadata> {
    const wrappedKey = await wrapDocumentKey(await this.#wrapping(this.#derivation), bytes, id);
    return writePassphraseWrap({ ...this.#derivation, wrappedKey });
  }

  async unwrap({ id, encryptionMetadata }: KeyedDocument): Promise<Uint8Array<ArrayBuffer>> {
    const { wrappedKey, ...derivation } = parsePassphraseWrap(encryptionMetadata);
    return unwrapDocumentKey(await this.#wrapping(derivation), wrappedKey, id);
  }

  /**
   * Whether the passphrase unwraps the key of a document.
   *
   * @throws DecryptionError for invalid metadata
   */
  async fits({ id, encryptionMetadata }: KeyedDocument): Promise<boolean> {
    const { wrappedKey, ...derivation } = parsePassphraseWrap(encryptionMetadata);
    const wrapping = await this.#wrapping(derivation);
    return unwrapDocumentKey(wrapping, wrappedKey, id).then(
      () => true,
      () => false,
    );
  }

  #wrapping(derivation: KeyDerivation): Promise<CryptoKey> {
    const id = idOf(derivation);
    let key = this.#keys.get(id);
    if (!key) {
      key = this.#derive(derivation);
      this.#keys.set(id, key);
      // A failed derivation may succeed later, for example after running out of memory.
      key.catch(() => this.#keys.delete(id));
    }
    return key;
  }

  /** PBKDF2 (RFC 8018, section 5.2). The key is not extractable. */
  async #derive({ salt, iterations }: KeyDerivation): Promise<CryptoKey> {
    if (!this.#passphrase) {
      throw new DecryptionError(
        'Cannot decrypt without the passphrase: no key was kept for this salt',
        { reason: 'passphrase' },
      );
    }
    const key = await crypto.subtle.deriveKey(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
      this.#passphrase,
      { name: 'AES-GCM', length: 256 },
      false,
      ['encrypt', 'decrypt'],
    );
    this.#kept.push({ salt, iterations, key });
    return key;
  }
}

/** A caller may change the bytes of its salt, for example erase them. */
function copyOf({ key, salt, iterations }: KeptKey): KeptKey {
  return { key, salt: salt.slice(), iterations };
}

/** Whether a value from storage is a kept key. */
export function isKeptKey(value: KeptKey | undefined): value is KeptKey {
  const { key, salt, iterations } = value ?? {};
  return key?.algorithm?.name === 'AES-GCM' && ArrayBuffer.isView(salt) && isIterations(iterations);
}

function idOf({ salt, iterations }: KeyDerivation): string {
  return `${iterations} ${salt}`;
}
