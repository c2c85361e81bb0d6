import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { common } from '../messages/common.ts';
import { explain } from '../messages/errors.ts';
import { Button, IconButton } from './button.tsx';
import { Note } from './states.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** @default medium */
  readonly size?: 'medium' | 'large';
  readonly children: ComponentChildren;
}

/** A modal dialog. It exists while it is open, and gives the focus back to where it was. */
export function Dialog({ title, onClose, size = 'medium', children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      queueMicrotask(focusHeading);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog ${size}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="dialog-header">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="x" label={common.value.close} onClick={onClose} />
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

/** Moves the focus to the heading of the screen when the element that had it was removed. */
function focusHeading(): void {
  if (document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** The buttons at the end of a dialog or a form. */
export function Actions({ children }: { readonly children: ComponentChildren }) {
  return <div class="actions">{children}</div>;
}

interface ConfirmProps {
  readonly title: string;
  /** What happens, and whether it can be undone. */
  readonly children: ComponentChildren;
  /** The name of the action. */
  readonly action: string;
  /** Text that has to be typed first, for what destroys much. */
  readonly typed?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. It stays open with the error when the action fails. */
export function Confirm({ title, children, action, typed, onConfirm, onClose }: ConfirmProps) {
  const t = common.value;
  const id = useId();
  const [given, setGiven] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // Keyboards compose letters with accents, which a stored name can have decomposed.
  const isAllowed = typed === undefined || given.normalize() === typed.normalize();
  const confirm = async (event: Event) => {
    event.preventDefault();
    if (!isAllowed || isBusy) return;
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (cause) {
      setError(cause);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void confirm(event)}>
        <div class="stack prose">{children}</div>
        {typed !== undefined && (
          <div class="field">
            <label for={id}>{t.typeToConfirm(typed)}</label>
            <input
              id={id}
              class="input"
              value={given}
              autocomplete="off"
              onInput={(event) => setGiven(event.currentTarget.value)}
            />
          </div>
        )}
        {error !== undefined && <Note kind="error">{explain(error)}</Note>}
        <Actions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" kind="danger" isBusy={isBusy} disabled={!isAllowed}>
            {action}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
