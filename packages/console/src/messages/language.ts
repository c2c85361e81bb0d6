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

/** The same texts in another language: none may be missing. */
type Translation<T> = {
  readonly [K in keyof T]: T[K] extends (...values: infer V) => string
    ? (...values: V) => string
    : string;
};

/**
 * The texts of a screen. A component that reads `value` is rendered again when the language changes.
 *
 * @example
 * const texts = catalogue({ title: 'Vaults' }, { title: 'Tresore' });
 * const { title } = texts.value;
 */
export function catalogue<T extends Readonly<Record<string, Text>>>(
  english: T,
  german: NoInfer<Translation<T>>,
): ReadonlySignal<Translation<T>> {
  return computed(() =>
    language.value === 'de' ? german : (english as unknown as Translation<T>),
  );
}
