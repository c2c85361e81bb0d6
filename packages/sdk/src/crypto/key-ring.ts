import { DecryptionError, UsageError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { randomBytes, wrongKey } from './aes-gcm.ts';
import { importRoot, requireBinding, rootUses } from './document-key.ts';
import type { WrappedRoot } from './encryptor.ts';
import {
  invalid,
  isIterations,
  type KeyDerivation,
  parseBinding,
  parseKey,
  validateDirect,
} from './metadata.ts';

/** The use of a derived key: to wrap the keys of documents, or to decrypt content itself. */
type KeyUse = 'AES-KW' | 'AES-GCM';

const usages: Record<KeyUse, KeyUsage[]> = {
  'AES-KW': ['wrapKey', 'unwrapKey'],
  'AES-GCM': ['decrypt'],
};

/** Bytes of a document's own key. */
export const keyLength = 32;
const documentKey = { name: 'AES-GCM', length: keyLength * 8 } as const;
const documentUses: KeyUsage[] = ['encrypt', 'decrypt'];

/** `CryptoKey`. The types of Node have no global of this name. */
type PlatformKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

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

/** A document with the metadata of its key. */
export interface KeyedDocument {
  /** Id of the document, as the caller knows it. */
  id: string;
  /** Parameters for decryption. */
  encryptionMetadata: EncryptionMetadata;
}

/** The file name of a document, with what decrypts it. */
export interface NamedDocument extends KeyedDocument {
  /** The name as stored, encrypted or not. */
  fileName: string;
}

/** Returns the keys of documents. */
export interface DocumentKeys {
  /** Returns the key of a content that was encrypted as a whole. */
  keyOf(metadata: EncryptionMetadata): Promise<CryptoKey>;
  /** Returns the key of a ciphertext stream, for HKDF. */
  rootOf(document: KeyedDocument): Promise<CryptoKey>;
  /** Whether the key of a document was verified when it was unwrapped. */
  isVerified(metadata: EncryptionMetadata): boolean;
}

/** Derives keys from a passphrase, each of them once. It does not keep the passphrase. */
export class KeyRing {
  readonly #passphrase: CryptoKey | undefined;
  readonly #kept: KeptKey[];
  readonly #keys = new Map<string, Promise<CryptoKey>>();

  /**
   * Creates a ring.
   *
   * @param passphrase - undefined for a ring of kept keys alone
   */
  constructor(passphrase: CryptoKey | undefined, kept: readonly KeptKey[] = []) {
    this.#passphrase = passphrase;
    this.#kept = kept.map(copyOf);
    for (const { key, ...derivation } of kept) {
      this.#keys.set(idOf(key.algorithm.name, derivation), Promise.resolve(key));
    }
  }

  /** Returns the keys that the ring has, in the order of their derivation. */
  kept(): KeptKey[] {
    return this.#kept.map(copyOf);
  }

  /** Returns the key that wraps document keys. It is not extractable. */
  wrappingKey(derivation: KeyDerivation): Promise<CryptoKey> {
    return this.#derived('AES-KW', derivation);
  }

  /** Wraps the key of a document (RFC 3394) for storage. */
  async wrap(
    bytes: Uint8Array<ArrayBuffer>,
    derivation: KeyDerivation,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const [key, wrapping] = await Promise.all([
      crypto.subtle.importKey('raw', bytes, documentKey, true, documentUses),
      this.wrappingKey(derivation),
    ]);
    return new Uint8Array(await crypto.subtle.wrapKey('raw', key, wrapping, 'AES-KW'));
  }

  /** Creates and wraps the key of a new document. */
  async createRoot(derivation: KeyDerivation): Promise<WrappedRoot> {
    const bytes = randomBytes(keyLength);
    const [root, wrappedKey] = await Promise.all([importRoot(bytes), this.wrap(bytes, derivation)]);
    return { ...derivation, root, wrappedKey };
  }

  /**
   * Unwraps the key of a document, for HKDF.
   *
   * @throws DecryptionError
   */
  async unwrapRoot({ wrappedKey, ...derivation }: Omit<WrappedRoot, 'root'>): Promise<WrappedRoot> {
    const root = await this.#unwrap(wrappedKey, derivation, { as: 'HKDF', uses: rootUses });
    return { ...derivation, wrappedKey, root };
  }

  /**
   * Returns the key of a document whose content is a ciphertext stream, for HKDF.
   *
   * @throws DecryptionError, also when it is the key of another document
   */
  async rootOf({ id, encryptionMetadata }: KeyedDocument): Promise<CryptoKey> {
    const binding = parseBinding(encryptionMetadata);
    const { wrappedKey, ...derivation } = parseKey(encryptionMetadata);
    if (!wrappedKey) throw invalid('wrappedKey', 'is missing');
    const { root } = await this.unwrapRoot({ wrappedKey, ...derivation });
    if (binding) await requireBinding(root, id, binding);
    return root;
  }

  /**
   * Returns the key of a document. Without a wrapped key, the derived key itself has encrypted the
   * content.
   *
   * @throws DecryptionError
   */
  async keyOf(metadata: EncryptionMetadata): Promise<CryptoKey> {
    const { wrappedKey, ...derivation } = parseKey(metadata);
    if (wrappedKey) return this.#unwrap(wrappedKey, derivation);
    validateDirect(derivation);
    return this.#derived('AES-GCM', derivation);
  }

  /**
   * Returns the bytes of a document's own key, which decrypts no other document.
   *
   * @throws UsageError when the document has none
   * @throws DecryptionError, also when it is the key of another document
   */
  async exportKey({ id, encryptionMetadata }: KeyedDocument): Promise<Uint8Array<ArrayBuffer>> {
    const { wrappedKey, ...derivation } = ownKeyParameters(encryptionMetadata);
    const binding = parseBinding(encryptionMetadata);
    const key = await this.#unwrap(wrappedKey, derivation, { extractable: true });
    const bytes = new Uint8Array(await crypto.subtle.exportKey('raw', key));
    if (binding) await requireBinding(await importRoot(bytes), id, binding);
    return bytes;
  }

  /**
   * Whether the passphrase unwraps the key of a document: AES-KW detects a wrong one.
   *
   * @throws UsageError when the document has no key of its own, and DecryptionError for invalid metadata
   */
  async fits(metadata: EncryptionMetadata): Promise<boolean> {
    const { wrappedKey, ...derivation } = ownKeyParameters(metadata);
    const wrapping = await this.wrappingKey(derivation);
    return unwrap(wrappedKey, wrapping, {}).then(
      () => true,
      () => false,
    );
  }

  async #unwrap(
    wrappedKey: Uint8Array<ArrayBuffer>,
    derivation: KeyDerivation,
    form: KeyForm = {},
  ): Promise<CryptoKey> {
    const wrapping = await this.wrappingKey(derivation);
    try {
      return await unwrap(wrappedKey, wrapping, form);
    } catch (cause) {
      throw wrongKey(cause);
    }
  }

  #derived(use: KeyUse, derivation: KeyDerivation): Promise<CryptoKey> {
    const id = idOf(use, derivation);
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
  async #derive(use: KeyUse, { salt, iterations }: KeyDerivation): Promise<CryptoKey> {
    if (!this.#passphrase) {
      throw new DecryptionError(
        'Cannot decrypt without the passphrase: no key was kept for this salt',
        {
          reason: 'passphrase',
        },
      );
    }
    const key = await crypto.subtle.deriveKey(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
      this.#passphrase,
      { name: use, length: 256 },
      false,
      usages[use],
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
  return key?.algorithm !== undefined && ArrayBuffer.isView(salt) && isIterations(iterations);
}

function idOf(use: string, { salt, iterations }: KeyDerivation): string {
  return `${use} ${iterations} ${salt}`;
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

/** How an unwrapped key is imported. */
interface KeyForm {
  /** @default AES-GCM */
  as?: AlgorithmIdentifier | AesKeyAlgorithm;
  uses?: KeyUsage[];
  extractable?: boolean;
}

function unwrap(
  wrappedKey: Uint8Array<ArrayBuffer>,
  wrapping: CryptoKey,
  { as = documentKey, uses = documentUses, extractable = false }: KeyForm,
): Promise<CryptoKey> {
  const { subtle } = crypto;
  return subtle.unwrapKey('raw', wrappedKey, wrapping, 'AES-KW', as, extractable, uses);
}
