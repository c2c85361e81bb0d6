import type { ComponentChildren } from 'preact';
import type { Query } from '../service/query.ts';

interface FilterProps {
  readonly label: string;
  /** The name of the value in the address. */
  readonly name: string;
  readonly query: Query;
  /** The name of the choice without a filter. */
  readonly all: string;
  /** The options. */
  readonly children: ComponentChildren;
}

/** Filters a list by one value of the address. */
export function Filter({ label, name, query, all, children }: FilterProps) {
  return (
    <select
      class="input"
      aria-label={label}
      value={query.values[name] ?? ''}
      onChange={({ currentTarget: { value } }) => query.change({ [name]: value })}
    >
      <option value="">{all}</option>
      {children}
    </select>
  );
}
