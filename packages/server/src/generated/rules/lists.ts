// Generated from openapi/rules/lists.ts by `npm run generate`. Do not edit.

/** Returns the form for case-insensitive comparison, of names in searches and orders and of email addresses. */
export function fold(text: string): string {
  // The lower case of sigma alone depends on its neighbours, which a search for a part of a name lacks.
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}

/** Returns the default direction of an order: times descending, everything else ascending. */
export function naturalOrder(sortBy: string): 'asc' | 'desc' {
  return sortBy.endsWith('At') ? 'desc' : 'asc';
}

/** Describes one page of a list. */
export function paginationOf(
  totalCount: number,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
) {
  const totalPages = Math.ceil(totalCount / pageSize);
  return {
    page,
    pageSize,
    totalPages,
    totalCount,
    hasNextPage: page < totalPages,
    hasPreviousPage: page > 1,
  };
}
