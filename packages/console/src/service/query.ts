import { useLocation } from 'preact-iso';

/** The state of a screen in its address: filters, order and page survive a reload and can be sent to others. */
export interface Query {
  readonly values: Readonly<Record<string, string>>;
  /** Changes values; undefined and '' remove one. The page starts again at 1 unless it is what changes. */
  change(changes: Readonly<Record<string, string | undefined>>): void;
}

export function useQuery(): Query {
  const { query, path, route } = useLocation();
  return {
    values: query,
    change(changes) {
      const { page: _, ...others } = query;
      const next = Object.entries({ ...others, ...changes }).filter(([, value]) => value);
      const search = new URLSearchParams(next as [string, string][]).toString();
      // Typing a search adds no entries to the history.
      route(search ? `${path}?${search}` : path, 'search' in changes);
    },
  };
}

/** Page and order of a list, as the contract names them. */
export function listQuery({ page, pageSize, sortBy, sortOrder }: Query['values']): {
  page?: number;
  pageSize?: number;
  sortBy?: string;
  sortOrder?: 'asc' | 'desc';
} {
  return {
    ...(isCount(page) && { page: Number(page) }),
    ...(isCount(pageSize) && { pageSize: Math.min(Number(pageSize), 100) }),
    ...(sortBy && { sortBy }),
    ...((sortOrder === 'asc' || sortOrder === 'desc') && { sortOrder }),
  };
}

/** Users can edit the address. */
function isCount(text: string | undefined): boolean {
  return /^[1-9]\d{0,6}$/.test(text ?? '');
}
