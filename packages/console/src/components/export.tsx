import { useState } from 'preact/hooks';
import { common } from '../messages/common.ts';
import { revision } from '../service/keys.ts';
import { announce, announceError } from '../shell/toasts.tsx';
import { type ExportColumn, exportedValue } from './column.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

/** The rows of an export, in parts. */
export interface Exported<T> {
  pages(): AsyncIterable<{ readonly data: readonly T[] }>;
}

interface ExportProps<T> {
  /** The name of the file, without its ending. */
  readonly name: string;
  readonly list: () => Exported<T>;
  readonly columns: readonly ExportColumn<T>[];
}

type Cell = ReturnType<typeof exportedValue>;

/** Exports every row that the filters match, not the page alone. The rate limit can make it wait. */
export function ExportMenu<T>({ name, list, columns }: ExportProps<T>) {
  const t = common.value;
  const [count, setCount] = useState<number>();
  const run = async (form: 'csv' | 'json') => {
    setCount(0);
    try {
      const rows: T[] = [];
      for await (const { data } of list().pages()) {
        rows.push(...data);
        setCount(rows.length);
      }
      const names = columns.map(({ id }) => id);
      const table = rows.map((row) => columns.map((column) => exportedValue(column, row)));
      const text = form === 'csv' ? csvOf(names, table) : jsonOf(names, table);
      const type = form === 'csv' ? 'text/csv' : 'application/json';
      save(new Blob([text], { type }), `${name}.${form}`);
      announce(t.exported(rows.length));
    } catch (error) {
      announceError(error);
    } finally {
      setCount(undefined);
    }
  };
  if (count !== undefined) {
    return (
      <span class="row tight soft" role="status">
        <span class="spinner" /> {t.exporting(count)}
      </span>
    );
  }
  return (
    <Menu
      label={t.export}
      items={[
        { label: t.exportCsv, icon: 'file-text', onSelect: () => void run('csv') },
        { label: t.exportJson, icon: 'file-text', onSelect: () => void run('json') },
      ]}
    >
      <Icon name="download" />
    </Menu>
  );
}

/** CSV by RFC 4180, with a byte order mark, without which Excel misreads UTF-8. */
function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [names, ...rows].map((cells) => cells.map(csvCell).join(','));
  return `\uFEFF${lines.join('\r\n')}\r\n`;
}

function csvCell(value: Cell): string {
  if (typeof value !== 'string') return String(value ?? '');
  // Spreadsheets run a text that begins so as a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function jsonOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const objects = rows.map((cells) =>
    Object.fromEntries(names.map((name, index) => [name, cells[index]])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** The addresses of saved files, which open in every tab of the browser. */
const addresses = new Set<string>();

/** Saves a file from the memory of the page. */
export function save(blob: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  addresses.add(link.href);
  link.click();
  // The browser has opened the file by then.
  setTimeout(() => revoke(link.href), 60_000);
}

function revoke(address: string): void {
  URL.revokeObjectURL(address);
  addresses.delete(address);
}

// Revoked at a lock, and when the user changes.
revision.subscribe(() => {
  for (const address of addresses) revoke(address);
});
