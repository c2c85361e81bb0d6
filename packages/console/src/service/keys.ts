import {
  type AccountKeys,
  DecryptionError,
  type Keyring,
  NotFoundError,
  type Secret,
} from '@document-vault/sdk';
import { effect, signal } from '@preact/signals';
import { client, isLasting, send, user, userId } from './client.ts';
import { deleteValue, readValue, writeValue } from './database.ts';
import { forget, type Loaded, outdate, useLoaded } from './loading.ts';
import { changeStorage, readStorage, remaining } from './storage.ts';

/** The keys of the account: undefined while kept ones are read, null while the console is locked. */
export const accountKeys = signal<AccountKeys | null | undefined>(undefined);

/** Keys as they are kept in IndexedDB, where scripts can use them and cannot read them. */
interface KeptKeys {
  /** The unlock that they belong to: they open nothing when it has ended. */
  readonly unlockId: string;
  readonly keys: AccountKeys;
}

const keptEntry = 'kept';

/** Minutes without input or playback after which the console locks; 0 never locks it. */
export type IdleMinutes = 0 | 15 | 480;

const idleEntry = 'console.idleMinutes';
const activeEntry = 'console.lastActive';
/**
 * The id of an unlock, from then until the next lock of any tab. A lock removes it at once, and kept keys that
 * IndexedDB fails to delete open nothing without it.
 */
const unlockEntry = 'console.unlocked';

function storedIdle(): IdleMinutes {
  const stored = readStorage(idleEntry);
  if (stored === '0') return 0;
  return stored === '480' ? 480 : 15;
}

export const idleMinutes = signal<IdleMinutes>(storedIdle());

export function chooseIdleMinutes(minutes: IdleMinutes): void {
  changeStorage(() => localStorage.setItem(idleEntry, String(minutes)));
  idleMinutes.value = minutes;
}

/** Milliseconds between two records of activity, at least. */
const activeInterval = 10_000;
/** Milliseconds by which two processes of a browser can read different times, at most. */
const maxClockDifference = 1000;
let lastMarked = 0;
/** The record of the last activity that this tab knows of. */
let knownRecord: string | null = null;
/** When this tab learned of it, by a clock that never goes back, but may stop while the computer sleeps. */
let activeAt = 0;

function markActive(): void {
  lastMarked = Date.now();
  activeAt = performance.now();
  changeStorage(() => localStorage.setItem(activeEntry, String(lastMarked)));
  knownRecord = readStorage(activeEntry);
}

/** Learns of the activity of other tabs. A tab that was frozen learns of it when it wakes. */
function readActivity(): void {
  const record = readStorage(activeEntry);
  if (record !== knownRecord) [knownRecord, activeAt] = [record, performance.now()];
}

/** Milliseconds since the last known activity of any tab; negative when the clock has gone back since. */
function sinceActive(): number {
  return Date.now() - Math.max(lastMarked, Number(knownRecord));
}

function isIdle(): boolean {
  const limit = idleMinutes.value * 60_000;
  const isRecent = sinceActive() < limit && performance.now() - activeAt < limit;
  return limit > 0 && !isRecent;
}

/** Whether kept keys may still open. After the clock has gone back, the time of the last activity is unknown. */
function isInUse(): boolean {
  readActivity();
  const clockWentBack = idleMinutes.value > 0 && sinceActive() < -maxClockDifference;
  return !isIdle() && !clockWentBack;
}

/** The tabs of the console. A tab never receives its own messages. */
const tabs = new BroadcastChannel('document-vault-console');

/** What is known of the keyring: null for an account without one. */
export interface KnownKeyring {
  readonly keyring: Keyring | null;
}

/** The key of the loaded keyring. */
const keyringKey = 'keyring';

/** Loads the keyring. One request. */
export function useKeyring(): Loaded<KnownKeyring> {
  // `enter` forgets the keyring, which can be new.
  accountKeys.value;
  return useLoaded(userId.value && keyringKey, readKeyring);
}

async function readKeyring(): Promise<KnownKeyring> {
  try {
    return { keyring: await send(client.keyring.get()) };
  } catch (error) {
    if (error instanceof NotFoundError) return { keyring: null };
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
}

/** Counts the locks: a key that is read meanwhile opens nothing. */
let locks = 0;

function close(): void {
  locks += 1;
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
  // A new id ends keys of an idle or ended unlock. During use the id stays, so that other tabs can restore theirs.
  if (!isInUse() || readStorage(unlockEntry) === null) {
    changeStorage(() => localStorage.setItem(unlockEntry, crypto.randomUUID()));
  }
  markActive();
  forget(keyringKey);
  accountKeys.value = keys;
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
  const begun = locks;
  const id = userId.value;
  const kept = id && isLasting() ? await readValue<KeptKeys>('keys', keptEntry) : undefined;
  if (kept) areKept = true;
  const isCurrent = kept?.unlockId === readStorage(unlockEntry);
  const isUsable = isCurrent && kept?.keys.userId === id && isInUse();
  const isRestored = isUsable && (await opens(kept.keys));
  // Locked or unlocked meanwhile.
  if (begun !== locks || accountKeys.peek()) return;
  accountKeys.value = isRestored ? client.keep() : null;
  if (isRestored) return;
  if (!kept) return;
  // Keys of an earlier unlock lock no tab: the others can have been unlocked anew.
  if (isCurrent) await lock();
  else await deleteKept();
}

/** Records input, or that a film or a sound plays. */
export function noteActivity(): void {
  // The difference is negative after the clock has gone back.
  if (!accountKeys.value || Math.abs(Date.now() - lastMarked) < activeInterval) return;
  readActivity();
  if (isIdle()) void lock();
  else markActive();
}

function checkIdle(): void {
  readActivity();
  if (accountKeys.value && isIdle()) void lock();
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
    if (key === idleEntry) idleMinutes.value = storedIdle();
  });
  tabs.onmessage = ({ data }) => {
    if (data === 'locked') close();
    else if (!accountKeys.value) void restore();
  };
  let owner: string | undefined;
  effect(() => {
    if (user.value === undefined) return;
    const id = userId.value;
    if (id !== undefined && id === owner) return;
    const hadOwner = owner !== undefined;
    owner = id;
    if (id !== undefined) {
      // The key of another user opens nothing while the kept one is read.
      locks += 1;
      accountKeys.value = undefined;
      void restore();
    } else if (hadOwner) void lock();
    else void deleteKept();
  });
}
