// Expected replies, for `expect(reply).toMatchObject(…)`.

/** VALIDATION_ERROR whose first violation is this one. */
export const invalid = (field: string, constraint: string) => ({
  status: 400,
  body: { error: { code: 'VALIDATION_ERROR', details: { field, constraint } } },
});

/** NOT_FOUND with the requested ids. */
export const missing = (details: Readonly<Record<string, string>> = {}) => ({
  status: 404,
  body: { error: { code: 'NOT_FOUND', details } },
});

export const emptyPage = {
  status: 200,
  body: {
    data: [],
    pagination: {
      page: 1,
      totalPages: 0,
      totalCount: 0,
      hasNextPage: false,
      hasPreviousPage: false,
    },
  },
};
