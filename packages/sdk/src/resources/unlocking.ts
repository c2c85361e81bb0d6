/** Opens and changes the keyring. The client loads this code at the first need. */

import {
  type AccountKeys,
  addUnlocker,
  createKeyring,
  type ImportedSecret,
  importSecret,
  type NewUnlocker,
  openKeyring,
  removeUnlocker,
  type Secret,
  untrusted,
} from '../crypto/keyring.ts';
import { createRecoveryKey } from '../crypto/recovery-key.ts';
import { DecryptionError, UsageError, ValidationError } from '../errors.ts';
import type { Keyring, UpdateKeyring } from '../generated/types.ts';
import type { Api, StartedCall } from '../http/api.ts';
import type { CallOptions } from '../options.ts';
import { isConflict, VaultKeys } from './vault-keys.ts';

export { VaultKeys };

/** A proof that the holder of the account changes its keyring. Sessions alone can: no API key, no app. */
export interface KeyringProof {
  /** The password of the account's login, which is not the passphrase. */
  currentPassword: string;
}

/** Options of a new keyring. */
export interface NewKeyring {
  /** The secret, not empty. It is normalised to Unicode NFC, so that every keyboard gives the same. */
  passphrase: string;
}

/** A passkey to add. */
export interface AddedPasskey extends KeyringProof {
  /** A secret that opens the keyring now. */
  current: Secret;
  /** Output of the PRF extension of the passkey (WebAuthn), 32 bytes. */
  prf: Uint8Array;
  /** Id of the passkey. */
  credentialId: Uint8Array;
  /** At most 60 characters, for people. @default Passkey */
  label?: string;
}

/** Options of `client.unlock`. */
export interface UnlockOptions extends CallOptions {
  /** What `client.keyring.get` has just returned, to see the unlockers: this saves the request. */
  keyring?: Keyring;
}

/** A keyring that was stored. */
interface CreatedKeyring {
  readonly account: AccountKeys;
  /** It is the first one of the account. */
  readonly isFirst?: true;
  readonly recoveryKey: string;
}

/** The requests of the keyring. */
function operationsOf(api: Api) {
  return {
    get: api.call('GET', '/api/v1/keyring'),
    put: api.send('PUT', '/api/v1/keyring'),
    me: api.call('GET', '/api/v1/users/me'),
  };
}

/**
 * Opens the stored keyring.
 *
 * @throws UsageError, before any request, for a secret that cannot be right
 * @throws DecryptionError with the reason `key` or `keys`
 */
export async function unlock(
  api: Api,
  secret: Secret | { kept: AccountKeys },
  { keyring: given, ...call }: UnlockOptions & StartedCall,
): Promise<AccountKeys> {
  if (typeof secret === 'object' && secret !== null && 'kept' in secret) {
    return restore(secret.kept, call);
  }
  const imported = await importSecret(secret);
  const { userId, ...keyring } = given ? ofUser(given, call) : await read(api, call);
  return openKeyring(userId, keyring, imported);
}

async function read(api: Api, call: StartedCall): Promise<Keyring> {
  return ofUser(await operationsOf(api).get(call), call);
}

/**
 * Two people can share a passkey or a passphrase: the keyring of one must not open for the other.
 *
 * @throws DecryptionError for a keyring of another account than that of the session
 */
function ofUser(keyring: Keyring, { generation }: StartedCall): Keyring {
  if (keyring.userId === (generation?.userId ?? keyring.userId)) return keyring;
  throw untrusted('the keyring is that of another account');
}

function restore(kept: AccountKeys, { generation }: StartedCall): AccountKeys {
  const { userId, accountKey, privateKey, publicKey } = kept ?? {};
  const areKeys = accountKey?.type === 'secret' && privateKey?.type === 'private';
  if (!areKeys || !ArrayBuffer.isView(publicKey)) {
    throw new UsageError('kept must be what client.keep returned');
  }
  if (userId === (generation?.userId ?? userId)) return kept;
  throw new DecryptionError('The kept keys are those of another account', { reason: 'key' });
}

/**
 * Creates the first keyring of the account.
 *
 * @throws ValidationError when the account has a keyring
 */
export async function create(
  api: Api,
  form: NewKeyring,
  call: StartedCall,
): Promise<CreatedKeyring> {
  const recovery = await newRecoveryKey();
  const secret = await importSecret({ passphrase: form?.passphrase });
  const id = call.generation?.userId ?? (await operationsOf(api).me(call)).id;
  const keyring = await createKeyring(id, unlockersOf(secret, recovery.secret));
  try {
    await store(api, keyring, call);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const message = 'The account has a keyring: unlock it, or replace it when its secrets are lost';
    throw new ValidationError(message, { ...error, cause: error });
  }
  const account = await openKeyring(id, keyring, recovery.secret);
  return { account, isFirst: true, recoveryKey: recovery.text };
}

/** Creates the keyring that replaces a lost one. */
export async function replace(
  api: Api,
  { passphrase, currentPassword }: NewKeyring & KeyringProof,
  call: StartedCall,
): Promise<CreatedKeyring> {
  const recovery = await newRecoveryKey();
  const secret = await importSecret({ passphrase });
  const { userId, version } = await read(api, call);
  const created = await createKeyring(userId, unlockersOf(secret, recovery.secret));
  const keyring = { ...created, version: version + 1 };
  await store(api, { ...keyring, currentPassword, replace: true }, call);
  const account = await openKeyring(userId, keyring, recovery.secret);
  return { account, recoveryKey: recovery.text };
}

async function newRecoveryKey(): Promise<{ text: string; secret: ImportedSecret }> {
  const text = await createRecoveryKey();
  return { text, secret: await importSecret({ recoveryKey: text }) };
}

function unlockersOf(passphrase: ImportedSecret, recoveryKey: ImportedSecret): NewUnlocker[] {
  return [
    { secret: passphrase, label: 'Passphrase' },
    { secret: recoveryKey, label: 'Recovery key' },
  ];
}

export async function setPassphrase(
  api: Api,
  passphrase: string,
  proof: KeyringProof & { current: Secret },
  call: StartedCall,
): Promise<void> {
  const secret = await importSecret({ passphrase });
  await add(api, { secret, label: 'Passphrase' }, proof, call);
}

export async function addRecoveryKey(
  api: Api,
  { label = 'Recovery key', ...proof }: KeyringProof & { current: Secret; label?: string },
  call: StartedCall,
): Promise<string> {
  const { text, secret } = await newRecoveryKey();
  await add(api, { secret, label }, proof, call);
  return text;
}

export async function addPasskey(
  api: Api,
  { prf, credentialId, label = 'Passkey', ...proof }: AddedPasskey,
  call: StartedCall,
): Promise<void> {
  await add(api, { secret: await importSecret({ prf }), label, credentialId }, proof, call);
}

export async function remove(
  api: Api,
  id: string,
  { currentPassword }: KeyringProof,
  call: StartedCall,
): Promise<void> {
  const { userId: _, ...keyring } = await read(api, call);
  await store(api, { ...removeUnlocker(keyring, id), currentPassword }, call);
}

async function add(
  api: Api,
  unlocker: NewUnlocker,
  proof: KeyringProof & { current: Secret },
  call: StartedCall,
): Promise<void> {
  const current = await importSecret(proof?.current);
  const { userId, ...keyring } = await read(api, call);
  const changed = await addUnlocker(userId, keyring, { ...unlocker, current });
  await store(api, { ...changed, currentPassword: proof.currentPassword }, call);
}

/** Stores a keyring. The service refuses to repeat a request that has succeeded, although its response was lost. */
async function store(api: Api, keyring: UpdateKeyring, call: StartedCall): Promise<void> {
  const { get, put } = operationsOf(api);
  try {
    await put(keyring, call);
  } catch (error) {
    if (!isConflict(error) || fingerprintOf(await get(call)) !== fingerprintOf(keyring))
      throw error;
  }
}

/** Random values that differ between any two keyrings. */
function fingerprintOf({
  privateKey,
  unlockers,
}: Pick<Keyring, 'privateKey' | 'unlockers'>): string {
  return [privateKey, ...unlockers.map(({ wrappedKey }) => wrappedKey)].join();
}
