import type { Clock } from '../../lib/clock.ts';
import type { QueryPoints, SpentPoints } from '../../store/counters.ts';
import type { Tier } from '../shapes.ts';
import { hourLength, type Windows } from './windows.ts';

/** Limits per hour. */
export interface QueryLimits {
  readonly graphqlPoints: Readonly<Record<Tier, number>>;
  /** The other tiers are limited by points only. */
  readonly freeGraphqlQueries: number;
}

/** The budget of a key in the current hour. */
export interface QueryBudget {
  /** Points per hour. */
  readonly limit: number;
  /** Points left in this hour. */
  readonly remaining: number;
  /** Queries left in this hour; Infinity where they are not counted. */
  readonly queriesLeft: number;
  /** The end of the hour, epoch milliseconds. */
  readonly resetAt: number;
  /** Whole seconds to wait when the query exceeds the budget; otherwise undefined. */
  readonly retryAfter: number | undefined;
}

export type QueryBudgets = ReturnType<typeof createQueryBudgets>;

/** Counts the cost of queries per account and clock hour. */
export function createQueryBudgets(
  clock: Clock,
  { graphqlPoints, freeGraphqlQueries }: QueryLimits,
  windows: Pick<Windows, 'spend'>,
) {
  return {
    /** Maximum points of one query for a tier. */
    most: (tier: Tier): number => graphqlPoints[tier],

    /** Spends the points of one query atomically, unless the budget is too small. */
    async spend(key: string, tier: Tier, points: number): Promise<QueryBudget> {
      const now = clock.now();
      const maxPoints = graphqlPoints[tier];
      const maxQueries = tier === 'free' ? freeGraphqlQueries : null;
      const spent = await windows.spend({
        key,
        hour: Math.floor(now / hourLength),
        points,
        maxPoints,
        maxQueries,
      });
      return budgetOf({ maxPoints, maxQueries }, spent, now);
    },
  };
}

function budgetOf(
  { maxPoints, maxQueries }: Pick<QueryPoints, 'maxPoints' | 'maxQueries'>,
  { points, queries, fits }: SpentPoints & { readonly fits: boolean },
  now: number,
): QueryBudget {
  const resetAt = (Math.floor(now / hourLength) + 1) * hourLength;
  return {
    limit: maxPoints,
    remaining: Math.max(0, maxPoints - points),
    queriesLeft: Math.max(0, (maxQueries ?? Number.POSITIVE_INFINITY) - queries),
    resetAt,
    retryAfter: fits ? undefined : Math.ceil((resetAt - now) / 1000),
  };
}
