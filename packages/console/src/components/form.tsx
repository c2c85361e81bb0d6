import type { AllHTMLAttributes, ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { common } from '../messages/common.ts';
import { explain, fieldProblems } from '../messages/errors.ts';
import { IconButton } from './button.tsx';
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
    ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
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

/** The error of a form that belongs to none of its fields. */
export function FormError({ form }: { readonly form: Form }) {
  return form.error === undefined ? null : <Note kind="error">{explain(form.error)}</Note>;
}

interface FieldProps {
  /** The contract's name of the field. */
  readonly name: string;
  readonly label: string;
  readonly form: Form;
  readonly hint?: ComponentChildren;
  readonly isOptional?: boolean;
}

interface Described extends FieldProps {
  readonly children: (attributes: {
    id: string;
    name: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ComponentChildren;
}

/** A label, a control, a hint and the problem of its value. */
export function Field({ name, label, form, hint, isOptional, children }: Described) {
  const id = useId();
  const problem = form.problems.get(name);
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="soft"> ({common.value.optional})</span>}
      </label>
      {children({
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

export function TextField(
  props: FieldProps &
    Native<HTMLInputElement> & {
      readonly type?: 'text' | 'email' | 'url' | 'number' | 'datetime-local';
    },
) {
  const { name, label, form, hint, isOptional, type = 'text', ...rest } = props;
  return (
    <Field {...{ name, label, form, hint, isOptional: isOptional ?? false }}>
      {(attributes) => (
        <input class="input" {...({ type } as object)} {...(rest as object)} {...attributes} />
      )}
    </Field>
  );
}

export function TextArea(props: FieldProps & Native<HTMLTextAreaElement>) {
  const { name, label, form, hint, isOptional, ...rest } = props;
  return (
    <Field {...{ name, label, form, hint, isOptional: isOptional ?? false }}>
      {(attributes) => <textarea class="input" rows={3} {...(rest as object)} {...attributes} />}
    </Field>
  );
}

export function SelectField(
  props: FieldProps & Native<HTMLSelectElement> & { readonly children: ComponentChildren },
) {
  const { name, label, form, hint, isOptional, children, ...rest } = props;
  return (
    <Field {...{ name, label, form, hint, isOptional: isOptional ?? false }}>
      {(attributes) => (
        <select class="input" {...(rest as object)} {...attributes}>
          {children}
        </select>
      )}
    </Field>
  );
}

/** A password or passphrase that can be shown. */
export function SecretField(props: FieldProps & Native<HTMLInputElement>) {
  const { name, label, form, hint, isOptional, ...rest } = props;
  const [isShown, setShown] = useState(false);
  const t = common.value;
  return (
    <Field {...{ name, label, form, hint, isOptional: isOptional ?? false }}>
      {(attributes) => (
        <div class="input-group">
          <input
            class="input"
            {...({ type: isShown ? 'text' : 'password' } as object)}
            spellcheck={false}
            autocapitalize="off"
            {...(rest as object)}
            {...attributes}
          />
          <IconButton
            icon={isShown ? 'eye-off' : 'eye'}
            label={isShown ? t.hide : t.show}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        </div>
      )}
    </Field>
  );
}

interface CheckboxProps extends Native<HTMLInputElement> {
  readonly name: string;
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
}

export function Checkbox({ name, label, hint, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div class="checkbox">
      <input
        type="checkbox"
        id={id}
        name={name}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...(rest as object)}
      />
      <div>
        <label for={id}>{label}</label>
        {hint && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
