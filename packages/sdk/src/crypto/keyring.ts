import { DecryptionError, UsageError } from '../errors.ts';
import type { Keyring, Unlocker } from '../generated/types.ts';
import {
  decryptUnder,
  encryptUnder,
  keyLength,
  overhead,
  randomBytes,
  wrongKey,
} from './aes-gcm.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { contextOf } from './context.ts';
import { isIterations, type KeyDerivation } from './metadata.ts';
import {
  derivePassphraseKey,
  importPassphrase,
  passphraseIterations,
  saltLength,
} from './passphrase.ts';
import { readRecoveryKey } from './recovery-key.ts';

/** The keys of an account as the service stores them. */
export type StoredKeyring = Omit<Keyring, 'userId'>;

/** Opens a keyring. `prf` is the output of a passkey's PRF extension, 32 bytes. */
export type Secret = { passphrase: string } | { recoveryKey: string } | { prf: Uint8Array };

/** A valid secret. */
export interface ImportedSecret {
  readonly type: Unlocker['type'];
  /** A passphrase is for PBKDF2, the other types are for HKDF. */
  readonly material: CryptoKey;
}

/** `CryptoKey`. The types of Node have no global of this name. */
type PlatformKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * The keys of an account. A program can use them, but cannot read their bytes. IndexedDB and `postMessage` accept
 * them.
 */
export interface AccountKeys {
  /** Id of the account. */
  readonly userId: string;
  /** AES-GCM. It encrypts the account's entries of vaults. */
  readonly accountKey: PlatformKey;
  /** ECDH. It receives keys from others. */
  readonly privateKey: PlatformKey;
  /** P-256, uncompressed, 65 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** An unlocker to create. */
export interface NewUnlocker {
  readonly secret: ImportedSecret;
  /** At most 60 characters, for people. */
  readonly label: string;
  /** Id of a passkey. */
  readonly credentialId?: Uint8Array;
}

const curve = { name: 'ECDH', namedCurve: 'P-256' };
const publicKeyLength = 65;
/** PKCS #8 with the public key, as every platform exports it. */
const privateKeyLength = 138;
/** Bytes that the PRF extension of a passkey returns. */
const prfLength = 32;

const encryption: KeyUsage[] = ['encrypt', 'decrypt'];

const kdf = 'PBKDF2-SHA256' as const;
const maxUnlockers = 20;

/**
 * Validates a secret. Call it before the request for the keyring.
 *
 * @throws UsageError for a recovery key with a typing error and for an invalid passphrase
 */
export async function importSecret(secret: Secret): Promise<ImportedSecret> {
  if (Object(secret) !== secret) throw invalidSecret();
  if ('passphrase' in secret) {
    return { type: 'passphrase', material: await importPassphrase(secret.passphrase) };
  }
  if ('recoveryKey' in secret) {
    const bytes = await readRecoveryKey(secret.recoveryKey);
    return { type: 'recoveryKey', material: await importKey(bytes, 'HKDF', ['deriveKey']) };
  }
  if (!ArrayBuffer.isView(secret.prf) || secret.prf.byteLength !== prfLength) throw invalidSecret();
  const bytes = new Uint8Array(secret.prf);
  return { type: 'passkey', material: await importKey(bytes, 'HKDF', ['deriveKey']) };
}

/** The text does not quote what was passed. */
function invalidSecret(): UsageError {
  return new UsageError(`Pass { passphrase }, { recoveryKey }, or { prf } of ${prfLength} bytes`);
}

/**
 * Creates the keys of an account.
 *
 * @param unlockers - a passphrase and at least one recovery key
 */
export async function createKeyring(
  userId: string,
  unlockers: readonly NewUnlocker[],
): Promise<StoredKeyring> {
  const { subtle } = crypto;
  const pair = await subtle.generateKey(curve, true, ['deriveBits']);
  const publicKey = toBase64(new Uint8Array(await subtle.exportKey('raw', pair.publicKey)));
  const privateKey = new Uint8Array(await subtle.exportKey('pkcs8', pair.privateKey));
  const bytes = randomBytes(keyLength);
  const accountKey = await importKey(bytes, 'AES-GCM', encryption);
  const context = contextOf('private', userId, publicKey);
  return {
    version: 1,
    publicKey,
    privateKey: toBase64(await encryptUnder(accountKey, privateKey, context)),
    unlockers: await Promise.all(unlockers.map((added) => createUnlocker(userId, bytes, added))),
  };
}

/**
 * Opens a keyring.
 *
 * @param userId - id of the account, as the caller knows it
 * @throws DecryptionError with the reason `key` for a wrong secret, and with `keys` when the service has changed the
 * keyring
 */
export async function openKeyring(
  userId: string,
  keyring: StoredKeyring,
  secret: ImportedSecret,
): Promise<AccountKeys> {
  return accountKeysOf(userId, keyring, await unwrapAccountKey(userId, keyring, secret));
}

/**
 * Adds an unlocker. A passphrase replaces the present one; older copies of the keyring still open with that.
 *
 * @param current - a secret that opens the keyring
 * @throws UsageError when the keyring has 20 unlockers, and DecryptionError as {@link openKeyring}
 */
export async function addUnlocker(
  userId: string,
  keyring: StoredKeyring,
  { current, ...added }: NewUnlocker & { readonly current: ImportedSecret },
): Promise<StoredKeyring> {
  const bytes = await unwrapAccountKey(userId, keyring, current);
  // A keyring that the service has changed must not become the next version.
  await accountKeysOf(userId, keyring, bytes);
  const isReplaced = ({ type }: Unlocker) => type === 'passphrase' && type === added.secret.type;
  const others = keyring.unlockers.filter((unlocker) => !isReplaced(unlocker));
  if (others.length === maxUnlockers) {
    throw new UsageError(`A keyring has at most ${maxUnlockers} unlockers: remove one first`);
  }
  return nextVersion(keyring, [...others, await createUnlocker(userId, bytes, added)]);
}

/**
 * Removes an unlocker. Older copies of the keyring still open with it.
 *
 * @throws UsageError when the keyring does not have it, and for the passphrase
 */
export function removeUnlocker(keyring: StoredKeyring, id: string): StoredKeyring {
  const others = keyring.unlockers.filter((unlocker) => unlocker.id !== id);
  if (others.length === keyring.unlockers.length) {
    // Not quoted: it may be a recovery key.
    throw new UsageError('The keyring has no such unlocker: pass an id of keyring.get');
  }
  if (others.every(({ type }) => type !== 'passphrase')) {
    throw new UsageError('The passphrase cannot be removed, only replaced');
  }
  return nextVersion(keyring, others);
}

function nextVersion(keyring: StoredKeyring, unlockers: Unlocker[]): StoredKeyring {
  return { ...keyring, version: keyring.version + 1, unlockers };
}

async function createUnlocker(
  userId: string,
  accountKey: Uint8Array<ArrayBuffer>,
  { secret, label, credentialId }: NewUnlocker,
): Promise<Unlocker> {
  const { type } = secret;
  const salt = toBase64(randomBytes(saltLength));
  const derivation = type === 'passphrase' && { kdf, iterations: passphraseIterations, salt };
  const key = await wrappingKey(userId, secret, { ...derivation });
  const wrappedKey = toBase64(await encryptUnder(key, accountKey, contextOf('account', userId)));
  return {
    id: crypto.randomUUID(),
    type,
    wrappedKey,
    label,
    createdAt: new Date().toISOString(),
    ...derivation,
    ...(credentialId && { credentialId: toBase64(credentialId) }),
  };
}

async function unwrapAccountKey(
  userId: string,
  { unlockers }: StoredKeyring,
  secret: ImportedSecret,
): Promise<Uint8Array<ArrayBuffer>> {
  const types = Array.isArray(unlockers) ? unlockers.map((unlocker) => unlocker?.type) : [];
  if (types.length > maxUnlockers || types.filter((type) => type === 'passphrase').length !== 1) {
    throw untrusted(`unlockers must be at most ${maxUnlockers}, with one passphrase`);
  }
  for (const unlocker of unlockers.filter((_, n) => types[n] === secret.type)) {
    const wrappedKey = decodeStored(unlocker.wrappedKey, keyLength + overhead);
    const key = await wrappingKey(userId, secret, unlocker);
    try {
      return await decryptUnder(key, wrappedKey, contextOf('account', userId));
    } catch {
      // Another unlocker of this type may fit.
    }
  }
  throw wrongKey(undefined);
}

/** Derives the key of an unlocker, which encrypts the account key. */
function wrappingKey(
  userId: string,
  { type, material }: ImportedSecret,
  unlocker: Partial<Unlocker>,
): Promise<CryptoKey> {
  if (type === 'passphrase') return derivePassphraseKey(material, derivationOf(unlocker));
  const info = contextOf(type === 'passkey' ? 'prf' : 'recovery', userId);
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info };
  const derived = { name: 'AES-GCM', length: keyLength * 8 };
  return crypto.subtle.deriveKey(parameters, material, derived, false, encryption);
}

/** Validates the derivation before it runs: fewer iterations would help a malicious service to guess passphrases. */
function derivationOf({ iterations, salt, ...unlocker }: Partial<Unlocker>): KeyDerivation {
  if (unlocker.kdf !== kdf || !isIterations(iterations) || iterations < passphraseIterations) {
    throw untrusted(`kdf must be ${kdf}, with ${passphraseIterations} to 10,000,000 iterations`);
  }
  return { salt: decodeStored(salt, saltLength), iterations };
}

/** @throws DecryptionError when the service has exchanged one of the keys */
async function accountKeysOf(
  userId: string,
  keyring: StoredKeyring,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<AccountKeys> {
  const publicKey = decodeStored(keyring.publicKey, publicKeyLength);
  const sealed = decodeStored(keyring.privateKey, privateKeyLength + overhead);
  const accountKey = await importKey(bytes, 'AES-GCM', encryption);
  try {
    const context = contextOf('private', userId, keyring.publicKey);
    const pkcs8 = await decryptUnder(accountKey, sealed, context);
    const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, curve, false, ['deriveBits']);
    return { userId, accountKey, privateKey, publicKey };
  } catch (cause) {
    throw untrusted('publicKey or privateKey was changed, or belongs to another account', cause);
  }
}

/** Imports a key that cannot be exported. */
export function importKey(
  bytes: Uint8Array<ArrayBuffer>,
  algorithm: 'AES-GCM' | 'HKDF',
  uses: KeyUsage[],
): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, algorithm, false, uses);
}

/**
 * Decodes a stored value of a known length.
 *
 * @throws DecryptionError with the reason `keys` when it is something else
 */
export function decodeStored(text: string | undefined, length: number): Uint8Array<ArrayBuffer> {
  try {
    const bytes = fromBase64(String(text));
    // Decoders ignore bits that do not belong to a byte.
    if (bytes.length === length && toBase64(bytes) === text) return bytes;
  } catch {
    // The error below is the same as for a wrong length.
  }
  throw untrusted(`a value is not base64 of ${length} bytes`);
}

/** The error for stored keys that only a malicious or broken service returns. */
export function untrusted(problem: string, cause?: unknown): DecryptionError {
  const message = `The service returned keys that cannot be trusted: ${problem}`;
  return new DecryptionError(message, { reason: 'keys', cause });
}
