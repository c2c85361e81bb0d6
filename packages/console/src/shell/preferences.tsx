import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { chooseLanguage, type Language, language, languages } from '../messages/language.ts';
import { shellTexts } from './messages.ts';
import { chooseTheme, type Theme, theme } from './theme.ts';

const themeIcons = { light: 'sun', dark: 'moon', system: 'monitor' } as const;

/** Theme and language. */
export function Preferences() {
  const t = shellTexts.value;
  return (
    <span class="row tight">
      <Menu
        label={t.theme}
        items={(Object.keys(themeIcons) as Theme[]).map((name) => ({
          label: t[name],
          icon: themeIcons[name],
          isChosen: theme.value === name,
          onSelect: () => chooseTheme(name),
        }))}
      >
        <Icon name={themeIcons[theme.value]} />
      </Menu>
      <Menu
        label={t.language}
        items={(Object.keys(languages) as Language[]).map((name) => ({
          label: languages[name],
          isChosen: language.value === name,
          onSelect: () => chooseLanguage(name),
        }))}
      >
        <Icon name="languages" />
      </Menu>
    </span>
  );
}
