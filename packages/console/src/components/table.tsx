import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../messages/common.ts';
import type { Query } from '../service/query.ts';
import { Button, IconButton } from './button.tsx';
import { type Column, exportedValue } from './column.tsx';
import { ExportMenu } from './export.tsx';
import { Icon } from './icon.tsx';
import type { ListState } from './list.ts';
import { Menu, type MenuItem } from './menu.tsx';
import { MixedCheckbox } from './mixed-checkbox.tsx';
import { Filter, type FilterChoice } from './options.tsx';
import { focusHeading } from './page.tsx';
import { Pagination } from './pagination.tsx';
import { SearchBox } from './search-box.tsx';
import type { Selection } from './selection.ts';
import { Empty, Failed } from './states.tsx';

export interface TableProps<T> {
  /** The name of the table for screen readers. */
  readonly label: string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  readonly list: ListState<T>;
  /** The property that identifies a row. @default id */
  readonly id?: keyof T;
  /** @default the exported value of the first column */
  readonly nameOf?: (row: T) => string;
  /** The order of the contract when the address has none. @default by `createdAt`, the newest first */
  readonly defaultSort?: { readonly by: string; readonly order: 'asc' | 'desc' };
  readonly actions?: (row: T) => readonly MenuItem[];
  readonly selection?: Selection;
  /** Buttons for the selected rows. */
  readonly selectionActions?: ComponentChildren;
  /** The label of the search; absent: the list has none. */
  readonly search?: string;
  readonly filters?: readonly FilterChoice[];
  /** Below the filters, such as progress. */
  readonly notice?: ComponentChildren;
  /** In the place of the table when the list has no rows at all. */
  readonly empty: ComponentChildren;
}

/** A list of the service: its state is in the address of the screen. */
export function Table<T>(props: TableProps<T>) {
  const { list, search, filters, empty, columns } = props;
  const { query, loaded, all, name, filterNames } = list;
  const { data, error } = loaded;
  const used = filterNames.filter((filter) => query.values[filter]);
  const isEmpty = data?.pagination.totalCount === 0;
  const card = useRowFocus();
  if (isEmpty && used.length === 0) {
    return (
      <div ref={card} class="card">
        {empty}
      </div>
    );
  }
  return (
    <div ref={card} class="card table-card">
      <div class={search || filters ? 'toolbar' : 'toolbar bare'}>
        {search && <SearchBox label={search} query={query} />}
        {filters?.map((filter) => (
          <Filter key={filter.name} {...filter} query={query} />
        ))}
        <span class="toolbar-end">
          <IconButton
            icon="refresh-cw"
            label={common.value.refresh}
            isBusy={loaded.isLoading}
            onClick={loaded.reload}
          />
          <ExportMenu name={name} list={all} columns={columns} />
        </span>
      </div>
      {props.notice}
      <SelectionBar {...props} />
      {isEmpty ? (
        <NothingFound query={query} names={used} />
      ) : (
        (data || error === undefined) && <Grid {...props} />
      )}
      {error !== undefined && <Failed error={error} onRetry={loaded.reload} />}
      {data && !isEmpty && <Pagination pagination={data.pagination} query={query} />}
    </div>
  );
}

/**
 * Moves the focus of a removed row to the row in its place, or to the last row. In an empty list, the button of the
 * list gets the focus, or the heading of the screen.
 */
function useRowFocus(): RefObject<HTMLDivElement | null> {
  const card = useRef<HTMLDivElement>(null);
  const rows = () => [...(card.current?.querySelectorAll('tbody tr') ?? [])];
  // The page still has the row: this rendering removes it.
  const focused = rows().findIndex((row) => row.contains(document.activeElement));
  useLayoutEffect(() => {
    if (focused < 0 || document.activeElement !== document.body) return;
    const left = rows();
    const next = left[Math.min(focused, left.length - 1)];
    const target =
      next?.querySelector<HTMLElement>('.cell-actions button') ??
      card.current?.querySelector<HTMLElement>('.empty button');
    if (target) target.focus();
    else focusHeading();
  });
  return card;
}

function NothingFound({ query, names }: { query: Query; names: readonly string[] }) {
  const t = common.value;
  const cleared = Object.fromEntries(names.map((name) => [name, undefined]));
  return (
    <Empty
      icon="search"
      title={t.nothingFound}
      action={<Button onClick={() => query.change(cleared)}>{t.clearFilters}</Button>}
    >
      {t.nothingFoundWay}
    </Empty>
  );
}

function SelectionBar<T>({ selection, selectionActions, list }: TableProps<T>) {
  const t = common.value;
  const count = selection?.ids.size ?? 0;
  return (
    <div class="selection-bar" role="status" hidden={count === 0}>
      {selection && count > 0 && (
        <>
          <span>{t.selected(String(count))}</span>
          {selectionActions}
          <IconButton
            icon="x"
            label={t.clearSelection}
            disabled={list.loaded.isLoading}
            onClick={selection.clear}
          />
        </>
      )}
    </div>
  );
}

/** Placeholder rows until the first page is loaded. */
const placeholders = Array.from({ length: 5 }, (_, index) => index);

function Grid<T>(props: TableProps<T>) {
  const { label, columns, actions, selection } = props;
  const { loaded } = props.list;
  const t = common.value;
  const rows = loaded.data?.data;
  const ids = rows?.map((row) => idOf(props, row)) ?? [];
  const width = columns.length + Number(Boolean(actions)) + Number(Boolean(selection));
  return (
    // The roles are those that `display: block` on narrow windows would remove.
    <table class="table" role="table" aria-label={label} aria-busy={loaded.isLoading}>
      <thead role="rowgroup">
        <tr role="row">
          {selection && (
            <th role="columnheader" class="cell-select">
              <MixedCheckbox
                label={t.selectAll}
                count={ids.filter((id) => selection.ids.has(id)).length}
                total={ids.length}
                onChange={(isSelected) => selection.setAll(ids, isSelected)}
              />
            </th>
          )}
          {columns.map((column) => (
            <HeaderCell key={column.id} column={column} {...props} />
          ))}
          {actions && (
            <th role="columnheader" class="cell-actions">
              <span class="visually-hidden">{t.more}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup" onKeyDown={moveBetweenRows}>
        {rows?.map((row, index) => <Row key={ids[index]} row={row} ids={ids} {...props} />) ??
          placeholders.map((index) => (
            <tr key={index} role="row" class="placeholder" aria-hidden="true">
              <td role="cell" colSpan={width}>
                <span />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function idOf<T>({ id }: TableProps<T>, row: T): string {
  return String(row[id ?? ('id' as keyof T)]);
}

const newestFirst = { by: 'createdAt', order: 'desc' } as const;

function HeaderCell<T>(props: TableProps<T> & { column: Column<T> }) {
  const { column, list, defaultSort = newestFirst } = props;
  const { id, label, sort, isNumber } = column;
  const { values, change } = list.query;
  const className = isNumber ? 'cell-number' : '';
  if (!sort) {
    return (
      <th role="columnheader" class={className}>
        {label}
      </th>
    );
  }
  const order = values.sortOrder ?? defaultSort.order;
  const isSorted = (values.sortBy ?? defaultSort.by) === id;
  const opposite = order === 'asc' ? 'desc' : 'asc';
  const direction = order === 'asc' ? 'ascending' : 'descending';
  return (
    <th role="columnheader" class={className} aria-sort={isSorted ? direction : 'none'}>
      <button
        type="button"
        class="sort"
        title={common.value.sortBy(label)}
        onClick={() => change({ sortBy: id, sortOrder: isSorted ? opposite : sort })}
      >
        {label}
        {isSorted && <Icon name={order === 'asc' ? 'arrow-up' : 'arrow-down'} size={12} />}
      </button>
    </th>
  );
}

function Row<T>(props: TableProps<T> & { row: T; ids: readonly string[] }) {
  const { row, ids, columns, nameOf, actions, selection } = props;
  const id = idOf(props, row);
  const isSelected = selection?.ids.has(id) ?? false;
  const t = common.value;
  const [first] = columns;
  const name = nameOf?.(row) ?? String(first && exportedValue(first, row));
  const items = actions?.(row);
  return (
    <tr role="row" class={isSelected ? 'selected' : ''}>
      {selection && (
        <td role="cell" class="cell-select">
          <input
            type="checkbox"
            aria-label={t.select(name)}
            checked={isSelected}
            onClick={(event) => selection.toggle(id, event.shiftKey ? ids : undefined)}
          />
        </td>
      )}
      {columns.map((column, index) => (
        <td
          key={column.id}
          role={index === 0 ? 'rowheader' : 'cell'}
          class={`${index === 0 ? 'cell-main' : ''} ${column.isNumber ? 'cell-number' : ''}`}
          data-label={column.label}
        >
          {column.cell(row)}
        </td>
      ))}
      {items && (
        <td role="cell" class="cell-actions">
          {items.length > 0 && (
            <Menu label={t.actionsOf(name)} items={items}>
              <Icon name="ellipsis" />
            </Menu>
          )}
        </td>
      )}
    </tr>
  );
}

/** The arrow keys move the focus to the same control of the next row. */
function moveBetweenRows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.defaultPrevented) return;
  const focused = event.target as Element;
  const cell = focused.closest('td');
  const row = cell?.closest('tr');
  if (!cell || !row || focused.closest('[popover]')) return;
  const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  const target =
    next?.children[[...row.children].indexOf(cell)]?.querySelector<HTMLElement>('input, a, button');
  // A button with a menu opens it by the same keys.
  if (!target || focused.getAttribute('aria-haspopup') === 'menu') return;
  event.preventDefault();
  target.focus();
}
