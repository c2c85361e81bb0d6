/** The keys of an account's vaults. The client loads this code when it is unlocked. */
import { toBase64 } from '../crypto/base64.ts';
import { type Cipher, documentCipher } from '../crypto/cipher.ts';
import {
  createDocumentKey,
  type DocumentKey,
  importRoot,
  type KeyedDocument,
  unwrapDocumentKey,
  wrapDocumentKey,
} from '../crypto/document-key.ts';
import { type AccountKeys, importKey, untrusted } from '../crypto/keyring.ts';
import { parseVaultWrap, type WrappedKeyMetadata, writeVaultWrap } from '../crypto/metadata.ts';
import {
  createEntry,
  maxGenerations,
  openEntry,
  sealEntry,
  type VaultEntry,
} from '../crypto/vault-keys.ts';
import { DecryptionError, LockedError, UsageError, ValidationError } from '../errors.ts';
import type {
  ListVaultKeys,
  VaultKeys as StoredKeys,
  UpdateVaultKeys,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { SessionGeneration } from '../http/credentials.ts';
import type { ListOptions } from '../pages.ts';

interface VaultKeyState {
  /** Version of the stored keys; 0: the vault has none yet. */
  readonly version: number;
  /** By generation, from generation 1. Null: lost when the keyring was replaced. */
  readonly keys: readonly (CryptoKey | null)[];
}

interface VaultKeysOptions {
  readonly account: AccountKeys;
  /** Requests are sent for this login only. */
  readonly session: SessionGeneration;
  /** The keyring is new and the first one of the account: no vault has keys. */
  readonly isFirst?: true | undefined;
}

/** The requests for stored keys. */
function operationsOf({ call, send, list }: Api, generation: SessionGeneration) {
  const rows = list('/api/v1/vault-keys', 'vaultId');
  const put = send('PUT', '/api/v1/vaults/{id}/keys');
  const keyring = call('GET', '/api/v1/keyring');
  return {
    list: (query: ListVaultKeys) => rows(query, { generation } as ListOptions),
    put: (vaultId: string, keys: UpdateVaultKeys) => put(vaultId, keys, { generation }),
    keyring: () => keyring({ generation }),
  };
}

/** Encrypts for a vault. */
export interface VaultCipher extends Cipher {
  /** Reads the keys of the vault again and wraps the key of a document under the newest one. */
  wrapForNewestKey(document: KeyedDocument): Promise<WrappedKeyMetadata>;
}

/** Reads the keys of all vaults at the first use, and keeps them. */
export class VaultKeys {
  readonly #account: AccountKeys;
  readonly #operations: ReturnType<typeof operationsOf>;
  #all: Promise<void> | undefined;
  readonly #vaults = new Map<string, VaultKeyState>();
  /** Requests for newer keys of a vault, which all documents that wait for them share. */
  readonly #readings = new Map<string, Promise<VaultKeyState>>();
  /** Why the stored keys of a vault do not open. */
  readonly #unopened = new Map<string, unknown>();

  constructor(api: Api, { account, session, isFirst }: VaultKeysOptions) {
    this.#account = account;
    this.#operations = operationsOf(api, session);
    if (isFirst) this.#all = Promise.resolve();
  }

  /**
   * Returns a cipher that decrypts the documents of every vault of the account.
   *
   * @param vaultId - the vault for which it encrypts
   */
  cipher(vaultId?: string): VaultCipher {
    // Documents without a vault are those this cipher has just made.
    const cipher = documentCipher({
      detectsWrongKey: true,
      create: (id) => this.#create(id, vaultId),
      unwrap: (document) => this.#unwrap(document, document.vaultId ?? vaultId),
    });
    const wrapForNewestKey = (document: KeyedDocument) =>
      this.wrapForVault(document, vaultId, true);
    return { ...cipher, wrapForNewestKey };
  }

  /**
   * Wraps the key of a document under the newest key of a vault.
   *
   * @param isOutdated - whether the newest known key is not that of the service: reads the keys of the vault again
   */
  async wrapForVault(
    document: KeyedDocument,
    vaultId: string | undefined,
    isOutdated = false,
  ): Promise<WrappedKeyMetadata> {
    const key = await this.#unwrap(document, document.vaultId ?? vaultId);
    if (isOutdated) await this.#readAgain(normalized(vaultId));
    return this.#wrap(key, document.id, vaultId);
  }

  async #create(id: string, vaultId: string | undefined): Promise<DocumentKey> {
    const key = createDocumentKey();
    const [root, metadata] = await Promise.all([importRoot(key), this.#wrap(key, id, vaultId)]);
    return { root, metadata };
  }

  /** Wraps the key of a document under the newest key of the vault. */
  async #wrap(
    key: Uint8Array<ArrayBuffer>,
    id: string,
    vaultId: string | undefined,
  ): Promise<WrappedKeyMetadata> {
    const { keys } = await this.#writable(normalized(vaultId));
    const wrappedKey = await wrapDocumentKey(keys.at(-1) as CryptoKey, key, id);
    return writeVaultWrap({ generation: keys.length, wrappedKey });
  }

  async #unwrap(
    { id, encryptionMetadata }: KeyedDocument,
    givenId: string | undefined,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { generation, wrappedKey } = parseVaultWrap(encryptionMetadata);
    const vaultId = normalized(givenId);
    let { keys } = await this.#read(vaultId);
    // Another device may have added a key since.
    if (keys.length < generation) ({ keys } = await this.#readNewer(vaultId));
    const key = keys[generation - 1];
    if (key === undefined) throw untrusted(`the vault has no key ${generation}`);
    if (key) return unwrapDocumentKey(key, wrappedKey, id);
    const lost = 'its key was lost when the keyring was replaced';
    throw new DecryptionError(`Cannot decrypt: ${lost}`, { reason: 'key' });
  }

  /** Returns the keys of a vault, whose last one is there. */
  async #writable(vaultId: string): Promise<VaultKeyState> {
    const known = await this.#read(vaultId);
    if (known.keys.at(-1)) return known;
    await this.#requireCurrent();
    const entry = createEntry(known.keys.length);
    const [sealed, begun] = await Promise.all([
      sealEntry(this.#account, vaultId, entry),
      imported(entry, known.version + 1),
    ]);
    const { version, keys } = begun;
    try {
      await this.#operations.put(vaultId, { version, generation: keys.length, sealed });
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Another device has stored a key, or this one has and the response was lost.
      const stored = await this.#readAgain(vaultId);
      if (stored.keys.at(-1)) return stored;
      throw error;
    }
    this.#vaults.set(vaultId, begun);
    return begun;
  }

  /** @throws LockedError when another device has replaced the account key: no client could open a new key under it */
  async #requireCurrent(): Promise<void> {
    const { publicKey } = await this.#operations.keyring();
    if (publicKey === toBase64(this.#account.publicKey)) return;
    throw new LockedError('The keyring is not that of the unlocked account: unlock again');
  }

  async #read(vaultId: string): Promise<VaultKeyState> {
    this.#all ??= this.#readAll();
    await this.#all;
    if (this.#unopened.has(vaultId)) throw this.#unopened.get(vaultId);
    // A first key stored since is noticed later: by a document under it, or by a refused upload.
    return this.#vaults.get(vaultId) ?? { version: 0, keys: [] };
  }

  async #readAll(): Promise<void> {
    try {
      for await (const stored of this.#operations.list({ pageSize: 100 })) {
        // One vault that does not open must not stop the others.
        const note = (error: unknown) => void this.#unopened.set(stored.vaultId, error);
        await this.#take(stored.vaultId, stored).catch(note);
      }
      if (this.#unopened.size > 0) await this.#requireCurrent();
    } catch (error) {
      // Not retried: a replaced keyring stays replaced.
      if (!(error instanceof LockedError)) this.#all = undefined;
      throw error;
    }
  }

  #readNewer(vaultId: string): Promise<VaultKeyState> {
    const reading =
      this.#readings.get(vaultId) ??
      this.#readAgain(vaultId).finally(() => this.#readings.delete(vaultId));
    this.#readings.set(vaultId, reading);
    return reading;
  }

  async #readAgain(vaultId: string): Promise<VaultKeyState> {
    const before = this.#vaults.get(vaultId);
    const { data } = await this.#operations.list({ vaultId });
    try {
      return await this.#take(vaultId, data[0], before);
    } catch (error) {
      await this.#requireCurrent().catch((reason) => {
        // Another failure of that request says less.
        if (reason instanceof LockedError) throw reason;
      });
      throw error;
    }
  }

  /**
   * Opens the keys that the service returned. Newer keys that were seen before stay.
   *
   * @param before - the keys that were known when the request was sent
   * @throws DecryptionError when the keys do not open, or are older than those
   */
  async #take(
    vaultId: string,
    stored: StoredKeys | undefined,
    before?: VaultKeyState,
  ): Promise<VaultKeyState> {
    const now = stored ? await this.#open(vaultId, stored) : { version: 0, keys: [] };
    if (before && lacksKeys(now, before)) throw untrusted('the vault has fewer keys than before');
    // A later request may have returned first.
    const newest = this.#vaults.get(vaultId);
    if (newest && lacksKeys(now, newest)) return newest;
    if (stored) this.#vaults.set(vaultId, now);
    return now;
  }

  async #open(
    vaultId: string,
    { version, generation, sealed }: StoredKeys,
  ): Promise<VaultKeyState> {
    if (!Number.isInteger(generation) || generation < 1 || generation > maxGenerations) {
      throw untrusted(`generation must be 1 to ${maxGenerations}`);
    }
    if (sealed === null) return { version, keys: Array(generation).fill(null) };
    const entry = await openEntry(this.#account, vaultId, sealed);
    if (entry.keys.length === generation) return imported(entry, version);
    throw untrusted('the vault has another number of keys than the service says');
  }
}

/**
 * The service accepts ids in any letter case; encryption binds lower case.
 *
 * @throws UsageError without an id
 */
function normalized(vaultId: string | undefined): string {
  if (vaultId) return vaultId.toLowerCase();
  throw new UsageError('vaultId is missing: pass the document as the service returned it');
}

function lacksKeys(some: VaultKeyState, others: VaultKeyState): boolean {
  return others.keys.some((key, at) => key && !some.keys[at]);
}

async function imported({ keys }: VaultEntry, version: number): Promise<VaultKeyState> {
  const imports = keys.map((key) => key && importKey(key, 'AES-GCM', ['encrypt', 'decrypt']));
  return { version, keys: await Promise.all(imports) };
}

/** Whether another client has changed what a call replaces. */
export function isConflict(error: unknown): error is ValidationError {
  return (
    error instanceof ValidationError &&
    ['version', 'generation'].includes(String(error.details?.constraint))
  );
}
