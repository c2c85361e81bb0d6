import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { FormContext } from './form.tsx';
import { MixedCheckbox } from './mixed-checkbox.tsx';

interface ChoicesProps<T extends string> {
  /** The contract's name of the list. */
  readonly name: string;
  readonly label: string;
  readonly groups: readonly ChoiceGroup<T>[];
  readonly chosen: ReadonlySet<T>;
  readonly onChange: (chosen: ReadonlySet<T>) => void;
  /** The name of a checkbox that chooses all values of all groups. */
  readonly all?: string;
  /** Buttons that choose several values. */
  readonly children?: ComponentChildren;
}

interface ChoiceGroup<T> {
  /** The name of a checkbox that chooses the group. Default: none */
  readonly label?: string;
  readonly values: readonly T[];
}

/** Chooses several values of the contract. */
export function Choices<T extends string>(props: ChoicesProps<T>) {
  const { name, label, groups, chosen, onChange, all, children } = props;
  const problem = useContext(FormContext).problems.get(name);
  const set = (values: readonly T[], isChosen: boolean) =>
    onChange(isChosen ? new Set([...chosen, ...values]) : chosen.difference(new Set(values)));
  return (
    <fieldset class="checks" aria-describedby={problem && `${name}-problem`}>
      <legend class="legend">{label}</legend>
      {children}
      {problem && (
        <p class="problem" id={`${name}-problem`}>
          {problem}
        </p>
      )}
      {all && (
        <All label={all} values={groups.flatMap(({ values }) => values)} {...{ chosen, set }} />
      )}
      {groups.map((group) => (
        <div key={group.label} class="check-group">
          {group.label && <All label={group.label} values={group.values} {...{ chosen, set }} />}
          <div class={group.label ? 'check-grid' : 'check-grid flush'}>
            {group.values.map((value) => (
              <label key={value} class="checkbox">
                <input
                  type="checkbox"
                  name={name}
                  value={value}
                  aria-invalid={problem ? true : undefined}
                  checked={chosen.has(value)}
                  onChange={({ currentTarget }) => set([value], currentTarget.checked)}
                />
                <span class="mono">{value}</span>
              </label>
            ))}
          </div>
        </div>
      ))}
    </fieldset>
  );
}

interface AllProps<T> {
  readonly label: string;
  readonly values: readonly T[];
  readonly chosen: ReadonlySet<T>;
  readonly set: (values: readonly T[], isChosen: boolean) => void;
}

function All<T>({ label, values, chosen, set }: AllProps<T>) {
  const count = values.filter((value) => chosen.has(value)).length;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the component renders the input
    <label class="checkbox">
      <MixedCheckbox
        count={count}
        total={values.length}
        onChange={(isChosen) => set(values, isChosen)}
      />
      <strong>{label}</strong>
    </label>
  );
}
