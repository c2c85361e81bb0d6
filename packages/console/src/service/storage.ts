import { signal } from '@preact/signals';

/** What the browser failed to remove. The shell shows it. */
export const remaining = signal<'keyStays' | 'keyOpens' | 'tokensStay' | undefined>(undefined);

/** Changes `localStorage`. @returns whether the browser permits it */
export function changeStorage(change: () => void): boolean {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}

/** Reads from `localStorage`. @returns null also when the browser does not permit it */
export function readStorage(entry: string): string | null {
  try {
    return localStorage.getItem(entry);
  } catch {
    return null;
  }
}
