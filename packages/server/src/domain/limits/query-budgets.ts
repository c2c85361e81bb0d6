import type { Clock } from '../../clock.ts';
import type { SharedCounters } from '../../store/counters.ts';
import type { Tier } from '../shapes.ts';

/** Limits per hour. */
export interface QueryLimits {
  readonly pointsPerHour: number;
  /** Infinity: limited by points only. */
  readonly queriesPerHour: number;
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

/** Counts the cost of queries per account and clock hour. */
export interface QueryBudgets {
  /** Maximum points of one query for a tier. */
  most(tier: Tier): number;
  /** Spends the points of one query atomically, unless the budget is too small. */
  spend(key: string, tier: Tier, points: number): Promise<QueryBudget>;
  /** Forgets everything that was counted. */
  clear(): Promise<void>;
}

interface Spent {
  points: number;
  queries: number;
}

const hourLength = 60 * 60 * 1000;

/** Query budgets of one process. Keys are the accounts that sent a query in this hour. */
export function createQueryBudgets(
  clock: Clock,
  limits: Readonly<Record<Tier, QueryLimits>>,
): QueryBudgets {
  const accounts = new Map<string, Spent>();
  let currentHour = 0;

  function spentBy(key: string, now: number): Spent {
    const hour = Math.floor(now / hourLength);
    if (hour !== currentHour) {
      // All budgets reset at the same moment.
      accounts.clear();
      currentHour = hour;
    }
    const spent = accounts.get(key) ?? { points: 0, queries: 0 };
    accounts.set(key, spent);
    return spent;
  }

  return {
    most: (tier) => limits[tier].pointsPerHour,

    async spend(key, tier, points) {
      const now = clock.now();
      const { pointsPerHour, queriesPerHour } = limits[tier];
      const spent = spentBy(key, now);
      const fits = spent.points + points <= pointsPerHour && spent.queries < queriesPerHour;
      if (fits) {
        spent.points += points;
        spent.queries += 1;
      }
      return budgetOf(limits[tier], { ...spent, fits }, now);
    },

    clear: async () => accounts.clear(),
  };
}

/** Query budgets of several processes with one database. */
export function createSharedQueryBudgets(
  clock: Clock,
  limits: Readonly<Record<Tier, QueryLimits>>,
  store: Pick<SharedCounters, 'spend'>,
): QueryBudgets {
  return {
    most: (tier) => limits[tier].pointsPerHour,

    async spend(key, tier, points) {
      const now = clock.now();
      const { pointsPerHour: maxPoints, queriesPerHour } = limits[tier];
      const spent = await store.spend({
        key,
        hour: Math.floor(now / hourLength),
        points,
        maxPoints,
        maxQueries: queriesPerHour === Number.POSITIVE_INFINITY ? null : queriesPerHour,
      });
      return budgetOf(limits[tier], spent, now);
    },

    // The table is cleared with the other counters.
    clear: async () => undefined,
  };
}

function budgetOf(
  { pointsPerHour, queriesPerHour }: QueryLimits,
  { points, queries, fits }: Spent & { readonly fits: boolean },
  now: number,
): QueryBudget {
  const resetAt = (Math.floor(now / hourLength) + 1) * hourLength;
  return {
    limit: pointsPerHour,
    remaining: Math.max(0, pointsPerHour - points),
    queriesLeft: Math.max(0, queriesPerHour - queries),
    resetAt,
    retryAfter: fits ? undefined : Math.ceil((resetAt - now) / 1000),
  };
}
