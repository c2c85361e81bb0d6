import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { common } from '../messages/common.ts';
import { announce } from '../shell/toasts.tsx';
import { Actions, Button, IconButton } from './button.tsx';
import { FormEnd, type FormEndProps, FormView, TextField, useForm } from './form.tsx';
import type { IconName } from './icon-names.ts';
import { focusHeading } from './page.tsx';

const CloseContext = createContext((): void => undefined);

/** Returns the function that closes the surrounding dialog. */
export function useClose(): () => void {
  return useContext(CloseContext);
}

interface DialogProps {
  readonly title: string;
  /** @default closes the dialog of {@link useDialog} */
  readonly onClose?: () => void;
  /** @default medium */
  readonly size?: 'medium' | 'large' | undefined;
  readonly children: ComponentChildren;
}

/** A modal dialog. It exists while it is open, and gives the focus back to where it was. */
export function Dialog({ title, onClose, size = 'medium', children }: DialogProps) {
  const closeSurrounding = useClose();
  const close = onClose ?? closeSurrounding;
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
        close();
      }}
    >
      <header class="dialog-header">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="x" label={common.value.close} onClick={close} />
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

/** Shows a dialog in the place of the present one. */
export type Show = (dialog: ComponentChildren) => void;

/** A place for one dialog at a time. */
export function useDialog(): { readonly dialog: ComponentChildren; readonly show: Show } {
  const [open, setOpen] = useState<{ readonly shown: ComponentChildren }>();
  // A dialog must not close its successor.
  const close = () => setOpen((present) => (present === open ? undefined : present));
  const dialog = open && <CloseContext.Provider value={close}>{open.shown}</CloseContext.Provider>;
  return { dialog, show: (shown) => setOpen({ shown }) };
}

interface FormDialogProps extends Omit<DialogProps, 'onClose'>, Omit<FormEndProps, 'onCancel'> {
  /**
   * Gets the values of the fields by their names. Returns what is announced when the dialog closes; undefined when it
   * stays open, when another one takes its place, or when `onSend` has closed it.
   */
  readonly onSend: (values: Record<string, string>) => Promise<string | undefined>;
  /** Finds problems before anything is sent. */
  readonly validate?: Parameters<typeof useForm>[1];
}

/** A dialog with a form. It stays open with the error when sending fails. */
export function FormDialog(props: FormDialogProps) {
  const { title, size, onSend, validate, children, ...end } = props;
  const close = useClose();
  const form = useForm(async (values) => {
    const done = await onSend(values);
    if (done === undefined) return;
    announce(done);
    close();
  }, validate);
  return (
    <Dialog title={title} size={size}>
      <FormView form={form}>
        {children}
        <FormEnd {...end} onCancel={close} />
      </FormView>
    </Dialog>
  );
}

/** A dialog that shows a result, with a button that closes it. */
export function DoneDialog({ title, children }: Pick<DialogProps, 'title' | 'children'>) {
  return (
    <Dialog title={title}>
      <div class="stack">
        {children}
        <Actions>
          <Button kind="primary" onClick={useClose()}>
            {common.value.done}
          </Button>
        </Actions>
      </div>
    </Dialog>
  );
}

interface ConfirmProps extends Pick<DialogProps, 'title'> {
  /** What happens, and whether it can be undone. */
  readonly children: ComponentChildren;
  /** The name of the action. */
  readonly action: string;
  /** @default danger */
  readonly kind?: 'primary';
  readonly icon?: IconName;
  /** Text that has to be typed first, for what destroys much. */
  readonly typed?: string | undefined;
  /** Returns what is announced; undefined when another dialog takes the place of this one. */
  readonly onConfirm: () => Promise<string | undefined>;
}

/** Asks before something that cannot be undone. */
export function Confirm({ children, typed, kind, onConfirm, ...dialog }: ConfirmProps) {
  const [given, setGiven] = useState('');
  // Keyboards compose letters with accents, which a stored name can have decomposed.
  const isAllowed = typed === undefined || given.normalize() === typed.normalize();
  return (
    <FormDialog {...dialog} onSend={onConfirm} kind={kind ?? 'danger'} disabled={!isAllowed}>
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
