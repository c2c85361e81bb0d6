/** Rows under their headings, in columns as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((cells) => cells.map(printable));
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => lengthOf(cells[column] ?? ''))),
  );
  const aligned = lines.map((cells) =>
    cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell))),
  );
  return aligned.map((cells) => cells.join('  ').trimEnd()).join('\n');
}

function lengthOf(text: string): number {
  return [...text].length;
}

/**
 * Text that somebody else has chosen, for a terminal: what would move its cursor or turn its line
 * around is replaced.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
}
