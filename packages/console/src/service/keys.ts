import type { CallOptions, Cipher, Document } from '@document-vault/sdk';
import { createCipher, type KeptKey } from '@document-vault/sdk/crypto';
import { effect, signal } from '@preact/signals';
import { client, isLasting, send, user, userId } from './client.ts';
import { deleteValue, readValue, writeValue } from './database.ts';
import { forget } from './loading.ts';
import { changeStorage, readStorage, remaining } from './storage.ts';

/** The cipher of the user: undefined while kept keys are read, null while the console is locked. */
export const cipher = signal<Cipher | null | undefined>(undefined);

/** Keys as they are kept in IndexedDB, where scripts can use them and cannot read them. */
interface KeptKeys {
  readonly userId: string;
  /** The unlock that they belong to: they open nothing when it has ended. */
  readonly unlockId: string;
  readonly keys: readonly KeptKey[];
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

/** How the key of the loaded newest document begins. */
export const newestKey = 'newest ';

/**
 * Returns the newest document, whose key checks a passphrase and whose salt new documents use; undefined for an account
 * without documents. One request.
 */
export async function newestDocument(options: CallOptions = {}): Promise<Document | undefined> {
  return (await send(client.documents.list({ pageSize: 1 }, options))).data[0];
}

/** Minimum of iterations. Fewer of another client are not adopted. */
const minIterations = 600_000;

/** The users for whom ciphers were made. */
const owners = new WeakMap<Cipher, string>();

/**
 * Makes a cipher whose new documents share the key of a document.
 *
 * @returns undefined when the passphrase does not fit the document
 */
export async function cipherFor(
  passphrase: string,
  document: Document | undefined,
): Promise<Cipher | undefined> {
  const owner = userId.peek();
  const { salt, iterations = 0 } = document?.encryptionMetadata ?? {};
  const cost = iterations > minIterations ? { iterations } : {};
  const made = await createCipher({ passphrase, salt, ...cost });
  if (owner) owners.set(made, owner);
  return !document || (await made.check(document)) ? made : undefined;
}

/** Counts the locks: a key that is read meanwhile opens nothing. */
let locks = 0;

function close(): void {
  locks += 1;
  cipher.value = null;
}

/** Opens the console with a checked cipher, in this tab and in those that share its session. */
export async function unlock(opened: Cipher): Promise<void> {
  // The user has signed out meanwhile, or another one has signed in.
  if (!userId.value || owners.get(opened) !== userId.value) return;
  // A new id ends keys of an idle or ended unlock. During use the id stays, so that other tabs can restore theirs.
  if (!isInUse() || readStorage(unlockEntry) === null) {
    changeStorage(() => localStorage.setItem(unlockEntry, crypto.randomUUID()));
  }
  markActive();
  cipher.value = opened;
  await keepKeys();
  tabs.postMessage('unlocked');
}

/** The cipher whose keys were stored last, and how many it had. */
let stored: { readonly cipher: Cipher; readonly count: number } | undefined;

/** Whether this tab has stored or found keys in IndexedDB that were not deleted since. */
let areKept = false;

/** Stores the keys that the cipher has derived so far: documents of other clients can have other salts. */
export async function keepKeys(): Promise<void> {
  const [used, id] = [cipher.peek(), userId.peek()];
  const unlockId = readStorage(unlockEntry);
  if (!used || !id || !isLasting() || !unlockId) return;
  const keys = used.keep();
  if (stored?.cipher === used && stored.count === keys.length) return;
  stored = { cipher: used, count: keys.length };
  const kept: KeptKeys = { userId: id, unlockId, keys };
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

/** Reads the kept keys of the user, unless the console was locked since, or nothing was done for too long. */
async function restore(): Promise<void> {
  const begun = locks;
  const id = userId.value;
  const kept = id && isLasting() ? await readValue<KeptKeys>('keys', keptEntry) : undefined;
  if (kept) areKept = true;
  const isCurrent = kept?.unlockId === readStorage(unlockEntry);
  const isUsable = kept && isCurrent && kept.userId === id && isInUse();
  const restored = isUsable ? await createCipher({ kept: kept.keys }) : null;
  // Locked meanwhile, or unlocked by the passphrase, whose cipher opens more.
  if (begun !== locks || cipher.peek()) return;
  if (restored) {
    // It derives no further keys, and another tab can have stored more since.
    stored = { cipher: restored, count: restored.keep().length };
    cipher.value = restored;
    return;
  }
  cipher.value = null;
  if (!kept) return;
  // Keys of an earlier unlock lock no tab: the others can have been unlocked anew.
  if (isCurrent) await lock();
  else await deleteKept();
}

/** Records input, or that a film or a sound plays. */
export function noteActivity(): void {
  // The difference is negative after the clock has gone back.
  if (!cipher.value || Math.abs(Date.now() - lastMarked) < activeInterval) return;
  readActivity();
  if (isIdle()) void lock();
  else markActive();
}

function checkIdle(): void {
  readActivity();
  if (cipher.value && isIdle()) void lock();
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
    else if (!cipher.value) void restore();
  };
  // Before the next lock, an upload or another passphrase can change the document that checks the passphrase.
  cipher.subscribe((opened) => {
    if (opened) forget(newestKey);
  });
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
      cipher.value = undefined;
      void restore();
    } else if (hadOwner) void lock();
    else void deleteKept();
  });
}
