import type { Queries, Snapshots } from './driver.ts';

interface Total {
  bytes: number;
  /** The commits of other processes that were noticed when the sum was read. Undefined: it has to be read again. */
  otherWriters: number | undefined;
  readonly readAt: number;
  /** Duration of the read in milliseconds. */
  readonly readMs: number;
}

/** A sum is not read again for this many times the duration of its last read, so that reading takes at most 5 %. */
const pause = 20;

/** What a transaction has added, by instance. */
interface Changes {
  readonly transactionId: string | undefined;
  readonly added: ReadonlyMap<string, number>;
  /** Instances whose sum was read after the transaction ended: it includes the changes if they were committed. */
  readonly ended: Set<string>;
}

/**
 * The bytes that the documents of an instance use: the sum over its accounts, kept in memory. A counter in
 * the database would be a row that every account writes. After a commit of another process, the sum is read
 * again: at once on SQLite, and at a limited rate where processes share the database.
 *
 * Where transactions run at the same time, the sum is read from committed rows, and the changes that its snapshot does
 * not include are added: those of running transactions, and of transactions that were committed meanwhile.
 */
export class InstanceTotals {
  readonly #totals = new Map<string, Total>();
  readonly #running = new Set<Changes>();
  /** Committed while sums were read. */
  readonly #committed = new Set<Changes>();
  readonly #reading = new Map<string, Promise<number>>();
  #reads = 0;
  readonly #otherWriters: () => number;
  readonly #reader: Queries;
  readonly #now: () => number;

  /**
   * @param otherWriters returns a number that changes with commits of other processes
   * @param reader reads committed rows
   * @param now returns monotonic milliseconds
   */
  constructor(
    otherWriters: () => number,
    reader: Queries,
    now: () => number = () => performance.now(),
  ) {
    this.#otherWriters = otherWriters;
    this.#reader = reader;
    this.#now = now;
  }

  /** Whether transactions run at the same time, also in other processes. */
  get isShared(): boolean {
    return this.#reader.dialect.snapshots !== undefined;
  }

  /**
   * Returns the sum, or undefined when it has to be read first. A shared sum that is due is read in the background, and
   * waited for only when it is twice as old.
   */
  get(instanceId: string): number | undefined {
    const total = this.#totals.get(instanceId);
    if (!total || total.otherWriters === this.#otherWriters()) return total?.bytes;
    if (!this.isShared) return undefined;
    const age = this.#now() - total.readAt;
    if (age >= 2 * pause * total.readMs) return undefined;
    // A failed read is repeated by the next caller.
    if (age >= pause * total.readMs) this.readShared(instanceId).catch(() => undefined);
    return total.bytes;
  }

  /** Reads the sum once for all callers that wait for it. */
  readShared(instanceId: string): Promise<number> {
    const reading = this.#reading.get(instanceId);
    if (reading) return reading;
    const started = this.read(this.#reader, instanceId).finally(() =>
      this.#reading.delete(instanceId),
    );
    this.#reading.set(instanceId, started);
    return started;
  }

  /** Returns the last known sum with all changes since, of any age. 0 when none is known. */
  last(instanceId: string): number {
    return this.#totals.get(instanceId)?.bytes ?? 0;
  }

  /** @param queries of the transaction that needs the sum */
  async read(queries: Queries, instanceId: string): Promise<number> {
    const { snapshots } = this.#reader.dialect;
    this.#reads += 1;
    const startedAt = this.#now();
    try {
      const sum = await readSum(snapshots ? this.#reader : queries, instanceId);
      const bytes = sum.bytes + (snapshots ? this.#beyond(snapshots, sum, instanceId) : 0);
      const readAt = this.#now();
      const otherWriters = this.#otherWriters();
      this.#totals.set(instanceId, { bytes, otherWriters, readAt, readMs: readAt - startedAt });
      return bytes;
    } finally {
      this.#reads -= 1;
      if (this.#reads === 0) this.#committed.clear();
    }
  }

  /** Returns the changes of this process that the snapshot of a sum does not include. */
  #beyond(snapshots: Snapshots, { snapshot }: Sum, instanceId: string): number {
    let bytes = 0;
    for (const { transactionId, added, ended } of [...this.#running, ...this.#committed]) {
      if (transactionId !== undefined && snapshots.hasEnded(snapshot, transactionId)) {
        ended.add(instanceId);
      } else {
        ended.delete(instanceId);
        bytes += added.get(instanceId) ?? 0;
      }
    }
    return bytes;
  }

  /** Does nothing while the sum is unknown: reading it later includes the change. */
  add(instanceId: string, bytes: number): boolean {
    const total = this.#totals.get(instanceId);
    if (total) total.bytes += bytes;
    return total !== undefined || this.#reader.dialect.snapshots !== undefined;
  }

  begin(changes: Changes): void {
    this.#running.add(changes);
  }

  end(changes: Changes, outcome: 'committed' | 'rolled back'): void {
    this.#running.delete(changes);
    if (outcome === 'committed' && this.#reads > 0) this.#committed.add(changes);
  }

  /** Lets the next transaction read the sum again. Those that run still compare with the last one. */
  forget(instanceId: string): void {
    const total = this.#totals.get(instanceId);
    if (total) total.otherWriters = undefined;
  }

  clear(): void {
    this.#totals.clear();
  }
}

interface Sum {
  readonly bytes: number;
  /** The snapshot of the statement. Empty where transactions run one after the other. */
  readonly snapshot: string;
}

async function readSum(queries: Queries, instanceId: string): Promise<Sum> {
  const snapshot = queries.dialect.snapshots?.current ?? `''`;
  const sum = await queries.get<Sum>(
    `/* all rows */ SELECT COALESCE(SUM(total_size), 0) AS bytes, ${snapshot} AS snapshot
     FROM account_usage WHERE instance_id = @instanceId`,
    { instanceId },
  );
  if (!sum) throw new Error('a sum has one row');
  return sum;
}

/** The totals as one view of the database sees them, and as one transaction changes them. */
export class InstanceLedger {
  readonly #totals: InstanceTotals;
  readonly #transaction: Queries | undefined;
  readonly #read = new Set<string>();
  readonly added = new Map<string, number>();
  readonly ended = new Set<string>();

  /** @param transaction its queries. Default: the ledger reads committed rows, and keeps no sum */
  constructor(totals: InstanceTotals, transaction?: Queries) {
    this.#totals = totals;
    this.#transaction = transaction;
    if (transaction) totals.begin(this);
  }

  get transactionId(): string | undefined {
    return this.#transaction?.transactionId;
  }

  /** Returns the used bytes, with the changes of this transaction. */
  async usedBytes(queries: Queries, instanceId: string): Promise<number> {
    const known = this.#totals.get(instanceId);
    if (known !== undefined) return known;
    if (this.#totals.isShared) return this.#totals.readShared(instanceId);
    if (!this.#transaction) return (await readSum(queries, instanceId)).bytes;
    this.#read.add(instanceId);
    return this.#totals.read(queries, instanceId);
  }

  /**
   * Adds a change right after its statement, before the next statement.
   *
   * @param most the used bytes that a growth must not exceed, together with transactions that run at the same time
   * @returns false when the change would exceed them. Nothing is added
   */
  add(instanceId: string, bytes: number, most = Number.POSITIVE_INFINITY): boolean {
    // The sum that this transaction has read can be outdated by now. Only reading it again would be more exact.
    if (this.#totals.last(instanceId) + bytes > most) return false;
    if (this.#totals.add(instanceId, bytes)) {
      this.added.set(instanceId, (this.added.get(instanceId) ?? 0) + bytes);
    }
    return true;
  }

  /** Notes that the transaction was committed. */
  settle(): void {
    this.#totals.end(this, 'committed');
  }

  /** Takes the changes of a transaction back that was rolled back. Later calls do nothing. */
  revert(): void {
    this.#totals.end(this, 'rolled back');
    for (const [instanceId, bytes] of this.added) {
      if (!this.ended.has(instanceId)) this.#totals.add(instanceId, -bytes);
    }
    for (const instanceId of this.#read) this.#totals.forget(instanceId);
    this.added.clear();
    this.#read.clear();
  }
}
