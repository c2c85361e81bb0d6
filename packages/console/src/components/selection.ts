import { useState } from 'preact/hooks';

/** The selected rows of a table. */
export type Selection = ReturnType<typeof useSelection>;

export function useSelection() {
  const [state, setState] = useState<{ ids: ReadonlySet<string>; last?: string }>({
    ids: new Set(),
  });
  return {
    ids: state.ids,
    /**
     * Selects a row, or no longer.
     *
     * @param order - the rows of the page: those between the last one and this one follow it
     */
    toggle(id: string, order?: readonly string[]): void {
      const isSelected = !state.ids.has(id);
      const [from, to] = [order?.indexOf(state.last ?? id) ?? -1, order?.indexOf(id) ?? -1];
      const range =
        order && from >= 0 && to >= 0
          ? order.slice(Math.min(from, to), Math.max(from, to) + 1)
          : [id];
      setState({ ids: withIds(state.ids, range, isSelected), last: id });
    },
    setAll: (ids: readonly string[], isSelected: boolean) =>
      setState({ ids: withIds(state.ids, ids, isSelected) }),
    // Without a selection, nothing renders again.
    clear: () =>
      setState((present) => (present.ids.size || present.last ? { ids: new Set() } : present)),
  };
}

function withIds(
  present: ReadonlySet<string>,
  ids: readonly string[],
  isSelected: boolean,
): ReadonlySet<string> {
  return isSelected ? new Set([...present, ...ids]) : present.difference(new Set(ids));
}
