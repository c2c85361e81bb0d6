import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { common } from '../messages/common.ts';
import type { Query } from '../service/query.ts';
import { shellTexts } from '../shell/messages.ts';
import { useShortcut } from '../shell/shortcuts.tsx';
import { Icon } from './icon.tsx';

/** Milliseconds after the last keystroke: each search is a request, and the free tier has ten a minute. */
const pause = 600;

/** Searches by the value `search` of the address. Enter searches at once. */
export function SearchBox({ label, query }: { readonly label: string; readonly query: Query }) {
  const id = useId();
  const current = query.values.search ?? '';
  const [text, setText] = useState(current);
  const input = useRef<HTMLInputElement>(null);
  const change = useRef(query.change);
  change.current = query.change;
  useShortcut('/', common.value.search, () => input.current?.focus());
  // The address changes by itself too, such as by the button that clears the filters.
  useEffect(() => setText(current), [current]);
  useEffect(() => {
    if (text === current) return;
    const timer = setTimeout(() => change.current({ search: text }), pause);
    return () => clearTimeout(timer);
  }, [text, current]);
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== current) query.change({ search: text });
        }}
      >
        <Icon name="search" />
        <label class="visually-hidden" for={id}>
          {label}
        </label>
        <input
          ref={input}
          id={id}
          class="input"
          type="search"
          placeholder={label}
          maxlength={200}
          value={text}
          title={`${shellTexts.value.shortcuts}: /`}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </search>
  );
}
