import { randomUUID } from 'node:crypto';
import type { Worker } from '../delivery/worker.ts';
import type { Leases } from '../store/driver.ts';

/** Milliseconds that a killed process keeps the lease. */
const durationMs = 30_000;

/** Milliseconds between two renewals of the lease. */
const renewalMs = 10_000;

/** Milliseconds between two tries to take the lease. */
const retryMs = 2_000;

/**
 * Milliseconds after the last renewal at which the worker stops. Attempts that run then end before another process
 * can have the lease.
 */
const safeMs = 20_000;

export interface LeasedWorkerOptions {
  readonly leases: Leases;
  readonly start: () => Worker;
  readonly log: {
    warn(facts: object, message: string): void;
    info(message: string): void;
  };
}

/**
 * A worker that runs while this process has the lease of deliveries. Several processes share a database, and one of
 * them delivers, so that the limits of webhooks and hosts hold. Another one takes over within 35 seconds when it is
 * killed, and at once when it is closed.
 *
 * The times are those of the machine: a test clock does not move a lease.
 */
export function startLeasedWorker(options: LeasedWorkerOptions): Worker {
  return new LeasedWorker(options);
}

class LeasedWorker implements Worker {
  readonly #options: LeasedWorkerOptions;
  readonly #lease = { name: 'deliveries', holder: randomUUID(), durationMs };
  /** The last look for the lease. */
  #looking: Promise<void>;
  #worker: Worker | undefined;
  #renewedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LeasedWorkerOptions) {
    this.#options = options;
    this.#looking = this.#look();
  }

  wake(): void {
    this.#worker?.wake();
  }

  isInFlight(webhookId: string, deliveryId: string): boolean {
    return this.#worker?.isInFlight(webhookId, deliveryId) ?? false;
  }

  isServed(webhookId: string): boolean {
    return this.#worker?.isServed(webhookId) ?? false;
  }

  async settled(): Promise<void> {
    await this.#looking;
    await this.#worker?.settled();
  }

  async close(graceMs?: number): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    clearTimeout(this.#timer);
    if (this.#worker === undefined) return;
    await this.#worker.close(graceMs);
    try {
      await this.#options.leases.release(this.#lease);
    } catch (err) {
      this.#options.log.warn({ err }, 'the lease of deliveries was not released and will expire');
    }
  }

  /** Takes or renews the lease, and starts or stops the worker accordingly. */
  async #look(): Promise<void> {
    const { leases, log } = this.#options;
    const askedAt = performance.now();
    try {
      if (await leases.take(this.#lease)) {
        this.#renewedAt = askedAt;
        this.#begin();
      } else await this.#end();
    } catch (err) {
      log.warn({ err }, 'the lease of deliveries was not renewed');
      if (performance.now() - this.#renewedAt > safeMs) await this.#end();
    }
    if (this.#isClosed) return;
    const pause = this.#worker && this.#renewedAt === askedAt ? renewalMs : retryMs;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look();
    }, pause);
    this.#timer.unref();
  }

  #begin(): void {
    if (this.#worker || this.#isClosed) return;
    this.#options.log.info('this process delivers webhooks');
    this.#worker = this.#options.start();
  }

  /** Attempts that run are aborted. The process with the lease makes them again. */
  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.close(0);
  }
}
