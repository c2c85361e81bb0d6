import type { Clock } from '../clock.ts';
import type { DeliveriesUnderWay } from '../domain/webhooks/backlog.ts';
import type {
  AttemptResult,
  Deliveries,
  QueuedDelivery,
} from '../store/repositories/deliveries.ts';
import type { Attempt, MadeAttempt } from './attempt.ts';
import { Turns } from './fair-queue.ts';
import { type Destination, Hosts, type HostsOptions, type Pass } from './hosts.ts';
import { AttemptLog, type AttemptStore } from './result-batcher.ts';
import { outcomeOf, type Schedule } from './schedule.ts';
import { Lanes } from './webhook-limiter.ts';

/** What the worker needs of the store. */
export interface DeliveryStore extends AttemptStore {
  /** A view for reading. */
  readonly deliveries: Pick<Deliveries, 'queues' | 'first' | 'findQueued'>;
}

export interface WorkerLog {
  error(facts: object, message: string): void;
  info(facts: object, message: string): void;
}

export interface WorkerOptions {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly attempt: Attempt;
  readonly schedule: Schedule;
  /** Where the worker says what it is about. */
  readonly underWay: DeliveriesUnderWay;
  /** The most attempts at once. */
  readonly concurrency: number;
  /** The most attempts at once for one webhook. */
  readonly concurrencyPerWebhook: number;
  /** The limits of what is sent to one host. */
  readonly hosts: Omit<HostsOptions, 'clock' | 'onRoom'>;
  readonly log: WorkerLog;
  /** Called for each attempt once it is durable. */
  readonly onRecorded?: (result: AttemptResult) => void;
}

export interface Worker {
  /** Looks for due deliveries: after a commit that made some, or that switched a webhook on. Cheap. */
  wake(): void;
  /** Resolves when nothing that is due is left and nothing runs. */
  settled(): Promise<void>;
  /**
   * Starts nothing more, waits for the attempts that run and aborts those that run after the grace;
   * an aborted attempt does not count and is made again after the next start.
   *
   * @param graceMs milliseconds; default 5,000
   */
  close(graceMs?: number): Promise<void>;
}

/** Milliseconds until the store is read again after it has failed. */
const storePause = 1_000;
/** Attempts that have ended and may be unrecorded at once: what a crash repeats at most, beside those that run. */
const mostUnrecorded = 256;

/** Starts delivering, with what an earlier process left due. */
export function startWorker(options: WorkerOptions): Worker {
  const worker = new DeliveryWorker(options);
  worker.wake();
  return worker;
}

class DeliveryWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #lanes: Lanes;
  readonly #turns: Turns;
  readonly #hosts: Hosts;
  readonly #attempts: AttemptLog;
  readonly #closing = new AbortController();
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #settledWaiters: (() => void)[] = [];
  #closed = false;
  #wanted = false;
  /** The last look found too little room. */
  #isFull = false;
  #looking: Promise<void> | undefined;
  /** The store could not be read; the alarm brings another try. */
  #stalled = false;

  constructor(options: WorkerOptions) {
    const { store, clock, log } = options;
    this.#options = options;
    this.#lanes = new Lanes({ limit: options.concurrencyPerWebhook });
    this.#hosts = new Hosts({
      ...options.hosts,
      clock,
      onRoom: (webhookId) => this.#onRoom(webhookId),
    });
    this.#turns = new Turns({
      deliveries: store.deliveries,
      clock,
      isWaiting: (webhookId) => this.#hosts.isWaiting(webhookId),
      onNews: () => this.wake(),
    });
    this.#attempts = new AttemptLog({
      store,
      clock,
      log,
      expectsMore: () => this.#lanes.running > 0,
      onRecorded: (results) => this.#onRecorded(results),
    });
  }

  wake(): void {
    this.#turns.announceNews();
    this.#lookSoon();
  }

  /** For who stands in line, and for news. */
  #lookSoon(): void {
    if (this.#closed) return;
    this.#wanted = true;
    this.#looking ??= this.#lookWhileWanted();
  }

  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settledWaiters.push(resolve);
      this.wake();
      this.#noteSettled();
    });
  }

  async close(graceMs = 5_000): Promise<void> {
    this.#closing.abort();
    this.#turns.close();
    this.#hosts.close();
    this.#lanes.clear();
    const grace = setTimeout(() => this.#stop.abort(), graceMs);
    await Promise.all(this.#running);
    clearTimeout(grace);
    await this.#looking;
    await this.#attempts.close();
    this.#closed = true;
    this.#noteSettled();
  }

  /** One look after the other, until nobody has asked for one meanwhile. */
  async #lookWhileWanted(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false;
      try {
        await this.#look();
        this.#stalled = false;
      } catch (error) {
        this.#stall(error);
      }
    }
    this.#looking = undefined;
    this.#noteSettled();
  }

  #stall(error: unknown): void {
    this.#stalled = true;
    // What was being looked for may stand in no line any more.
    this.#turns.announceNews();
    this.#options.log.error({ err: error }, 'the store failed; deliveries wait');
    this.#turns.newsAt(this.#options.clock.now() + storePause);
  }

  /** Takes up what is due, webhook after webhook, as far as there is room. */
  async #look(): Promise<void> {
    // Whatever runs, or is recorded, asks again when it is done.
    this.#isFull = this.#room() === 0;
    if (this.#isFull) return;
    await this.#turns.hearNews();
    let room = this.#room();
    const isCrowded = this.#lanes.couldUseMore(this.#turns.waiting, room);
    while (room > 0 || !isCrowded) {
      const webhookId = this.#turns.next();
      if (webhookId === undefined) break;
      // Its host refused it after it had joined the line, and calls it when there is room.
      if (this.#hosts.isWaiting(webhookId)) continue;
      room -= await this.#serve(webhookId, isCrowded ? room : undefined);
    }
    this.#isFull = room <= 0;
    this.#startReady();
    // Some may have ended, or been recorded, while the store was asked.
    this.#wanted ||= this.#isFull && this.#room() > 0;
  }

  /**
   * Where others wait for room, a webhook takes from its stock and then stands in line again.
   *
   * @param room undefined: enough for all that stand in line
   * @returns how many attempts that makes, as far as they may run
   */
  async #serve(webhookId: string, room?: number): Promise<number> {
    const allowed = this.#lanes.free(webhookId);
    const free = Math.min(room ?? allowed, allowed);
    // Where others wait for the same host, nothing is read that the host may not take.
    const isShort = (room !== undefined && free === 0) || this.#hosts.isCalled(webhookId);
    const wanted = free + (isShort ? 0 : this.#lanes.shortage(webhookId));
    const taken = wanted > 0 ? await this.#stockInTurn(webhookId, wanted) : 0;
    if (taken === 0) this.#hosts.decline(webhookId);
    if (taken === wanted && free < allowed) this.#turns.add(webhookId);
    return Math.min(free, taken);
  }

  /** A webhook keeps its turn when the store fails, since its host may have a place kept for it. */
  async #stockInTurn(webhookId: string, wanted: number): Promise<number> {
    try {
      return await this.#stock(webhookId, wanted);
    } catch (error) {
      this.#turns.add(webhookId);
      throw error;
    }
  }

  /** Makes ready the first that are due and not held yet; answers how many those are. */
  async #stock(webhookId: string, wanted: number): Promise<number> {
    const { store, clock } = this.#options;
    const now = clock.now();
    // From before the query: what is released meanwhile has changed behind its back.
    const held = this.#lanes.held(webhookId);
    const first = await store.deliveries.first(webhookId, held.size + wanted);
    const others = first.filter(({ id }) => !held.has(id)).slice(0, wanted);
    const due = others.filter(({ dueAt }) => dueAt <= now);
    const later = others[due.length];
    if (later !== undefined) this.#turns.newsAt(later.dueAt);
    const [next] = due;
    if (next !== undefined) {
      const ids = due.map(({ id }) => id);
      this.#lanes.add(webhookId, next, ids);
    }
    return due.length;
  }

  /** How many more attempts may run. What the store refuses takes room, so that it does not pile up. */
  #room(): number {
    if (this.#closing.signal.aborted || this.#attempts.size >= mostUnrecorded) return 0;
    const { concurrency } = this.#options;
    return Math.max(0, concurrency - this.#lanes.running - this.#attempts.refused);
  }

  #startReady(): void {
    const enter = (webhookId: string, destination: Destination) =>
      this.#enter(webhookId, destination);
    for (const { id, webhookId, pass } of this.#lanes.take(this.#room(), enter)) {
      this.#options.underWay.add(id, webhookId);
      const run = this.#run(id, webhookId, pass).finally(() => {
        this.#running.delete(run);
        this.#noteSettled();
      });
      this.#running.add(run);
    }
  }

  async #run(id: string, webhookId: string, pass: Pass): Promise<void> {
    let attempt: MadeAttempt | undefined;
    try {
      const delivery = await this.#find(id);
      // Its webhook may have got the URL of another host meanwhile.
      if (delivery !== undefined && this.#hosts.leadsTo(delivery.url, pass)) {
        attempt = await this.#attempt(delivery);
        if (!this.#stop.signal.aborted) return this.#end(delivery, attempt, pass);
      }
    } catch (error) {
      this.#stall(error);
    }
    this.#hosts.leave(pass, undefined);
    this.#lanes.end(webhookId, Number.POSITIVE_INFINITY);
    this.#leave(id, webhookId);
    if (!this.#stalled) this.wake();
  }

  /** As it is now: since it was due, its webhook may have been changed, switched off or removed. */
  async #find(id: string): Promise<QueuedDelivery | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    return this.#options.store.deliveries.findQueued(id);
  }

  /** Records an attempt. An aborted one is not recorded: it is made again after the next start. */
  #end(delivery: QueuedDelivery, { retryAfterMs, ...attempt }: MadeAttempt, pass: Pass): void {
    this.#lanes.end(delivery.webhookId, attempt.durationMs);
    this.#hosts.leave(pass, { ...attempt, retryAfterMs });
    this.#startReady();
    const { clock, schedule } = this.#options;
    const ended = { delivery, attempt, endedAt: clock.now() };
    this.#attempts.add({ delivery, attempt, outcome: outcomeOf(ended, schedule) });
    if (this.#lanes.isDry(delivery.webhookId)) this.#standInLine(delivery.webhookId);
  }

  #enter(webhookId: string, destination: Destination): Pass | undefined {
    const pass = this.#hosts.enter(webhookId, destination);
    if (this.#hosts.isWaiting(webhookId)) this.#options.underWay.suspend(webhookId);
    return pass;
  }

  /** A webhook that waited for its host has its turn. */
  #onRoom(webhookId: string): void {
    this.#options.underWay.resume(webhookId);
    this.#standInLine(webhookId);
  }

  #standInLine(webhookId: string): void {
    if (this.#hosts.isWaiting(webhookId)) return;
    this.#turns.add(webhookId);
    this.#lookSoon();
  }

  #leave(id: string, webhookId: string): void {
    this.#lanes.release(webhookId, id);
    this.#options.underWay.delete(id);
  }

  async #attempt(delivery: QueuedDelivery): Promise<MadeAttempt> {
    const startedAt = this.#options.clock.now();
    try {
      return await this.#options.attempt(delivery, this.#stop.signal);
    } catch (error) {
      this.#options.log.error({ err: error, deliveryId: delivery.id }, 'attempt broke');
      const failure = { statusCode: null, error: 'internal error', responseBody: null };
      return { startedAt, durationMs: 0, ...failure };
    }
  }

  #onRecorded(results: readonly AttemptResult[]): void {
    for (const result of results) {
      const { delivery, attempt, outcome } = result;
      this.#options.onRecorded?.(result);
      this.#leave(delivery.id, delivery.webhookId);
      // It is due later, or a caller may have opened it again while it was held.
      if (outcome.status !== 'succeeded') this.#standInLine(delivery.webhookId);
      if (outcome.status !== 'failed') continue;
      const { id: deliveryId, webhookId } = delivery;
      const facts = { deliveryId, webhookId, error: attempt.error };
      this.#options.log.info(facts, 'delivery failed for good');
    }
    this.#startReady();
    if (this.#isFull) this.#lookSoon();
    this.#noteSettled();
  }

  #noteSettled(): void {
    const open =
      this.#looking !== undefined ||
      this.#running.size + this.#attempts.size > 0 ||
      this.#turns.hasNews ||
      this.#hosts.isLookingUp ||
      this.#stalled;
    if (open && !this.#closed) return;
    for (const resolve of this.#settledWaiters.splice(0)) resolve();
  }
}
