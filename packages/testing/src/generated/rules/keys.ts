// Generated from openapi/rules/keys.ts by `npm run generate`. Do not edit.

import { type Violation, validationError, violation } from './errors.ts';
import { jsonBytes } from './formats.ts';

// The rules for keyrings and vault keys that a schema cannot express. Their contents are opaque to the service.

/** Maximum size of a keyring as JSON, in bytes. */
const maxKeyringBytes = 16 * 1024;

/** Maximum size of the sealed keys of a vault, in bytes. */
const maxSealedBytes = 32 * 1024;

type UnlockerType = 'passphrase' | 'recoveryKey' | 'passkey';

/** The properties of an unlocker that depend on its type. */
const ofType = {
  passphrase: ['kdf', 'iterations', 'salt'],
  recoveryKey: [],
  passkey: ['credentialId'],
} as const satisfies Readonly<Record<UnlockerType, readonly string[]>>;

const typed = Object.values(ofType).flat();

interface Unlocker {
  readonly id: string;
  readonly type: UnlockerType;
}

interface Keyring {
  readonly version: number;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly unlockers: readonly Unlocker[];
}

interface KeyringUpdate extends Keyring {
  readonly currentPassword?: string | undefined;
  readonly replace?: boolean | undefined;
}

/**
 * Checks a keyring as far as it depends on no other.
 *
 * @throws ServiceError VALIDATION_ERROR: `required`, `additionalProperties`, `unique`, `passphrase`, `maxBytes`
 */
export function requireKeyring({ currentPassword, replace, ...keyring }: KeyringUpdate): void {
  const { version, unlockers } = keyring;
  const violations = [
    ...unlockers.flatMap(unlockerViolations),
    ...duplicates(unlockers),
    ...passphraseViolations(unlockers),
  ];
  if (version > 1 && currentPassword === undefined) {
    violations.push(missing('currentPassword', 'unless version is 1'));
  }
  if (jsonBytes(keyring) > maxKeyringBytes) {
    const message = `The keyring must have at most ${maxKeyringBytes} bytes as JSON.`;
    violations.push({ field: 'body', constraint: 'maxBytes', message });
  }
  const [first, ...others] = violations;
  if (first) throw validationError([first, ...others]);
}

function unlockerViolations(unlocker: Unlocker, index: number): Violation[] {
  const own: readonly string[] = ofType[unlocker.type];
  return typed.flatMap((name) => {
    const field = `unlockers.${index}.${name}`;
    const isGiven = name in unlocker;
    if (isGiven === own.includes(name)) return [];
    if (!isGiven) return missing(field, `in an unlocker of the type ${unlocker.type}`);
    const message = `${field} belongs to another type of unlocker than ${unlocker.type}.`;
    return { field, constraint: 'additionalProperties', message };
  });
}

function duplicates(unlockers: readonly Unlocker[]): Violation[] {
  return unlockers.flatMap(({ id }, index) => {
    if (unlockers.findIndex((other) => other.id === id) === index) return [];
    const field = `unlockers.${index}.id`;
    return { field, constraint: 'unique', message: `${field} is the id of another unlocker.` };
  });
}

function passphraseViolations(unlockers: readonly Unlocker[]): Violation[] {
  const count = unlockers.filter(({ type }) => type === 'passphrase').length;
  if (count === 1) return [];
  const message = `unlockers must have exactly one passphrase, and has ${count}.`;
  return [{ field: 'unlockers', constraint: 'passphrase', message }];
}

/** @param when follows "is required" */
function missing(field: string, when: string): Violation {
  return { field, constraint: 'required', message: `${field} is required ${when}.` };
}

/**
 * Checks a keyring against the present one.
 *
 * @returns whether the vault keys of the account become worthless
 * @throws ServiceError VALIDATION_ERROR: `version`, `required`
 */
export function requireNextKeyring(update: KeyringUpdate, present: Keyring | undefined): boolean {
  requireNextVersion(update.version, present?.version);
  if (!present || update.publicKey === present.publicKey) return false;
  if (update.replace) return true;
  const message =
    'publicKey is not the present one. replace: true confirms that the account starts anew, which makes all of ' +
    'its encrypted documents unreadable.';
  throw violation('replace', 'required', message);
}

interface VaultKeys {
  readonly version: number;
  readonly generation: number;
  /** Null when the keys are lost. */
  readonly sealed: string | null;
}

/**
 * Checks the keys of a vault against the present ones.
 *
 * @throws ServiceError VALIDATION_ERROR: `maxDecodedLength`, `version`, `generation`
 */
export function requireNextVaultKeys(
  { version, generation, sealed }: VaultKeys & { readonly sealed: string },
  present: VaultKeys | undefined,
): void {
  if (decodedLength(sealed) > maxSealedBytes) {
    const message = `sealed must be at most ${maxSealedBytes} bytes when decoded.`;
    throw violation('sealed', 'maxDecodedLength', message);
  }
  requireNextVersion(version, present?.version);
  const next = (present?.generation ?? 0) + 1;
  if (generation === next) return;
  const kept = present && present.sealed !== null ? present.generation : undefined;
  if (generation === kept) return;
  const allowed = kept === undefined ? next : `${kept} or ${next}`;
  throw violation('generation', 'generation', `generation must be ${allowed}.`);
}

/** @throws ServiceError VALIDATION_ERROR, `version` */
function requireNextVersion(version: number, present = 0): void {
  if (version === present + 1) return;
  const message = `version must be ${present + 1}, one more than the present one. Read it again.`;
  throw violation('version', 'version', message);
}

/** Returns the length of padded base64 once it is decoded, in bytes. */
function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  return (base64.length / 4) * 3 - padding;
}

/** What encryption metadata say about the key that wraps the document's own. */
interface Wrapping {
  readonly keyDerivation?: unknown;
  readonly keyGeneration?: unknown;
}

/** Whether the key of its vault wraps a document's own. */
export function isUnderVaultKey({ keyDerivation }: Wrapping): boolean {
  return keyDerivation === 'VAULT_KEY';
}

/**
 * Checks that a document which the key of its vault encrypts uses the newest one.
 *
 * @param keys the present keys of the vault
 * @throws ServiceError VALIDATION_ERROR: `required`, `keyGeneration`
 */
export function requireCurrentKey(
  wrapping: Wrapping,
  keys: Pick<VaultKeys, 'generation' | 'sealed'> | undefined,
): void {
  if (!isUnderVaultKey(wrapping)) return;
  const { keyGeneration } = wrapping;
  const field = 'encryptionMetadata.keyGeneration';
  if (keyGeneration === undefined) throw validationError([missing(field, 'for VAULT_KEY')]);
  if (!keys || keys.sealed === null) {
    throw violation(field, 'keyGeneration', 'The vault has no key. Store one first.');
  }
  if (keyGeneration === keys.generation) return;
  const message = `${field} must be ${keys.generation}, the generation of the newest key of the vault.`;
  throw violation(field, 'keyGeneration', message);
}

/**
 * Checks the move of a document: each vault has its own key.
 *
 * @throws ServiceError VALIDATION_ERROR, `required`
 */
export function requireRewrapped(current: Wrapping, update: Wrapping | undefined): void {
  if (update || !isUnderVaultKey(current)) return;
  throw validationError([
    missing('encryptionMetadata', 'when a document under a vault key moves to another vault'),
  ]);
}
