import {
  type AccountKeys,
  DecryptionError,
  DocumentVault,
  type Keyring,
  NotFoundError,
  type Secret,
} from '@document-vault/sdk';
import { effect, signal } from '@preact/signals';
import { serviceUrl } from './addresses.ts';
import { client, isLasting, send, user, userId } from './client.ts';
import { deleteValue, readValue, writeValue } from './database.ts';
import { hasJustRecorded, isIdle, isInUse, recordActivity } from './idle.ts';
import { forget, type Loaded, outdate, useLoaded } from './loading.ts';
import { changeStorage, readStorage, remaining } from './storage.ts';

/** The keys of the account: undefined while kept ones are read, null while the console is locked. */
export const accountKeys = signal<AccountKeys | null | undefined>(undefined);

/** Keys as they are kept in IndexedDB, where scripts can use them and cannot read them. */
interface KeptKeys {
  /** The unlock that they belong to. They are ignored when it is not the id in `localStorage`. */
  readonly unlockId: string;
  readonly keys: AccountKeys;
}

const keptEntry = 'kept';

/**
 * The id of an unlock, from then until the next lock of any tab. A lock removes it at once, and kept keys that
 * IndexedDB fails to delete are useless without it.
 */
const unlockEntry = 'console.unlocked';

/** The tabs of the console. A tab never receives its own messages. */
const tabs = new BroadcastChannel('document-vault-console');

/** The key of the loaded keyring. */
const keyringKey = 'keyring';

/** Loads the keyring: null for an account without one. One request. */
export function useKeyring(): Loaded<Keyring | null> {
  // `enter` forgets the keyring, which can be new.
  accountKeys.value;
  return useLoaded(userId.value && keyringKey, readKeyring);
}

async function readKeyring(): Promise<Keyring | null> {
  try {
    return await send(client.keyring.get());
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** Loads the keyring again: this browser or another device has changed it. */
export function outdateKeyring(): void {
  outdate(keyringKey);
}

/**
 * Opens the keyring. The console is locked until `enter`.
 *
 * @throws DecryptionError for a wrong secret
 */
export async function openKeyring(secret: Secret, keyring: Keyring): Promise<void> {
  try {
    await client.unlock(secret, { keyring });
  } catch (error) {
    // Another device can have changed the keyring since it was loaded.
    if (!(error instanceof DecryptionError) || !navigator.onLine) throw error;
    await client.unlock(secret, { maxRetryAfter: 0 });
  }
  beginUse();
}

/**
 * Records that the client has keys. After idling, a new id makes the keys stored before useless. During use the id stays,
 * so that other tabs can restore theirs.
 */
function beginUse(): void {
  if (!isInUse() || readStorage(unlockEntry) === null) {
    changeStorage(() => localStorage.setItem(unlockEntry, crypto.randomUUID()));
  }
  recordActivity();
}

/** The recovery key of a new keyring, until the user has confirmed that it is kept, or the console is locked. */
export const newRecoveryKey = signal<string | undefined>(undefined);

/** Whether the console was locked before the user had kept the new recovery key. Until it is unlocked. */
export const isRecoveryKeyLost = signal(false);

/** Waits until a new keyring is stored, which unlocks the client. The console is locked until `enter`. */
export async function begin(creating: Promise<{ readonly recoveryKey: string }>): Promise<void> {
  const begun = revision.peek();
  const { recoveryKey } = await creating;
  if (begun === revision.peek()) {
    beginUse();
    newRecoveryKey.value = recoveryKey;
    // Locked meanwhile, or another user has signed in: the passphrase opens it.
  } else outdateKeyring();
}

/** Whether the client has keys. It has them before `enter`, while a new recovery key is shown. */
function isOpen(): boolean {
  try {
    client.keep();
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks a secret without unlocking the console.
 *
 * @throws DecryptionError for a wrong secret
 */
export async function checkSecret(secret: Secret, keyring: Keyring): Promise<void> {
  // No user logs in to this client: given the keyring, it sends no request.
  const checking = new DocumentVault({
    baseUrl: serviceUrl.href,
    allowInsecureHttp: true,
    session: {},
  });
  await checking.unlock(secret, { keyring });
}

/**
 * Counts locks and changes of the user: keys that were read before are ignored, and what shows or asks for secrets
 * begins anew.
 */
export const revision = signal(0);

function close(): void {
  revision.value = revision.peek() + 1;
  if (newRecoveryKey.peek()) {
    isRecoveryKeyLost.value = true;
    // The passphrase opens the new keyring.
    outdateKeyring();
  }
  newRecoveryKey.value = undefined;
  client.lock();
  accountKeys.value = null;
}

/** Opens the console with the client that was unlocked, in this tab and in those that share its session. */
export async function enter(): Promise<void> {
  let keys: AccountKeys;
  try {
    keys = client.keep();
  } catch {
    // Another tab has locked all meanwhile, or the user has signed out.
    outdateKeyring();
    return;
  }
  beginUse();
  forget(keyringKey);
  accountKeys.value = keys;
  isRecoveryKeyLost.value = false;
  await keep(keys);
  tabs.postMessage('unlocked');
}

/** Whether this tab has stored or found keys in IndexedDB that were not deleted since. */
let areKept = false;

async function keep(keys: AccountKeys): Promise<void> {
  const unlockId = readStorage(unlockEntry);
  if (!isLasting() || !unlockId) return;
  const kept: KeptKeys = { unlockId, keys };
  if (await writeValue('keys', keptEntry, kept)) areKept = true;
  // A lock of any tab meanwhile has deleted only what was there before.
  if (readStorage(unlockEntry) === null) await deleteKept();
}

async function deleteKept(): Promise<boolean> {
  const isDeleted = await deleteValue('keys', keptEntry);
  if (isDeleted) areKept = false;
  return isDeleted;
}

/** Locks every tab. Nothing that was decrypted stays on the page. Says so when kept keys stay in the browser. */
export async function lock(): Promise<void> {
  close();
  remaining.value = undefined;
  // Another tab that the message does not reach, because the browser has frozen it, notices this when it wakes.
  const isStored = changeStorage(() => localStorage.removeItem(unlockEntry));
  tabs.postMessage('locked');
  if ((await deleteKept()) || !areKept) return;
  remaining.value = isStored ? 'keyStays' : 'keyOpens';
}

/** Whether stored keys open the client. Those of an earlier version of the console do not. */
function opens(kept: AccountKeys): Promise<boolean> {
  return client.unlock({ kept }).then(
    () => true,
    () => false,
  );
}

/** Reads the kept keys of the user, unless the console was locked since, or nothing was done for too long. */
async function restore(): Promise<void> {
  const begun = revision.peek();
  const id = userId.value;
  const kept = id && isLasting() ? await readValue<KeptKeys>('keys', keptEntry) : undefined;
  if (kept) areKept = true;
  const isCurrent = kept?.unlockId === readStorage(unlockEntry);
  const isUsable = isCurrent && kept?.keys.userId === id && isInUse();
  const isRestored = isUsable && (await opens(kept.keys));
  // Locked or unlocked meanwhile.
  if (begun !== revision.peek() || accountKeys.peek()) return;
  accountKeys.value = isRestored ? client.keep() : null;
  if (isRestored || !kept) return;
  // Keys of an earlier unlock lock no tab: the others can have been unlocked anew.
  if (isCurrent) await lock();
  else await deleteKept();
}

/** Records input, or that a film or a sound plays. */
export function noteActivity(): void {
  if (!isOpen() || hasJustRecorded()) return;
  if (isIdle()) void lock();
  else recordActivity();
}

function checkIdle(): void {
  // Also a locked tab learns when others are used.
  if (isIdle() && isOpen()) void lock();
}

/** Reads kept keys when a user is signed in, removes them when the user signs out, and locks an idle console. */
export function watchKeys(): void {
  for (const type of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(type, noteActivity, { passive: true, capture: true });
  }
  setInterval(checkIdle, 15_000);
  // Timers do not run while a computer sleeps.
  addEventListener('visibilitychange', checkIdle);
  addEventListener('storage', ({ key, newValue }) => {
    if (key === unlockEntry && newValue === null) close();
  });
  tabs.onmessage = ({ data }) => {
    if (data === 'locked') close();
    // A new recovery key stays until it is kept.
    else if (!isOpen()) void restore();
  };
  let owner: string | undefined;
  effect(() => {
    if (user.value === undefined) return;
    const id = userId.value;
    if (id !== undefined && id === owner) return;
    const hadOwner = owner !== undefined;
    owner = id;
    if (id !== undefined) {
      // Locked until the keys of the new user were read.
      close();
      isRecoveryKeyLost.value = false;
      accountKeys.value = undefined;
      void restore();
    } else if (hadOwner) void lock();
    else void deleteKept();
  });
}
