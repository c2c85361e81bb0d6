import { randomUUID } from 'node:crypto';
import type { Worker } from '../delivery/worker.ts';
import type { Leases } from '../store/driver.ts';
import { WebhookLeases } from './webhook-leases.ts';

/** Milliseconds between two renewals of the leases. */
const renewalMs = 10_000;

/** Milliseconds until a failed renewal is tried again. */
const retryMs = 2_000;

/**
 * Milliseconds after the last renewal at which the worker stops. Its attempts end before another process can have
 * the leases.
 */
const safeMs = 20_000;

export interface LeasedWorkerOptions {
  readonly leases: Leases;
  /** @param claim takes webhooks for this process, and returns those that the worker may serve */
  readonly start: (claim: WebhookLeases['claim']) => Worker;
  readonly log: { warn(facts: object, message: string): void };
}

/**
 * A worker that serves webhooks whose leases this process has. Several processes share a database, and one at a time
 * serves a webhook, so that the limits of webhooks hold. Another one takes over within 35 seconds when it is killed,
 * and within seconds when it is closed.
 *
 * The times are those of the machine: a test clock does not move a lease.
 */
export function startLeasedWorker(options: LeasedWorkerOptions): Worker {
  return new LeasedWorker(options);
}

class LeasedWorker implements Worker {
  readonly #options: LeasedWorkerOptions;
  /** Undefined while the worker of a lost term ends. */
  #term: LeaseTerm | undefined;
  #replacing: Promise<void> | undefined;
  /** Releases the leases of the last lost term. */
  #releasing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: LeasedWorkerOptions) {
    this.#options = options;
    this.#begin();
  }

  wake(): void {
    this.#term?.worker.wake();
  }

  isInFlight(webhookId: string, deliveryId: string): boolean {
    return this.#term?.worker.isInFlight(webhookId, deliveryId) ?? false;
  }

  isServed(webhookId: string): boolean {
    if (!this.#term) return false;
    const { worker, leases } = this.#term;
    return worker.isServed(webhookId) || leases.isElsewhere(webhookId);
  }

  isIdle(webhookId: string): boolean {
    return this.#term?.worker.isIdle(webhookId) ?? true;
  }

  async settled(): Promise<void> {
    await this.#replacing;
    await this.#term?.worker.settled();
  }

  async close(graceMs?: number): Promise<void> {
    this.#isClosed = true;
    await this.#replacing;
    const term = this.#term;
    await term?.end(graceMs);
    await Promise.all([this.#releasing, term && this.#release(term)]);
  }

  #begin(): void {
    if (this.#isClosed) return;
    this.#term = new LeaseTerm(this.#options, (term) => {
      if (this.#term !== term || this.#isClosed) return;
      this.#term = undefined;
      this.#replacing = this.#replace(term);
    });
  }

  /** Attempts that run are aborted. The process that claims their webhooks makes them again. */
  async #replace(lost: LeaseTerm): Promise<void> {
    try {
      await lost.end(0);
    } catch (err) {
      this.#options.log.warn({ err }, 'the deliveries that ran were not ended in order');
    }
    this.#begin();
    // Only awaited by `close`: it waits for a renewal that still runs.
    this.#releasing = this.#release(lost);
  }

  async #release({ leases }: LeaseTerm): Promise<void> {
    try {
      await leases.close();
    } catch (err) {
      this.#options.log.warn({ err }, 'the leases of webhooks were not released and will expire');
    }
  }
}

/** The time from one loss of leases to the next. */
class LeaseTerm {
  readonly leases: WebhookLeases;
  readonly worker: Worker;
  readonly #onLost: () => void;
  readonly #log: LeasedWorkerOptions['log'];
  #timer: NodeJS.Timeout | undefined;
  /** Ends the term when the leases are not renewed, also while a renewal gets no response. */
  #expiry: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor({ leases, start, log }: LeasedWorkerOptions, onLost: (term: LeaseTerm) => void) {
    this.#log = log;
    this.#onLost = () => onLost(this);
    // A late renewal of an earlier term must not change the leases of this one.
    const holder = randomUUID();
    this.leases = new WebhookLeases({ leases, holder, onRetryDue: () => this.worker.wake() });
    this.worker = start((webhookIds) => this.leases.claim(webhookIds));
    this.#prolong(safeMs);
    this.#renewIn(renewalMs);
  }

  /** @param graceMs milliseconds for the attempts that run */
  async end(graceMs?: number): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#expiry);
    await this.worker.close(graceMs);
  }

  #renewIn(milliseconds: number): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(() => void this.#renew(), milliseconds);
    this.#timer.unref();
  }

  async #renew(): Promise<void> {
    // The leases last from a later moment on.
    const stopAt = performance.now() + safeMs;
    try {
      const isKept = await this.leases.renew((webhookId) => this.worker.isIdle(webhookId));
      if (!isKept) return this.#onLost();
      this.#prolong(stopAt - performance.now());
      this.#renewIn(renewalMs);
    } catch (err) {
      this.#log.warn({ err }, 'the leases of webhooks were not renewed');
      this.#renewIn(retryMs);
    }
  }

  #prolong(leftMs: number): void {
    clearTimeout(this.#expiry);
    if (this.#isOver) return;
    this.#expiry = setTimeout(this.#onLost, leftMs);
    this.#expiry.unref();
  }
}
