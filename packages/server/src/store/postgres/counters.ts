import type {
  FailureCharge,
  Reserved,
  SharedCounters,
  SharedWindows,
  SpentPoints,
} from '../counters.ts';
import type { Driver, Queries } from '../driver.ts';

const hourLength = 60 * 60 * 1000;

/** What is used of a window. A later window of another process, whose clock is ahead, counts too. */
const used = (window: 'hour' | 'minute') =>
  `CASE WHEN w.${window} >= excluded.${window} THEN w.in_${window} ELSE 0 END`;

/** What a reservation gets of a window. */
const granted = (window: 'hour' | 'minute', suffix: 'Hour' | 'Minute') =>
  `GREATEST(0, LEAST(@wantedIn${suffix}, @maxIn${suffix} - (${used(window)})))`;

const columns = 'in_hour AS "inHour", in_minute AS "inMinute"';

const reservation = `INSERT INTO request_windows AS w
    (key, hour, in_hour, granted_in_hour, minute, in_minute, granted_in_minute)
  VALUES (@key, @hour, LEAST(@wantedInHour, @maxInHour), LEAST(@wantedInHour, @maxInHour),
    @minute, LEAST(@wantedInMinute, @maxInMinute), LEAST(@wantedInMinute, @maxInMinute))
  ON CONFLICT (key) DO UPDATE SET
    hour = GREATEST(w.hour, excluded.hour),
    in_hour = ${used('hour')} + ${granted('hour', 'Hour')},
    granted_in_hour = ${granted('hour', 'Hour')},
    minute = GREATEST(w.minute, excluded.minute),
    in_minute = ${used('minute')} + ${granted('minute', 'Minute')},
    granted_in_minute = ${granted('minute', 'Minute')}
  RETURNING ${columns}, granted_in_hour AS "grantedInHour", granted_in_minute AS "grantedInMinute"`;

const spentPoints = 'CASE WHEN w.hour >= excluded.hour THEN w.points ELSE 0 END';
const spentQueries = 'CASE WHEN w.hour >= excluded.hour THEN w.queries ELSE 0 END';

const spending = `INSERT INTO query_windows AS w (key, hour, points, queries) VALUES (@key, @hour, @points, 1)
  ON CONFLICT (key) DO UPDATE SET hour = GREATEST(w.hour, excluded.hour),
    points = ${spentPoints} + @points, queries = ${spentQueries} + 1
  WHERE ${spentPoints} + @points <= @maxPoints
    AND (CAST(@maxQueries AS BIGINT) IS NULL OR ${spentQueries} < @maxQueries)
  RETURNING points, queries`;

/** The moment at which a budget is complete again after one more failure. */
const nextCompletion = 'GREATEST(b.complete_at, @now) + @recoveryMs';

const charging = `INSERT INTO failure_budgets AS b (key, complete_at) VALUES (@key, @now + @recoveryMs)
  ON CONFLICT (key) DO UPDATE SET complete_at = ${nextCompletion}
  WHERE ${nextCompletion} <= @now + @failures * @recoveryMs`;

/** Counters as rows: each change is one statement that locks one row. */
export function createCounters(driver: Pick<Driver, 'transaction' | 'reader'>): SharedCounters {
  const { reader } = driver;
  const transaction: Driver['transaction'] = (work) => driver.transaction(work);
  return {
    windows: (key, hour, minute) =>
      reader.get<SharedWindows>(
        `SELECT in_hour AS "inHour", CASE WHEN minute >= @minute THEN in_minute ELSE 0 END AS "inMinute"
         FROM request_windows WHERE key = @key AND hour >= @hour`,
        { key, hour, minute },
      ),

    reserve: (wanted) =>
      transaction((queries) => one<Reserved>(queries.get(reservation, { ...wanted }))),

    spend: ({ key, hour, ...query }) =>
      transaction(async (queries) => {
        const spent = await queries.get<SpentPoints>(spending, { key, hour, ...query });
        if (spent) return { ...spent, fits: true };
        const all = queries.get<SpentPoints>(
          'SELECT points, queries FROM query_windows WHERE key = @key',
          { key },
        );
        return { ...(await one(all)), fits: false };
      }),

    charge: (charges, now) =>
      transaction(async (queries) => {
        const charged: FailureCharge[] = [];
        // Every transaction takes the rows in one order, so that none waits for another in a circle.
        for (const charge of charges.toSorted(byKey)) {
          const { key, failures, recoveryMs } = charge;
          if ((await queries.run(charging, { key, now, failures, recoveryMs })) === 0) {
            await refund(queries, charged);
            return { key, waitMs: await waitOf(queries, charge, now) };
          }
          charged.push(charge);
        }
        return undefined;
      }),

    refund: (charges) => transaction((queries) => refund(queries, charges.toSorted(byKey))),

    async restore(keys) {
      await transaction(async (queries) => {
        for (const key of keys.toSorted()) {
          await queries.run('DELETE FROM failure_budgets WHERE key = @key', { key });
        }
      });
    },

    removePast: ({ now, limit }) =>
      transaction(async (queries) => {
        const before = Math.floor(now / hourLength);
        const removed = [
          await queries.run(removal('request_windows', 'hour < @before'), { before, limit }),
          await queries.run(removal('query_windows', 'hour < @before'), { before, limit }),
          await queries.run(removal('failure_budgets', 'complete_at <= @now'), { now, limit }),
        ];
        return removed.some((count) => count >= limit);
      }),

    async clear() {
      await transaction(async (queries) => {
        for (const table of ['request_windows', 'query_windows', 'failure_budgets']) {
          await queries.run(`/* all rows */ DELETE FROM ${table}`);
        }
      });
    },
  };
}

function byKey(a: FailureCharge, b: FailureCharge): number {
  return a.key < b.key ? -1 : 1;
}

async function refund(queries: Queries, charges: readonly FailureCharge[]): Promise<void> {
  for (const { key, recoveryMs } of charges) {
    await queries.run(
      'UPDATE failure_budgets SET complete_at = complete_at - @recoveryMs WHERE key = @key',
      { key, recoveryMs },
    );
  }
}

async function waitOf(
  queries: Queries,
  { key, failures, recoveryMs }: FailureCharge,
  now: number,
): Promise<number> {
  const budget = await queries.get<{ completeAt: number }>(
    'SELECT complete_at AS "completeAt" FROM failure_budgets WHERE key = @key',
    { key },
  );
  const completeAt = Math.max(budget?.completeAt ?? now, now);
  return Math.max(1, completeAt + recoveryMs - now - failures * recoveryMs);
}

/** Rows that another process removes are skipped. */
function removal(table: string, isPast: string): string {
  return `DELETE FROM ${table} WHERE key IN (
    SELECT key FROM ${table} WHERE ${isPast} LIMIT @limit FOR UPDATE SKIP LOCKED)`;
}

async function one<Row>(row: Promise<Row | undefined>): Promise<Row> {
  const found = await row;
  if (found === undefined) throw new Error('the statement returned no row');
  return found;
}
