/** Tables for a terminal. */

export type Cell = string | number;

const number = /^[\d.,]+( %)?$/;

/** Columns as wide as their widest cell; numbers stand at the right. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => String(row[column] ?? '').length)),
  );
  const line = (row: readonly Cell[], isNumber: (column: number) => boolean) =>
    widths
      .map((width, column) => {
        const text = String(row[column] ?? '');
        return isNumber(column) ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const numeric = (column: number) => rows.some((row) => number.test(String(row[column] ?? '')));
  return [
    line(head, numeric),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...rows.map((row) => line(row, numeric)),
  ].join('\n');
}
