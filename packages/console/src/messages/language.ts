import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { changeStorage, readStorage } from '../service/storage.ts';

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

const entry = 'console.language';

function preferred(): Language {
  const chosen = readStorage(entry) ?? navigator.language;
  return chosen.startsWith('de') ? 'de' : 'en';
}

/** The language of the console: the one that the user chose, or the first of the browser. */
export const language = signal<Language>(preferred());

effect(() => {
  document.documentElement.lang = language.value;
});

/** Changes the language, also of later visits. */
export function chooseLanguage(chosen: Language): void {
  changeStorage(() => localStorage.setItem(entry, chosen));
  language.value = chosen;
}

/** A text, or a function that makes one of values. */
type Text = string | ((...values: never[]) => string);

/** Any text of the same values. */
type Translation<T> = T extends (...values: infer V) => string ? (...values: V) => string : string;

/**
 * The texts of a screen, each in both languages. A component that reads `value` is rendered again when the language
 * changes.
 *
 * @example
 * const texts = catalogue({ title: ['Vaults', 'Tresore'] });
 * const { title } = texts.value;
 */
export function catalogue<T extends Readonly<Record<string, Text>>>(
  texts: {
    readonly [K in keyof T]: readonly [english: T[K], german: NoInfer<Translation<T[K]>>];
  },
): ReadonlySignal<{ readonly [K in keyof T]: Translation<T[K]> }> {
  return computed(() => {
    const position = language.value === 'de' ? 1 : 0;
    const entries = Object.entries<readonly [unknown, unknown]>(texts);
    return Object.fromEntries(entries.map(([name, text]) => [name, text[position]])) as never;
  });
}
