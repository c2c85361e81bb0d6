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

interface FilterProps {
  readonly label: string;
  /** The name of the value in the address. */
  readonly name: string;
  readonly query: Query;
  /** The name of the choice without a filter. */
  readonly all: string;
  readonly options: readonly Option[];
}

/** Filters a list by one value of the address. */
export function Filter({ label, name, query, all, options }: FilterProps) {
  return (
    <select
      class="input"
      aria-label={label}
      value={query.values[name] ?? ''}
      onChange={({ currentTarget: { value } }) => query.change({ [name]: value })}
    >
      <Options options={[['', all], ...options]} />
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
