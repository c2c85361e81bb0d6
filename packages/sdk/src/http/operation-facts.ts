import { type OperationFacts, operations } from '../generated/operations.ts';

/**
 * Returns the facts of an operation. One without facts has no row, and a DELETE returns nothing. Paths outside the
 * contract are those of `client.fetch` and of OAuth.
 */
export function factsOf(method: string, path: string): OperationFacts {
  const known = operations[`${method === 'HEAD' ? 'GET' : method} ${path}`];
  if (known) return known;
  return {
    ...(method === 'DELETE' && { empty: true }),
    ...(/^\/(oauth|\.well-known)\//.test(path) && { anonymous: true }),
  };
}
