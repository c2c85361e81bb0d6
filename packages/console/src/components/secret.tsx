import { common } from '../messages/common.ts';
import { CopyButton } from './button.tsx';
import { Note } from './states.tsx';

/** A secret that the service returns only once. */
export function ShownOnce({ label, secret }: { readonly label: string; readonly secret: string }) {
  return (
    <div class="stack">
      <Note kind="warning">{common.value.shownOnce}</Note>
      <div class="secret">
        <span class="soft">{label}</span>
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
    </div>
  );
}
