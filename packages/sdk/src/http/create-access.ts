import type { GraphqlAccess } from './access.ts';
import { apiError } from './answer.ts';
import { type Door, graphqlPath } from './door.ts';

/** Gives the package's entry for GraphQL a client's door. */
export function createAccess(door: Door, baseUrl: string): GraphqlAccess {
  const facts = { method: 'POST', path: graphqlPath } as const;
  const url = baseUrl + graphqlPath;
  return {
    url,
    ...facts,
    send: (post) => door.send(url, { ...post, ...facts }),
    error: (answer) => apiError(answer, facts),
  };
}
