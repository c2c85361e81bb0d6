import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { Checkbox } from '../components/form.tsx';
import { changeStorage, readStorage } from '../service/storage.ts';
import { shellTexts } from './messages.ts';

interface Shortcut {
  /** A key, or two in a row: `n`, `g v`. */
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
}

const shortcuts = signal<readonly Shortcut[]>([]);
const isHelpOpen = signal(false);

/** Speech input types single letters: users must be able to turn these keys off (WCAG 2.1.4). */
const entry = 'console.shortcuts';
const areOn = signal(readStorage(entry) !== 'off');

/** The second key of a sequence has to follow within so many milliseconds. */
const sequenceTime = 1500;

/**
 * Registers a shortcut while the component is shown.
 *
 * @param keys - undefined registers none
 */
export function useShortcut(keys: string | undefined, label: string, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (keys === undefined) return;
    const own: Shortcut = { keys, label, run: () => latest.current() };
    shortcuts.value = [...shortcuts.peek(), own];
    return () => {
      shortcuts.value = shortcuts.peek().filter((other) => other !== own);
    };
  }, [keys, label]);
}

export function openShortcutHelp(): void {
  isHelpOpen.value = true;
}

let first: { readonly key: string; readonly at: number } | undefined;

addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || event.defaultPrevented || !areOn.value) return;
  if (isTyping(target) || document.querySelector('dialog[open], [popover]:popover-open')) return;
  if (key === '?') {
    event.preventDefault();
    openShortcutHelp();
    return;
  }
  // It is pressed before each capital letter.
  if (key === 'Shift') return;
  const isSecond = first && event.timeStamp - first.at < sequenceTime;
  const found = (isSecond && shortcutOf(`${first?.key} ${key}`)) || shortcutOf(key);
  first = { key, at: event.timeStamp };
  if (!found) return;
  event.preventDefault();
  found.run();
});

/** Returns the newest one: a screen can take over a key of the shell. */
function shortcutOf(keys: string): Shortcut | undefined {
  return shortcuts.value.findLast((shortcut) => shortcut.keys === keys);
}

function isTyping(target: EventTarget | null): boolean {
  const editable = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, select';
  return target instanceof Element && target.matches(`${editable}, [contenteditable]`);
}

/** The help sheet, which lists the shortcuts of the shell and of the screen. */
export function ShortcutHelp() {
  if (!isHelpOpen.value) return null;
  const t = shellTexts.value;
  return (
    <Dialog
      title={t.shortcuts}
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <dl class="shortcut-list">
        {[...shortcuts.value, { keys: '?', label: t.showShortcuts }].map(({ keys, label }) => (
          <div key={keys}>
            <dt>{label}</dt>
            <dd>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Checkbox
        name="shortcuts"
        label={t.useShortcuts}
        hint={t.useShortcutsHint}
        checked={areOn.value}
        onChange={({ currentTarget: { checked } }) => {
          areOn.value = checked;
          changeStorage(() => localStorage.setItem(entry, checked ? 'on' : 'off'));
        }}
      />
    </Dialog>
  );
}
