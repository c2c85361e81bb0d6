import { useEffect, useRef } from 'preact/hooks';

interface MixedCheckboxProps {
  /** How many of the values it stands for are chosen. */
  readonly count: number;
  readonly total: number;
  readonly label?: string;
  readonly onChange: (isChosen: boolean) => void;
}

/** A checkbox for several values: its state is mixed while some of them are chosen. */
export function MixedCheckbox({ count, total, label, onChange }: MixedCheckboxProps) {
  const ref = useRef<HTMLInputElement>(null);
  const isAll = count > 0 && count === total;
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = count > 0 && !isAll;
  }, [count, isAll]);
  return (
    <input
      ref={ref}
      type="checkbox"
      aria-label={label}
      checked={isAll}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
