import { useId } from 'preact/hooks';
import type { Query } from '../service/query.ts';

/** A value of a choice, with its name. */
export type Option = readonly [value: string, label: string];

interface OptionsProps {
  readonly options: readonly Option[];
  /** The value that is chosen at first. */
  readonly chosen?: string | undefined;
}

/** The options of a `<select>`. */
export function Options({ options, chosen }: OptionsProps) {
  return (
    <>
      {options.map(([value, label]) => (
        <option key={value} value={value} selected={value === chosen || undefined}>
          {label}
        </option>
      ))}
    </>
  );
}

/** The options of names that need no translation. */
export function sameNames(names: readonly string[]): Option[] {
  return names.map((name) => [name, name]);
}

/** A choice that filters a list. */
export interface FilterChoice {
  /** The name of the value in the address. */
  readonly name: string;
  readonly label: string;
  /** The value of the first one is empty: no filter. `day`: any day. */
  readonly options: readonly Option[] | 'day';
}

/** Filters a list by one value of the address. */
export function Filter({ name, label, options, query }: FilterChoice & { readonly query: Query }) {
  const value = query.values[name] ?? '';
  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
    query.change({ [name]: currentTarget.value });
  if (options === 'day') {
    return (
      <label class="row tight">
        <span class="soft">{label}</span>
        <input class="input day" type="date" {...{ value, onChange }} />
      </label>
    );
  }
  return (
    <select class="input" aria-label={label} {...{ value, onChange }}>
      <Options options={options} />
    </select>
  );
}

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly chosen: T;
  readonly onChange: (value: T) => void;
}

/** A choice of one of few values, which are side by side. */
export function Segments<T extends string>({ label, options, chosen, onChange }: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            checked={value === chosen}
            onChange={() => onChange(value)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
