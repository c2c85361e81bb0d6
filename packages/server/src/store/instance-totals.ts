import type { Queries } from './driver.ts';

interface Total {
  bytes: number;
  /** The commits of other processes that were noticed when the sum was read. Undefined: it has to be read again. */
  foreignCommits: number | undefined;
}

/**
 * The bytes that the documents of an instance use: the sum over its accounts, kept in memory. A counter in
 * the database would be a row that every account writes. After a commit of another process, the sum is read
 * again.
 */
export class InstanceTotals {
  readonly #totals = new Map<string, Total>();
  /** Changes of running transactions, by instance. Only where transactions run at the same time. */
  readonly #pending = new Map<string, number>();
  readonly #foreignCommits: () => number;
  readonly #isConcurrent: boolean;

  /**
   * @param foreignCommits returns a number that changes with commits of other processes
   * @param isConcurrent whether transactions run at the same time, and do not see each other's changes
   */
  constructor(foreignCommits: () => number, isConcurrent = false) {
    this.#foreignCommits = foreignCommits;
    this.#isConcurrent = isConcurrent;
  }

  get(instanceId: string): number | undefined {
    const total = this.#totals.get(instanceId);
    return total?.foreignCommits === this.#foreignCommits() ? total.bytes : undefined;
  }

  /** Returns the last known sum with all changes since, of any age. 0 when none is known. */
  last(instanceId: string): number {
    return this.#totals.get(instanceId)?.bytes ?? 0;
  }

  /**
   * @param bytes the sum as a transaction reads it, without the changes of others that run
   * @param own the changes of this transaction
   */
  set(instanceId: string, bytes: number, own: number): void {
    const others = this.#isConcurrent ? (this.#pending.get(instanceId) ?? 0) - own : 0;
    this.#totals.set(instanceId, { bytes: bytes + others, foreignCommits: this.#foreignCommits() });
  }

  /** Does nothing while the sum is unknown: reading it later includes the change. */
  add(instanceId: string, bytes: number): boolean {
    const total = this.#totals.get(instanceId);
    if (total) total.bytes += bytes;
    if (!this.#isConcurrent) return total !== undefined;
    this.#addPending(instanceId, bytes);
    return true;
  }

  /** Notes that a transaction was committed. */
  settle(instanceId: string, bytes: number): void {
    if (this.#isConcurrent) this.#addPending(instanceId, -bytes);
  }

  #addPending(instanceId: string, bytes: number): void {
    this.#pending.set(instanceId, (this.#pending.get(instanceId) ?? 0) + bytes);
  }

  /** Lets the next transaction read the sum again. Those that run still compare with the last one. */
  forget(instanceId: string): void {
    const total = this.#totals.get(instanceId);
    if (total) total.foreignCommits = undefined;
  }

  clear(): void {
    this.#totals.clear();
  }
}

/** The totals as one view of the database sees them, and as one transaction changes them. */
export class InstanceLedger {
  readonly #totals: InstanceTotals;
  readonly #isTransaction: boolean;
  readonly #read = new Set<string>();
  readonly #added = new Map<string, number>();

  /** @param view committed rows do not include the running transactions, so their sum is not kept */
  constructor(totals: InstanceTotals, view: 'committed' | 'transaction') {
    this.#totals = totals;
    this.#isTransaction = view === 'transaction';
  }

  /** Returns the used bytes, with the changes of this transaction. */
  async usedBytes(queries: Queries, instanceId: string): Promise<number> {
    const known = this.#totals.get(instanceId);
    if (known !== undefined) return known;
    const sum = await queries.get<{ bytes: number }>(
      `/* all rows */ SELECT COALESCE(SUM(total_size), 0) AS bytes FROM account_usage
       WHERE instance_id IN (@instanceId)`,
      { instanceId },
    );
    const bytes = sum?.bytes ?? 0;
    if (this.#isTransaction) {
      this.#totals.set(instanceId, bytes, this.#added.get(instanceId) ?? 0);
      this.#read.add(instanceId);
    }
    return bytes;
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
      this.#added.set(instanceId, (this.#added.get(instanceId) ?? 0) + bytes);
    }
    return true;
  }

  /** Notes that the transaction was committed. */
  settle(): void {
    for (const [instanceId, bytes] of this.#added) this.#totals.settle(instanceId, bytes);
    this.#added.clear();
  }

  /** Takes the changes of a transaction back that was rolled back. Later calls do nothing. */
  revert(): void {
    for (const [instanceId, bytes] of this.#added) this.#totals.add(instanceId, -bytes);
    for (const instanceId of this.#read) this.#totals.forget(instanceId);
    this.#added.clear();
    this.#read.clear();
  }
}
