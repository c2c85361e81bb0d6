import {
  createDocumentKey,
  type DocumentKey,
  type DocumentKeys,
  importRoot,
  type KeyedDocument,
  unwrapDocumentKey,
  wrapDocumentKey,
} from './document-key.ts';
import { type KeyDerivation, parsePassphraseWrap, writePassphraseWrap } from './metadata.ts';
import { derivePassphraseKey } from './passphrase.ts';

/** Derives each key from a passphrase once. The keys wrap those of documents. The passphrase is not kept. */
export class PassphraseKeys implements DocumentKeys {
  readonly detectsWrongKey = true;
  readonly #passphrase: CryptoKey;
  /** Derives the key that wraps the keys of new documents. */
  readonly #derivation: KeyDerivation;
  readonly #keys = new Map<string, Promise<CryptoKey>>();

  constructor(passphrase: CryptoKey, derivation: KeyDerivation) {
    this.#passphrase = passphrase;
    this.#derivation = derivation;
  }

  /** Derives that key before the first document. */
  async derive(): Promise<void> {
    await this.#wrapping(this.#derivation);
  }

  async create(id: string): Promise<DocumentKey> {
    const bytes = createDocumentKey();
    const wrapping = await this.#wrapping(this.#derivation);
    const [root, wrappedKey] = await Promise.all([
      importRoot(bytes),
      wrapDocumentKey(wrapping, bytes, id),
    ]);
    return { root, metadata: writePassphraseWrap({ ...this.#derivation, wrappedKey }) };
  }

  async unwrap({ id, encryptionMetadata }: KeyedDocument): Promise<Uint8Array<ArrayBuffer>> {
    const { wrappedKey, ...derivation } = parsePassphraseWrap(encryptionMetadata);
    return unwrapDocumentKey(await this.#wrapping(derivation), wrappedKey, id);
  }

  #wrapping(derivation: KeyDerivation): Promise<CryptoKey> {
    const id = `${derivation.iterations} ${derivation.salt}`;
    let key = this.#keys.get(id);
    if (!key) {
      key = derivePassphraseKey(this.#passphrase, derivation);
      this.#keys.set(id, key);
      // A failed derivation may succeed later, for example after running out of memory.
      key.catch(() => this.#keys.delete(id));
    }
    return key;
  }
}
