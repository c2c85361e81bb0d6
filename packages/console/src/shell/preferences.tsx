import { Icon } from '../components/icon.tsx';
import type { IconName } from '../components/icon-names.ts';
import { Menu, type MenuItem } from '../components/menu.tsx';
import { chooseLanguage, type Language, language, languages } from '../messages/language.ts';
import { chooseIdleMinutes, type IdleMinutes, idleMinutes } from '../service/idle.ts';
import { shellTexts } from './messages.ts';
import { chooseTheme, type Theme, theme } from './theme.ts';

/** A choice of this browser, which holds at once. */
export interface Preference<T extends string | number> {
  readonly label: string;
  readonly options: readonly {
    readonly value: T;
    readonly label: string;
    readonly icon?: IconName;
  }[];
  readonly chosen: T;
  readonly choose: (value: T) => void;
}

export function languagePreference(): Preference<Language> {
  return {
    label: shellTexts.value.language,
    options: (Object.keys(languages) as Language[]).map((value) => ({
      value,
      label: languages[value],
    })),
    chosen: language.value,
    choose: chooseLanguage,
  };
}

const themeIcons = { light: 'sun', dark: 'moon', system: 'monitor' } as const;

export function themePreference(): Preference<Theme> {
  const t = shellTexts.value;
  return {
    label: t.theme,
    options: (Object.keys(themeIcons) as Theme[]).map((value) => ({
      value,
      label: t[value],
      icon: themeIcons[value],
    })),
    chosen: theme.value,
    choose: chooseTheme,
  };
}

export function idlePreference(): Preference<IdleMinutes> {
  const t = shellTexts.value;
  return {
    label: t.idle,
    options: [
      { value: 15, label: t.idleMinutes },
      { value: 480, label: t.idleHours },
      { value: 0, label: t.idleNever },
    ],
    chosen: idleMinutes.value,
    choose: chooseIdleMinutes,
  };
}

/** The options of a preference as entries of a menu. */
export function menuItems<T extends string | number>(preference: Preference<T>): MenuItem[] {
  return preference.options.map(({ value, ...item }) => ({
    ...item,
    isChosen: preference.chosen === value,
    onSelect: () => preference.choose(value),
  }));
}

/** Theme and language. */
export function Preferences() {
  const [themes, texts] = [themePreference(), languagePreference()];
  return (
    <span class="row tight">
      <Menu label={themes.label} items={menuItems(themes)}>
        <Icon name={themeIcons[themes.chosen]} />
      </Menu>
      <Menu label={texts.label} items={menuItems(texts)}>
        <Icon name="languages" />
      </Menu>
    </span>
  );
}
