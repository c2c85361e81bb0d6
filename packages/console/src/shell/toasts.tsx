import { signal } from '@preact/signals';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { common } from '../messages/common.ts';
import { explain } from '../messages/errors.ts';
import { remaining } from '../service/storage.ts';
import { shellTexts } from './messages.ts';

interface Toast {
  readonly id: number;
  readonly kind: 'success' | 'error';
  readonly text: string;
}

const toasts = signal<readonly Toast[]>([]);

/** How long a success is shown, in milliseconds. Errors stay until they are closed. */
const shownFor = 6000;

let lastId = 0;

function add(kind: Toast['kind'], text: string): void {
  lastId += 1;
  const id = lastId;
  // Three at most: older ones would cover the page.
  toasts.value = [...toasts.value.slice(-2), { id, kind, text }];
  if (kind === 'success') setTimeout(() => close(id), shownFor);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Says that something succeeded. */
export function announce(text: string): void {
  add('success', text);
}

/** Shows the error of an action that has no form or dialog for it. It stays until the user closes it. */
export function announceError(error: unknown): void {
  add('error', explain(error));
}

/** Says what an action returns, or why it failed. */
export async function report(action: () => Promise<string>): Promise<void> {
  try {
    announce(await action());
  } catch (error) {
    announceError(error);
  }
}

remaining.subscribe((what) => {
  if (what) add('error', shellTexts.peek()[what]);
});

/** The live region of short messages. It is always in the page, or screen readers would miss the first one. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'success' ? 'circle-check' : 'circle-alert'} />
          <span>{text}</span>
          <IconButton icon="x" label={common.value.close} onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
