import type { SessionGeneration } from './credentials.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ApiResponse } from './responses.ts';

/** Returns the limiters that a 429 for the GraphQL budget closes; undefined for the rate limit. */
export type GraphqlBudget = (
  received: ApiResponse,
  generation: SessionGeneration,
) => readonly RateLimiter[] | undefined;

/** Details of a 429 for the GraphQL budget. */
interface BudgetDetails {
  readonly points: number;
  readonly remaining: number;
}

/** The path of the GraphQL endpoint. */
export const graphqlPath = '/graphql';

export const budget: GraphqlBudget = ({ error }, { graphqlLimiter }) => {
  const { points, remaining = 0 } = (error.details ?? {}) as Partial<BudgetDetails>;
  if (points === undefined) return undefined;
  // A cheaper operation may still fit, unless the number of operations is used up.
  return remaining > 0 && remaining < points ? [] : [graphqlLimiter];
};
