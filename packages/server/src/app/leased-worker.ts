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
  #timer: NodeJS.Timeout | undefined;
  /** Stops the worker when the lease is not renewed, also while a renewal gets no response. */
  #expiry: NodeJS.Timeout | undefined;
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
    clearTimeout(this.#expiry);
    await this.#worker?.close(graceMs);
    try {
      await this.#options.leases.release(this.#lease);
    } catch (err) {
      this.#options.log.warn({ err }, 'the lease of deliveries was not released and will expire');
    }
  }

  /** Takes or renews the lease, and starts or stops the worker accordingly. */
  async #look(): Promise<void> {
    let isHeld = false;
    try {
      isHeld = await this.#hold();
    } catch (err) {
      this.#options.log.warn({ err }, 'the lease of deliveries was not renewed');
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => {
        this.#looking = this.#look();
      },
      isHeld ? renewalMs : retryMs,
    );
    this.#timer.unref();
  }

  /** @returns whether this process has the lease and delivers */
  async #hold(): Promise<boolean> {
    // The lease lasts from a later moment on.
    const stopAt = performance.now() + safeMs;
    const isTaken = await this.#options.leases.take(this.#lease);
    if (this.#isClosed) return false;
    const leftMs = stopAt - performance.now();
    const isHeld = isTaken && leftMs > 0;
    if (isHeld) this.#begin(leftMs);
    else await this.#end();
    return isHeld;
  }

  #begin(leftMs: number): void {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => void this.#expire(), leftMs);
    this.#expiry.unref();
    if (this.#worker) return;
    this.#options.log.info('this process delivers webhooks');
    this.#worker = this.#options.start();
  }

  async #expire(): Promise<void> {
    try {
      await this.#end();
    } catch (err) {
      this.#options.log.warn({ err }, 'the deliveries that ran were not ended in order');
    }
  }

  /** Attempts that run are aborted. The process with the lease makes them again. */
  async #end(): Promise<void> {
    clearTimeout(this.#expiry);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.close(0);
  }
}
