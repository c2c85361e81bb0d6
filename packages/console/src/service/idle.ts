/**
 * When the console was last used. Two clocks: wall time is shared by tabs and can go back; `performance.now()` never
 * goes back, but stops in sleep. The console is idle when either says so.
 */
import { signal } from '@preact/signals';
import { changeStorage, readStorage } from './storage.ts';

/** Minutes without input or playback after which the console locks; 0 never locks it. */
export type IdleMinutes = 0 | 15 | 480;

const idleEntry = 'console.idleMinutes';
const activeEntry = 'console.lastActive';

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
const recordInterval = 10_000;
/** Milliseconds by which two processes of a browser can read different times, at most. */
const maxClockDifference = 1000;
/** The last record of this tab, in wall time. */
let recordedAt = 0;
/** The stored record of the last activity that this tab knows of. */
let knownRecord: string | null = null;
/** When this tab learned of it, by `performance.now()`. */
let learnedAt = 0;

/** Records that this tab is used. */
export function recordActivity(): void {
  recordedAt = Date.now();
  learnedAt = performance.now();
  changeStorage(() => localStorage.setItem(activeEntry, String(recordedAt)));
  knownRecord = readStorage(activeEntry);
}

/** Whether this tab has just recorded its use. */
export function hasJustRecorded(): boolean {
  // The difference is negative after the clock has gone back.
  return Math.abs(Date.now() - recordedAt) < recordInterval;
}

/** Milliseconds since the last known activity of any tab; negative when the clock has gone back since. */
function sinceActivity(): number {
  return Date.now() - Math.max(recordedAt, Number(knownRecord));
}

/** Whether no tab was used for too long. A tab that was frozen learns of the others when it asks. */
export function isIdle(): boolean {
  const record = readStorage(activeEntry);
  if (record !== knownRecord) [knownRecord, learnedAt] = [record, performance.now()];
  const limit = idleMinutes.value * 60_000;
  const isRecent = sinceActivity() < limit && performance.now() - learnedAt < limit;
  return limit > 0 && !isRecent;
}

/** Whether kept keys may still open. After the clock has gone back, the time of the last activity is unknown. */
export function isInUse(): boolean {
  return !isIdle() && (idleMinutes.value === 0 || sinceActivity() >= -maxClockDifference);
}

addEventListener('storage', ({ key }) => {
  if (key === idleEntry) idleMinutes.value = storedIdle();
});
