interface Bounds {
  /** What is counted, such as `bytes`. */
  readonly unit: string;
  readonly max?: number;
}

/**
 * The value of an option that counts something: a whole number of at least 1.
 *
 * @throws RangeError that names the option, for anything else
 */
export function wholeNumber(
  option: string,
  value: unknown,
  { unit, max = Number.MAX_SAFE_INTEGER }: Bounds,
): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max) return Number(value);
  throw new RangeError(
    `The option ${option} must be a whole number of ${unit} from 1 to ${max}, not ${String(value)}.`,
  );
}
