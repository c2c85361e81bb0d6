import type { Clock } from '../../clock.ts';
import type { Tier } from '../shapes.ts';
import type { Soon } from './rate-limits.ts';

/** What queries may cost in an hour. */
export interface QueryLimits {
  readonly pointsPerHour: number;
  /** Infinity: as many as there are points for. */
  readonly queriesPerHour: number;
}

/** How a key stands in its hour. */
export interface QueryBudget {
  /** Points per hour. */
  readonly limit: number;
  /** Points left in this hour. */
  readonly remaining: number;
  /** Queries left in this hour; Infinity where they are not counted. */
  readonly queriesLeft: number;
  /** The end of the hour, epoch milliseconds. */
  readonly resetAt: number;
  /** Whole seconds to wait, when this query is more than what is left; otherwise undefined. */
  readonly retryAfter: number | undefined;
}

/** Counts what queries cost, by account, in the hour as the clock has it. */
export interface QueryBudgets {
  /** The most points that one query of this tier can cost. */
  most(tier: Tier): number;
  /** Takes the points of one query, in one step, unless there are fewer left or the queries are used up. */
  spend(key: string, tier: Tier, points: number): Soon<QueryBudget>;
  /** Forgets everything that was counted. */
  clear(): Soon<void>;
}

interface Spent {
  points: number;
  queries: number;
}

const hourLength = 60 * 60 * 1000;

/** Budgets of one process. Its keys are accounts that have asked something in this hour. */
export function createQueryBudgets(
  clock: Clock,
  limits: Readonly<Record<Tier, QueryLimits>>,
): QueryBudgets {
  const accounts = new Map<string, Spent>();
  let currentHour = 0;

  function spentBy(key: string, now: number): Spent {
    const hour = Math.floor(now / hourLength);
    if (hour !== currentHour) {
      // Every budget begins anew at the same moment.
      accounts.clear();
      currentHour = hour;
    }
    const spent = accounts.get(key) ?? { points: 0, queries: 0 };
    accounts.set(key, spent);
    return spent;
  }

  return {
    most: (tier) => limits[tier].pointsPerHour,

    spend(key, tier, points) {
      const now = clock.now();
      const { pointsPerHour, queriesPerHour } = limits[tier];
      const resetAt = (Math.floor(now / hourLength) + 1) * hourLength;
      const spent = spentBy(key, now);
      const fits = spent.points + points <= pointsPerHour && spent.queries < queriesPerHour;
      if (fits) {
        spent.points += points;
        spent.queries += 1;
      }
      return {
        limit: pointsPerHour,
        remaining: Math.max(0, pointsPerHour - spent.points),
        queriesLeft: queriesPerHour - spent.queries,
        resetAt,
        retryAfter: fits ? undefined : Math.ceil((resetAt - now) / 1000),
      };
    },

    clear: () => accounts.clear(),
  };
}
