import { asVaultError, loadCode, rethrow, UsageError } from '../errors.ts';
import { requireKnown } from '../options.ts';
import { randomBytes } from './aes-gcm.ts';
import { fromBase64 } from './base64.ts';
import type { DecryptedContent, Unwrapping } from './content.ts';
import type { Decryptor, StoredContent, StoredDocument, StoredSealedContent } from './decryptor.ts';
import type { DocumentKeys, KeyedDocument, NamedDocument } from './document-key.ts';
import type { Encryptor, EncryptorOptions, EncryptorState } from './encryptor.ts';
import { importPassphrase, passphraseIterations, saltLength } from './passphrase.ts';
import { PassphraseKeys } from './passphrase-keys.ts';
import type {
  ContentDescription,
  DocumentSource,
  EncryptedContent,
  SealedContent,
  SealOptions,
} from './seal.ts';

/** Decrypts documents. */
export interface Decipher {
  /**
   * Decrypts the result of `documents.get`. The result has the name and the media type that were sealed
   * with the content, not those that the service reports.
   *
   * @throws {@link DecryptionError} for a wrong key, changed content, content of another
   * document, or invalid metadata
   * @throws {@link UsageError} when the service returned no content, because it is larger than 32 MiB
   * @example
   * const { bytes } = await cipher.unseal(await client.documents.get(document.id));
   */
  unseal(document: StoredSealedContent): Promise<DecryptedContent>;
  /**
   * Returns the name of a document: decrypted if it is encrypted, otherwise as stored. The service can
   * replace a plain name; `unseal` and downloads detect it, because they have the content.
   *
   * @param document - the document, or the state of its encryptor
   * @throws {@link DecryptionError} for a wrong key or a changed name, and for an invalid name:
   * empty, or with slashes, control or bidirectional characters
   * @example
   * const fileName = await cipher.fileName(document);
   */
  fileName(document: NamedDocument | EncryptorState): Promise<string>;
  /**
   * Decrypts a content segment by segment, so that a part of it can be read and none of it has to be in
   * memory as a whole. Verifies that the content belongs to the document.
   *
   * @param document - the document, under the id that the caller asked for
   * @param first - the first 1 MiB of the ciphertext, or all of it when there is less
   * @throws {@link DecryptionError} as `unseal` does, and for content of another format
   * @example
   * const stored = await client.documents.get(document.id);
   * const ciphertext = Buffer.from(stored.encryptedData ?? '', 'base64');
   * const decryptor = await cipher.decryptor(stored, ciphertext.subarray(0, 2 ** 20));
   * const { start, end } = decryptor.ciphertextOf(0);
   * const bytes = await decryptor.segment(0, ciphertext.subarray(start, end));
   */
  decryptor(document: StoredDocument, first: Uint8Array): Promise<Decryptor>;
}

/** Encrypts and decrypts documents. */
export interface Cipher extends Decipher {
  /**
   * Encrypts `bytes` with a new random key. The result can be decrypted under its id only.
   *
   * @throws {@link UsageError} when the name is invalid
   * @example
   * const sealed = await cipher.encrypt(new Uint8Array([1, 2, 3]), { fileName: 'a.bin' });
   */
  encrypt(
    bytes: Uint8Array,
    options: ContentDescription & { fileName: string },
  ): Promise<EncryptedContent>;
  /**
   * Decrypts and authenticates the result of `encrypt`.
   *
   * @throws {@link DecryptionError} as `unseal` does
   * @example
   * const { bytes, fileName } = await cipher.decrypt(sealed);
   */
  decrypt(document: StoredContent): Promise<DecryptedContent>;
  /**
   * Reads a source and encrypts it for `documents.create`.
   *
   * @throws {@link UsageError} when the name is invalid, and for a name to encrypt that is
   * longer than 160 bytes of UTF-8
   * @example
   * const sealed = await cipher.seal('Total: 42', { fileName: 'return.txt' });
   * await client.documents.create({ vaultId: vault.id, ...sealed });
   */
  seal(source: DocumentSource, options?: SealOptions): Promise<SealedContent>;
  /**
   * Encrypts a content segment by segment, with a new random key.
   *
   * @throws {@link UsageError} when name or size is invalid
   * @example
   * const about = { fileName: 'film.mp4', mimeType: 'video/mp4', size: film.length };
   * const encryptor = await cipher.encryptor(about);
   * for (let n = 0; n < encryptor.segments; n++) {
   *   const { start, end } = encryptor.contentOf(n);
   *   await store(await encryptor.segment(n, film.subarray(start, end)));
   * }
   * await publish(encryptor.fields());
   */
  encryptor(options: EncryptorOptions): Promise<Encryptor>;
  /**
   * Continues the encryption of another encryptor. Its segments have the same bytes, provided that the
   * content is the same: compare a digest before you send a segment that was sent before.
   *
   * @throws {@link UsageError} when the state is invalid
   * @throws {@link DecryptionError} when the keys are not those of the state
   * @example
   * const encryptor = await cipher.resumeEncryptor(JSON.parse(kept));
   */
  resumeEncryptor(state: EncryptorState): Promise<Encryptor>;
  /**
   * Encrypts a new name for a document, for `documents.update`.
   *
   * @param document - the document, or an object with its id and metadata
   * @throws {@link UsageError} as `seal` does
   * @throws {@link DecryptionError} for a wrong key or invalid metadata
   * @example
   * const fileName = await cipher.encryptFileName(document, 'tax-return-2026.txt');
   * await client.documents.update(document.id, { fileName });
   */
  encryptFileName(document: KeyedDocument, fileName: string): Promise<string>;
  /**
   * Exports a document's own key: 32 bytes that decrypt this document and no other. The key is a
   * secret. `shareUrl` puts it into a link. Verifies that the key belongs to this document.
   *
   * @throws {@link DecryptionError} for a wrong key, the key of another document, or invalid
   * metadata
   * @example
   * const key = await cipher.documentKey(document);
   */
  documentKey(document: KeyedDocument): Promise<Uint8Array<ArrayBuffer>>;
}

/** Options of {@link createCipher}. */
export interface CipherOptions {
  /** The secret, not empty. It is normalised to Unicode NFC, so that every keyboard gives the same. */
  passphrase: string;
  /**
   * The salt of an earlier cipher: `encryptionMetadata.salt`, at least 16 bytes in base64. The same
   * passphrase then gives the same key, which is derived once for the documents of both.
   * @default 16 random bytes
   */
  salt?: string | undefined;
}

/**
 * Creates a cipher from a passphrase. It derives a key by PBKDF2-SHA-256 with a random 16-byte salt,
 * once. That key wraps the random key of each document, for its id alone. Under the document's key, the content
 * is encrypted by AES-256-GCM in segments, together with its name, media type and size, and bound to the
 * id of the document. Needs Web Crypto, which browsers have on secure pages
 * only. The derivation takes some tenths of a second: create one cipher and keep it.
 *
 * A misspelt passphrase encrypts too, and a lost one cannot be recovered. For people, use `client.keyring`.
 *
 * @throws {@link UsageError} when an option is invalid
 * @example
 * const cipher = await createCipher({ passphrase: 'correct horse battery staple' });
 */
export async function createCipher(options: CipherOptions): Promise<Cipher> {
  requireWebCrypto();
  requireKnown(options, 'passphrase salt');
  const { passphrase, salt } = options ?? {};
  const secret = await importPassphrase(passphrase);
  const derivation = { salt: readSalt(salt), iterations: passphraseIterations };
  const keys = new PassphraseKeys(secret, derivation);
  // Derives the key now, because some platforms limit the iterations.
  await keys.derive().catch(rethrow());
  return documentCipher(keys);
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

/** Loads the code that decrypts, at the first use. */
const load = () => loadCode(() => import('./content.ts'));

/** Loads the code that encrypts. Programs that only open share links do not contain it. */
const loadSealing = () => loadCode(() => import('./sealing.ts'));

/** Creates a cipher over the keys of documents. */
export function documentCipher(keys: DocumentKeys & Unwrapping): Cipher {
  return {
    encrypt: guarded('bytes', async (bytes, options) =>
      (await loadSealing()).encrypt(keys, bytes, options),
    ),
    seal: guarded('source', async (source, options) =>
      (await loadSealing()).seal(keys, source, options),
    ),
    encryptor: guarded('options', async (options) =>
      (await loadSealing()).createEncryptor(keys, options),
    ),
    resumeEncryptor: guarded('state', async (state) =>
      (await loadSealing()).resumeEncryptor(keys, state),
    ),
    ...decipherOf(keys),
    encryptFileName: guarded('document', async (document, name) =>
      (await loadSealing()).encryptFileName(keys, document, name),
    ),
    documentKey: guarded('document', (document) => keys.unwrap(document)),
  };
}

/** Creates a decipher. */
export function decipherOf(keys: Unwrapping): Pick<Cipher, 'decrypt' | keyof Decipher> {
  return {
    decrypt: guarded('document', async (document) => (await load()).decrypt(keys, document)),
    unseal: guarded('document', async (document) => (await load()).unseal(keys, document)),
    decryptor: guarded('document', async (document, first) =>
      (await load()).openStream(keys, document, first),
    ),
    fileName: guarded('document', async (document) => (await load()).fileName(keys, document)),
  };
}

/**
 * Makes a function reject only with errors of the SDK, also when a source fails.
 *
 * @param subject - the name of its first argument, for the message when it is missing
 */
function guarded<A extends unknown[], T>(
  subject: string,
  work: (...input: A) => Promise<T>,
): (...input: A) => Promise<T> {
  return async (...input) => {
    if (input[0] === undefined || input[0] === null) {
      throw new UsageError(`${subject} is missing: pass it as the first argument`);
    }
    try {
      return await work(...input);
    } catch (error) {
      throw asVaultError(error);
    }
  };
}
