import { type AllHTMLAttributes, type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { common } from '../messages/common.ts';
import { explain, fieldProblems } from '../messages/errors.ts';
import { Actions, Button, IconButton } from './button.tsx';
import type { IconName } from './icon-names.ts';
import { type Option, Options } from './options.tsx';
import { Note } from './states.tsx';

/** Returns what is wrong with a value, in the present language. */
export type Problem = () => string;

/** The state of a form. */
export interface Form {
  readonly isBusy: boolean;
  /** An error that belongs to no field of the form. */
  readonly error: unknown;
  /** Problems by the names of the fields. */
  readonly problems: ReadonlyMap<string, string>;
  readonly ref: { current: HTMLFormElement | null };
  readonly onSubmit: (event: Event) => void;
}

/** The state of the form that a field is in. */
export const FormContext = createContext<Pick<Form, 'isBusy' | 'error' | 'problems'>>({
  isBusy: false,
  error: undefined,
  problems: new Map(),
});

/**
 * Sends a form. Problems of the service are shown at the fields that have the contract's names, and the first of
 * them gets the focus; other errors are shown by {@link FormError}.
 *
 * @param send - gets the values of the fields by their names
 * @param validate - finds problems before anything is sent
 */
export function useForm(
  send: (values: Record<string, string>) => Promise<void>,
  validate: (values: Record<string, string>) => Record<string, Problem> = () => ({}),
): Form {
  const ref = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [problems, setProblems] = useState<ReadonlyMap<string, Problem>>(new Map());
  useLayoutEffect(() => {
    // The fields render after the form, when they find that their context has changed.
    queueMicrotask(() => ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }, [problems]);

  const run = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const values = Object.fromEntries([...data].map(([name, value]) => [name, String(value)]));
    setError(undefined);
    const found = new Map(Object.entries(validate(values)));
    setProblems(found);
    if (found.size > 0) return;
    setBusy(true);
    try {
      await send(values);
    } catch (cause) {
      const refused = fieldProblems(cause);
      const known = new Map<string, Problem>();
      for (const [field, problem] of refused) {
        const [name, item] = controlOf(form, data, field);
        if (name === undefined || known.has(name)) continue;
        known.set(name, item === undefined ? problem : () => common.value.ofItem(item, problem()));
      }
      setProblems(known);
      if (known.size === 0) setError(cause);
    }
    setBusy(false);
  };

  return {
    isBusy,
    error,
    // A text that was kept would stay in its language when the user chooses another one.
    problems: new Map([...problems].map(([name, problem]) => [name, problem()])),
    ref,
    onSubmit(event) {
      event.preventDefault();
      if (!isBusy) void run(event.currentTarget as HTMLFormElement);
    },
  };
}

/** The name of the controls for a field of the contract, and for an item of a list the value that was sent. */
function controlOf(
  form: HTMLFormElement,
  data: FormData,
  field: string,
): [name?: string, item?: string | undefined] {
  if (form.elements.namedItem(field)) return [field];
  const [, list = '', position] = /^(.*)\.(\d+)$/.exec(field) ?? [];
  if (!form.elements.namedItem(list)) return [];
  return [list, listOf(data.getAll(list).join(' '))[Number(position)]];
}

/** The items of a list that is entered as text. White space separates them. */
export function listOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

interface FormViewProps {
  readonly form: Form;
  /** @default stack */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A form with its fields. */
export function FormView({ form, class: name = 'stack', children }: FormViewProps) {
  return (
    <form class={name} ref={form.ref} onSubmit={form.onSubmit}>
      <FormContext.Provider value={form}>{children}</FormContext.Provider>
    </form>
  );
}

interface FormErrorProps {
  /** @default explain */
  readonly explained?: ((error: unknown) => string) | undefined;
}

/** The error of a form that belongs to none of its fields. */
export function FormError({ explained = explain }: FormErrorProps) {
  const { error } = useContext(FormContext);
  return error === undefined ? null : <Note kind="error">{explained(error)}</Note>;
}

interface SubmitProps {
  /** The name of the button. */
  readonly action: string;
  /** Its name while the form is sent. @default action */
  readonly busy?: string;
  /** @default primary */
  readonly kind?: 'primary' | 'danger' | undefined;
  readonly icon?: IconName | undefined;
  readonly disabled?: boolean | undefined;
}

/** Sends the form. */
export function Submit({ action, busy = action, kind = 'primary', ...rest }: SubmitProps) {
  const { isBusy } = useContext(FormContext);
  return (
    <Button type="submit" kind={kind} isBusy={isBusy} {...rest}>
      {isBusy ? busy : action}
    </Button>
  );
}

export interface FormEndProps extends SubmitProps, FormErrorProps {
  /** Adds a button that closes the dialog of the form. */
  readonly onCancel?: () => void;
}

/** The end of most forms: their error, and their buttons. */
export function FormEnd({ onCancel, explained, ...submit }: FormEndProps) {
  return (
    <>
      <FormError explained={explained} />
      <Actions>
        {onCancel && <Button onClick={onCancel}>{common.value.cancel}</Button>}
        <Submit {...submit} />
      </Actions>
    </>
  );
}

interface FieldProps {
  /** The contract's name of the field. */
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly isOptional?: boolean;
}

interface Described extends FieldProps {
  /** The control, with the attributes that connect it to the label. */
  readonly control: (attributes: object) => ComponentChildren;
}

/** A label, a control, a hint and the problem of its value. */
function Field({ name, label, hint, isOptional, control }: Described) {
  const id = useId();
  const problem = useContext(FormContext).problems.get(name);
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="soft"> ({common.value.optional})</span>}
      </label>
      {control({
        id,
        name,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

/** Attributes of the control. */
type Native<E extends EventTarget> = Omit<
  AllHTMLAttributes<E>,
  keyof FieldProps | 'children' | 'type' | 'wrap' | 'autocorrect'
>;

type ControlProps<E extends EventTarget> = FieldProps & Native<E>;

/** Splits the properties of a field from the attributes of its control. */
function split<P extends FieldProps>({ name, label, hint, isOptional, ...attributes }: P) {
  return [{ name, label, hint, isOptional: isOptional ?? false }, attributes as object] as const;
}

export function TextField(
  props: ControlProps<HTMLInputElement> & {
    readonly type?: 'text' | 'email' | 'url' | 'number' | 'datetime-local';
  },
) {
  const [field, attributes] = split(props);
  return <Field {...field} control={(own) => <input class="input" {...attributes} {...own} />} />;
}

export function TextArea(props: ControlProps<HTMLTextAreaElement>) {
  const [field, attributes] = split(props);
  return (
    <Field
      {...field}
      control={(own) => <textarea class="input" rows={3} {...attributes} {...own} />}
    />
  );
}

export function SelectField(
  props: ControlProps<HTMLSelectElement> & {
    readonly options: readonly Option[];
    /** The value at first. @default the first option */
    readonly chosen?: string;
  },
) {
  const { options, chosen, ...others } = props;
  const [field, attributes] = split(others);
  return (
    <Field
      {...field}
      control={(own) => (
        <select class="input" {...attributes} {...own}>
          <Options options={options} chosen={chosen} />
        </select>
      )}
    />
  );
}

/** A password or passphrase that can be shown. */
export function SecretField(props: ControlProps<HTMLInputElement>) {
  const [field, attributes] = split(props);
  const [isShown, setShown] = useState(false);
  const t = common.value;
  return (
    <Field
      {...field}
      control={(own) => (
        <div class="input-group">
          <input
            class="input"
            {...({ type: isShown ? 'text' : 'password' } as object)}
            spellcheck={false}
            autocapitalize="off"
            {...attributes}
            {...own}
          />
          <IconButton
            icon={isShown ? 'eye-off' : 'eye'}
            label={isShown ? t.hide : t.show}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        </div>
      )}
    />
  );
}

/** The password of the login, which the service requires for a change of the keyring. */
export function LoginPassword() {
  const t = common.value;
  return (
    <SecretField
      name="currentPassword"
      label={t.password}
      hint={t.loginPasswordHint}
      autocomplete="current-password"
      required
    />
  );
}

interface CheckboxProps extends Native<HTMLInputElement> {
  readonly name: string;
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
}

export function Checkbox({ name, label, hint, ...rest }: CheckboxProps) {
  const id = useId();
  const problem = useContext(FormContext).problems.get(name);
  return (
    <div class="checkbox">
      <input
        type="checkbox"
        id={id}
        name={name}
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        aria-invalid={problem ? true : undefined}
        {...(rest as object)}
      />
      <div>
        <label for={id}>{label}</label>
        {(problem ?? hint) && (
          <p class={problem ? 'problem' : 'hint'} id={`${id}-hint`}>
            {problem ?? hint}
          </p>
        )}
      </div>
    </div>
  );
}
