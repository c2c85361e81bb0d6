import { effect, signal } from '@preact/signals';
import { changeStorage, readStorage } from '../service/storage.ts';

export type Theme = 'light' | 'dark' | 'system';

const entry = 'console.theme';
const stored = readStorage(entry);

/** The theme that the user chose. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

/** Changes the theme, also of later visits. */
export function chooseTheme(chosen: Theme): void {
  changeStorage(() => localStorage.setItem(entry, chosen));
  theme.value = chosen;
}
