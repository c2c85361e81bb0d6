const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];

/** Formats a number of bytes. */
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), 3);
  const unit = units[power] as string;
  const options = { style: 'unit', unit, unitDisplay: power ? 'short' : 'long' } as const;
  return new Intl.NumberFormat('en', { ...options, maximumSignificantDigits: 3 }).format(
    bytes / 1000 ** power,
  );
}
