import type { Graphql, GraphqlOptions } from '../graphql/engine.ts';

/**
 * Wires GraphQL when it is asked for: reading its library and its schema takes as long as half of the
 * rest of a start.
 */
export function graphqlLoader(options: GraphqlOptions): () => Promise<Graphql> {
  let loading: Promise<Graphql> | undefined;
  return () => {
    loading ??= import('../graphql/engine.ts').then(({ createGraphql }) => createGraphql(options));
    return loading;
  };
}
