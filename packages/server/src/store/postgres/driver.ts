import { OperatorError } from '../../lib/operator-error.ts';
import type { SharedCounters } from '../counters.ts';
import type {
  CommitListener,
  CommitStatistics,
  DatabaseStatus,
  Driver,
  Leases,
  Queries,
} from '../driver.ts';
import type { ScriptRunner } from '../migrations.ts';
import { createCounters } from './counters.ts';
import { createLeases } from './leases.ts';
import { assertUsable, connectAlone, createPools, type Pools } from './pool.ts';
import { Transactions } from './transactions.ts';
import { PostgresCommitted } from './views.ts';
import { createWakeUps, type PostgresWakeUps } from './wake-ups.ts';

/** The key of the lock that `exclusively` takes: the letters `dvlt`. */
const exclusiveLock = 0x64_76_6c_74;

/**
 * Connects to a PostgreSQL database. Any number of processes can use it at the same time.
 *
 * @throws OperatorError when it cannot be reached, or has another version, encoding or setting
 */
export async function openPostgres(options: {
  /** `postgres://user:password@host:port/database`. It is secret. */
  readonly url: string;
  /** Called at most once a minute while PostgreSQL refuses further connections. Default: nothing happens. */
  readonly onRefusal?: ((error: Error) => void) | undefined;
}): Promise<PostgresDriver> {
  const { url, onRefusal = () => undefined } = options;
  const pools = createPools(url, onRefusal);
  try {
    const isolation = await assertUsable(pools, url);
    return new PostgresDriver(pools, url, isolation);
  } catch (error) {
    await endAll(pools);
    throw error;
  }
}

async function endAll({ writers, readers }: Pools): Promise<void> {
  await Promise.all([writers.end(), readers.end()]);
}

export class PostgresDriver implements Driver, ScriptRunner, DatabaseStatus {
  readonly reader: PostgresCommitted;
  readonly leases: Leases = createLeases(this);
  readonly counters: SharedCounters;
  readonly wakeUps: PostgresWakeUps;
  /** PostgreSQL reports no commits. A cache of credentials would accept revoked ones. */
  readonly revision = undefined;
  readonly #pools: Pools;
  readonly #url: string;
  readonly #transactions: Transactions;
  #closing: Promise<void> | undefined;

  constructor(pools: Pools, url: string, isolation: string) {
    this.#pools = pools;
    this.#url = url;
    this.reader = new PostgresCommitted(pools.readers);
    this.#transactions = new Transactions(pools.writers, isolation);
    this.counters = createCounters(this);
    this.wakeUps = createWakeUps(pools.writers, () => connectAlone(url));
  }

  get otherWriters(): number {
    return Math.floor(performance.now() / 1000);
  }

  get statistics(): CommitStatistics {
    return this.#transactions.statistics;
  }

  onCommit(listener: CommitListener): void {
    this.#transactions.onCommit = listener;
  }

  transaction<T>(work: (queries: Queries) => Promise<T>, row?: string): Promise<T> {
    return this.#transactions.run(work, row);
  }

  runScript(sql: string, record: (queries: Queries) => Promise<void>): Promise<void> {
    return this.#transactions.runScript(async (view) => {
      await view.script(sql);
      await record(view);
    });
  }

  /**
   * Settles events that a dump of another server has brought with it: its transactions can have greater numbers than
   * any that has ended here.
   */
  async adoptEvents(): Promise<void> {
    await this.transaction((queries) =>
      queries.run(
        'UPDATE events SET tx = 0 WHERE tx >= CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)',
      ),
    );
  }

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const client = await connectAlone(this.#url);
    const lost = Promise.withResolvers<never>();
    // The end after the work is no failure.
    lost.promise.catch(() => undefined);
    client.once('end', () =>
      lost.reject(
        new OperatorError(
          'The connection to PostgreSQL that kept other processes out has ended. Run the command again.',
        ),
      ),
    );
    try {
      await client.query(`SELECT pg_advisory_lock(${exclusiveLock})`);
      return await Promise.race([work(), lost.promise]);
    } finally {
      // Ending the session releases the lock.
      await client.end();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#transactions.drain();
    await this.wakeUps.close();
    await endAll(this.#pools);
  }
}
