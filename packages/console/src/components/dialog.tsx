import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { common } from '../messages/common.ts';
import { Actions, Button, IconButton } from './button.tsx';
import { type Form, FormEnd, type FormEndProps, FormView, TextField, useForm } from './form.tsx';
import type { IconName } from './icon-names.ts';
import { focusHeading } from './page.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** @default medium */
  readonly size?: 'medium' | 'large' | undefined;
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
      queueMicrotask(() => {
        // The element that had it was removed.
        if (document.activeElement === document.body) focusHeading();
      });
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

/** Makes a dialog. The function that it gets closes it. */
type MakeDialog = (onClose: () => void) => ComponentChildren;

/** Shows a dialog in the place of the present one. */
export type Show = (make: MakeDialog) => void;

/** A place for one dialog at a time. */
export function useDialog(): { readonly dialog: ComponentChildren; readonly show: Show } {
  const [open, setOpen] = useState<{ readonly make: MakeDialog }>();
  // A dialog that has shown another one closes itself alone.
  const close = () => setOpen((present) => (present === open ? undefined : present));
  return { dialog: open?.make(close), show: (make) => setOpen({ make }) };
}

interface FormDialogProps extends Omit<DialogProps, 'children'>, Omit<FormEndProps, 'onCancel'> {
  readonly form: Form;
  readonly children: ComponentChildren;
}

/** A dialog with a form. */
export function FormDialog({ title, onClose, size, form, children, ...end }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} size={size}>
      <FormView form={form}>
        {children}
        <FormEnd {...end} onCancel={onClose} />
      </FormView>
    </Dialog>
  );
}

/** A dialog that shows a result, with a button that closes it. */
export function DoneDialog({ title, onClose, children }: Omit<DialogProps, 'size'>) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {children}
        <Actions>
          <Button kind="primary" onClick={onClose}>
            {common.value.done}
          </Button>
        </Actions>
      </div>
    </Dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What happens, and whether it can be undone. */
  readonly children: ComponentChildren;
  /** The name of the action. */
  readonly action: string;
  /** @default danger */
  readonly kind?: 'primary';
  readonly icon?: IconName;
  /** Text that has to be typed first, for what destroys much. */
  readonly typed?: string | undefined;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. It stays open with the error when the action fails. */
export function Confirm({ children, typed, kind, onConfirm, ...dialog }: ConfirmProps) {
  const [given, setGiven] = useState('');
  // Keyboards compose letters with accents, which a stored name can have decomposed.
  const isAllowed = typed === undefined || given.normalize() === typed.normalize();
  const form = useForm(async () => {
    await onConfirm();
    dialog.onClose();
  });
  return (
    <FormDialog {...dialog} form={form} kind={kind ?? 'danger'} disabled={!isAllowed}>
      <div class="stack">{children}</div>
      {typed !== undefined && (
        <TextField
          name="typed"
          label={common.value.typeToConfirm(typed)}
          value={given}
          autocomplete="off"
          onInput={({ currentTarget }) => setGiven(currentTarget.value)}
        />
      )}
    </FormDialog>
  );
}
