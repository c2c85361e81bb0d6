import { setMaxListeners } from 'node:events';
import type { DeliveriesInFlight } from '../domain/webhooks/backlog.ts';
import type { Clock } from '../lib/clock.ts';
import type {
  AttemptResult,
  DeliveryRepository,
  QueuedDelivery,
  QueueEntry,
} from '../store/rows/webhooks/deliveries.ts';
import type { Attempt, MadeAttempt } from './attempt.ts';
import { FairQueue } from './fair-queue.ts';
import { Hosts, type HostsOptions, type Permit } from './hosts.ts';
import { QueuedReader } from './queued-reader.ts';
import { type AttemptStore, ResultBatcher } from './result-batcher.ts';
import { outcomeOf } from './schedule.ts';
import { WebhookLimiter } from './webhook-limiter.ts';

/** The parts of the store that the worker uses. */
export interface DeliveryStore extends AttemptStore {
  /** Reads committed rows. */
  readonly deliveries: Pick<DeliveryRepository, 'queues' | 'first' | 'findQueued'>;
}

export interface WorkerLog {
  error(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export interface WorkerOptions {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly attempt: Attempt;
  /** Milliseconds between the end of a failed attempt and the next attempt, in order. */
  readonly retryDelays: readonly number[];
  /** Maximum number of concurrent attempts. */
  readonly concurrency: number;
  /** Maximum number of concurrent attempts per webhook. */
  readonly concurrencyPerWebhook: number;
  /** Limits per host. */
  readonly hosts: Omit<HostsOptions, 'clock' | 'onRoom'>;
  /** Takes webhooks for this process, and returns those that it may serve. Default: all. */
  readonly claim?: ((webhookIds: readonly string[]) => Promise<ReadonlySet<string>>) | undefined;
  /** Whether results of different webhooks are stored in different transactions. Default: false. */
  readonly resultsPerWebhook?: boolean | undefined;
  readonly log: WorkerLog;
  /** Called for each attempt once it is durable. */
  readonly onRecorded?: (result: AttemptResult) => void;
}

export interface Worker extends DeliveriesInFlight {
  /** Looks for due deliveries. Cheap; called after a commit that queued some or activated a webhook. */
  wake(): void;
  /** Resolves when no delivery is due and no attempt runs. */
  settled(): Promise<void>;
  /** Whether the worker claims a webhook before it attempts any delivery of it: none is prefetched or in flight. */
  isIdle(webhookId: string): boolean;
  /**
   * Starts no more attempts, waits for the running ones and aborts those that run after the grace
   * period. An aborted attempt does not count; the next start makes it again.
   *
   * @param graceMs milliseconds; default 5,000
   */
  close(graceMs?: number): Promise<void>;
}

/** Milliseconds until the store is read again after a failure. */
const storePause = 1_000;
/** Maximum number of ended attempts that are not recorded yet. A crash repeats these and the running ones. */
const maxUnrecorded = 256;

/** Starts delivering, including deliveries that an earlier process left due. */
export function startWorker(options: WorkerOptions): Worker {
  const worker = new DeliveryWorker(options);
  worker.wake();
  return worker;
}

class DeliveryWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #limiter: WebhookLimiter;
  readonly #queue: FairQueue;
  readonly #hosts: Hosts;
  readonly #reader: QueuedReader;
  readonly #results: ResultBatcher;
  readonly #closing = new AbortController();
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #settledWaiters: (() => void)[] = [];
  #closed = false;
  /** Another pass is requested. */
  #wanted = false;
  /** The last pass found too little room. */
  #isFull = false;
  #pass: Promise<void> | undefined;
  /** The webhook whose deliveries the pass is reading. */
  #served: string | undefined;
  /** Webhooks whose refused deliveries this pass has begun to remove: the next one goes on, after those of others started. */
  readonly #removing = new Set<string>();
  /** The store failed. The alarm of the queue starts another pass. */
  #stalled = false;

  constructor(options: WorkerOptions) {
    const { store, clock, log } = options;
    this.#options = options;
    // Each running attempt listens.
    setMaxListeners(0, this.#stop.signal);
    this.#limiter = new WebhookLimiter(options.concurrencyPerWebhook);
    this.#hosts = new Hosts({
      ...options.hosts,
      clock,
      onRoom: (webhookId) => this.#enqueue(webhookId),
    });
    this.#queue = new FairQueue({
      deliveries: store.deliveries,
      clock,
      isWaiting: (webhookId) => this.#hosts.isWaiting(webhookId),
      claim: options.claim,
      onRefreshDue: () => this.wake(),
    });
    this.#reader = new QueuedReader(store.deliveries);
    this.#results = new ResultBatcher({
      store,
      clock,
      log,
      perWebhook: options.resultsPerWebhook ?? false,
      expectsMore: () => this.#limiter.running > 0,
      onRecorded: (results) => this.#onRecorded(results),
    });
  }

  wake(): void {
    this.#queue.markDirty();
    this.#requestPass();
  }

  isInFlight(webhookId: string, deliveryId: string): boolean {
    return this.#limiter.isInFlight(webhookId, deliveryId);
  }

  isServed(webhookId: string): boolean {
    return this.#isAtHost(webhookId) || this.#limiter.hasInFlight(webhookId);
  }

  isIdle(webhookId: string): boolean {
    const isQueued =
      this.#queue.waiting.has(webhookId) ||
      this.#removing.has(webhookId) ||
      this.#served === webhookId;
    return !isQueued && !this.#isAtHost(webhookId) && !this.#limiter.has(webhookId);
  }

  /** Whether a webhook waits for its host, or has waited and has a place there. */
  #isAtHost(webhookId: string): boolean {
    return this.#hosts.isWaiting(webhookId) || this.#hosts.hasReservation(webhookId);
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
    this.#queue.close();
    this.#hosts.close();
    this.#limiter.clear();
    const grace = setTimeout(() => this.#stop.abort(), graceMs);
    await Promise.all(this.#running);
    clearTimeout(grace);
    await this.#pass;
    await this.#results.close();
    this.#closed = true;
    this.#noteSettled();
  }

  #requestPass(): void {
    if (this.#closed) return;
    this.#wanted = true;
    this.#pass ??= this.#passWhileWanted();
  }

  /** Runs one pass after the other until none was requested meanwhile. */
  async #passWhileWanted(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false;
      try {
        await this.#runPass();
        this.#stalled = false;
      } catch (error) {
        this.#stall(error);
      }
    }
    this.#pass = undefined;
    this.#noteSettled();
  }

  #stall(error: unknown): void {
    this.#stalled = true;
    // The webhook that was being served may be in no queue any more.
    this.#queue.markDirty();
    this.#options.log.error({ err: error }, 'the store failed; deliveries wait');
    this.#queue.refreshAt(this.#options.clock.now() + storePause);
  }

  /** Prefetches and starts due deliveries, webhook by webhook, while there is room. */
  async #runPass(): Promise<void> {
    // Each end of an attempt and each record requests another pass.
    this.#isFull = this.#room() === 0;
    if (this.#isFull) return;
    await this.#queue.refresh();
    let room = this.#room();
    const isCrowded = this.#limiter.exceeds(room, this.#queue.waiting);
    while (room > 0 || !isCrowded) {
      const webhookId = this.#queue.next();
      if (webhookId === undefined) break;
      // Its host refused it after it was queued, and queues it again when it has room.
      if (this.#hosts.isWaiting(webhookId)) continue;
      this.#served = webhookId;
      room -= await this.#serve(webhookId, isCrowded ? room : undefined);
    }
    this.#served = undefined;
    this.#isFull = room <= 0;
    this.#startPrefetched();
    for (const webhookId of this.#removing) this.#queue.add(webhookId);
    this.#wanted ||= this.#removing.size > 0;
    this.#removing.clear();
    // Attempts may have ended, or results been recorded, during the queries.
    this.#wanted ||= this.#isFull && this.#room() > 0;
  }

  /**
   * Prefetches for one webhook. When others wait for room, it is queued again after its share.
   *
   * @param room undefined: enough for all queued webhooks
   * @returns how many attempts can start
   */
  async #serve(webhookId: string, room?: number): Promise<number> {
    const allowed = this.#limiter.free(webhookId);
    const free = Math.min(room ?? allowed, allowed);
    // When others wait for the same host, only deliveries that it may take are read.
    const isShort = (room !== undefined && free === 0) || this.#hosts.hasReservation(webhookId);
    const wanted = free + (isShort ? 0 : this.#limiter.shortage(webhookId));
    const taken = wanted > 0 ? await this.#prefetchOrRequeue(webhookId, wanted) : 0;
    if (taken === 0) this.#hosts.returnReservation(webhookId);
    if (taken === wanted && free < allowed) this.#queue.add(webhookId);
    return Math.min(free, taken);
  }

  /** Queues the webhook again when the store fails, because its host may have reserved a place. */
  async #prefetchOrRequeue(webhookId: string, wanted: number): Promise<number> {
    try {
      return await this.#prefetch(webhookId, wanted);
    } catch (error) {
      this.#queue.add(webhookId);
      throw error;
    }
  }

  /** @returns how many due deliveries were added */
  async #prefetch(webhookId: string, wanted: number): Promise<number> {
    const { store, clock } = this.#options;
    const now = clock.now();
    // Copied before the query: rows of deliveries that are released during it are outdated.
    const known = this.#limiter.known(webhookId);
    const first = await store.deliveries.first(webhookId, known.size + wanted);
    const unknown = first.filter(({ id }) => !known.has(id));
    await this.#removeRefused(webhookId, unknown);
    const others = unknown.filter(({ isRefused }) => !isRefused).slice(0, wanted);
    const due = others.filter(({ dueAt }) => dueAt <= now);
    const later = others[due.length];
    if (later !== undefined) this.#queue.refreshAt(later.dueAt);
    const [next] = due;
    if (next !== undefined) {
      const ids = due.map(({ id }) => id);
      this.#limiter.add(webhookId, next, ids);
    }
    return due.length;
  }

  /** Removes deliveries whose right has ended while they waited. More of them may follow in the queue. */
  async #removeRefused(webhookId: string, entries: readonly QueueEntry[]): Promise<void> {
    const refused = entries.filter(({ isRefused }) => isRefused).map(({ id }) => id);
    if (refused.length === 0) return;
    await this.#options.store.transaction((tx) => tx.deliveries.removeRefused(refused));
    this.#removing.add(webhookId);
  }

  /** How many more attempts may run. Results that the store refuses take room, so they stay bounded. */
  #room(): number {
    if (this.#closing.signal.aborted || this.#results.size >= maxUnrecorded) return 0;
    const { concurrency } = this.#options;
    return Math.max(0, concurrency - this.#limiter.running - this.#results.refused);
  }

  #startPrefetched(): void {
    const started = this.#limiter.start(this.#room(), (webhookId, receiver) =>
      this.#hosts.enter(webhookId, receiver),
    );
    for (const { id, webhookId, permit } of started) {
      const run = this.#run(id, webhookId, permit).finally(() => {
        this.#running.delete(run);
        this.#noteSettled();
      });
      this.#running.add(run);
    }
  }

  async #run(id: string, webhookId: string, permit: Permit): Promise<void> {
    let attempt: MadeAttempt | undefined;
    try {
      const delivery = await this.#find(id);
      // The webhook may have a URL of another host by now.
      if (delivery !== undefined && this.#hosts.leadsTo(delivery.url, permit)) {
        attempt = await this.#attempt(delivery);
        if (!this.#stop.signal.aborted) return this.#end(delivery, attempt, permit);
      }
    } catch (error) {
      this.#stall(error);
    }
    this.#hosts.leave(permit, undefined);
    this.#limiter.end(webhookId, Number.POSITIVE_INFINITY);
    this.#limiter.release(webhookId, id);
    if (!this.#stalled) this.wake();
  }

  /** Reads the delivery as late as possible: its webhook may be changed, inactive or deleted by now. */
  async #find(id: string): Promise<QueuedDelivery | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    const delivery = await this.#reader.read(id);
    return this.#closing.signal.aborted ? undefined : delivery;
  }

  /** Records an attempt. An aborted attempt does not come here: the next start makes it again. */
  #end(delivery: QueuedDelivery, attempt: MadeAttempt, permit: Permit): void {
    this.#limiter.end(delivery.webhookId, attempt.durationMs);
    this.#hosts.leave(permit, attempt);
    this.#startPrefetched();
    const { clock, retryDelays } = this.#options;
    const ended = { delivery, attempt, endedAt: clock.now() };
    this.#results.add({ delivery, attempt, outcome: outcomeOf(ended, retryDelays) });
    if (this.#limiter.isEmpty(delivery.webhookId)) this.#enqueue(delivery.webhookId);
  }

  #enqueue(webhookId: string): void {
    if (this.#hosts.isWaiting(webhookId)) return;
    this.#queue.add(webhookId);
    this.#requestPass();
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
      const { delivery, outcome } = result;
      this.#noteRecorded(result);
      this.#limiter.release(delivery.webhookId, delivery.id);
      if (outcome.status === 'succeeded') continue;
      // The delivery is due again later, or a caller retried it while it was in flight.
      this.#enqueue(delivery.webhookId);
      this.#logFailure(result);
    }
    this.#startPrefetched();
    if (this.#isFull) this.#requestPass();
    this.#noteSettled();
  }

  /** The result is stored: that it could not be counted must not keep its delivery in flight. */
  #noteRecorded(result: AttemptResult): void {
    try {
      this.#options.onRecorded?.(result);
    } catch (err) {
      this.#options.log.error({ err }, 'a recorded result was not counted');
    }
  }

  /** Without the URL, the headers and the response, which may contain secrets. */
  #logFailure({ delivery, attempt, outcome }: AttemptResult): void {
    const { id: deliveryId, webhookId, eventId, eventType, attemptNumber } = delivery;
    const { statusCode, durationMs, error } = attempt;
    const facts = { webhookId, eventId, eventType, deliveryId, attempt: attemptNumber + 1 };
    const isLast = outcome.status === 'failed';
    this.#options.log.warn(
      { ...facts, statusCode, durationMs, error },
      isLast ? 'delivery failed for good' : 'delivery failed, and is tried again',
    );
  }

  #noteSettled(): void {
    const open =
      this.#pass !== undefined ||
      this.#running.size + this.#results.size > 0 ||
      this.#queue.isDirty ||
      this.#hosts.isLookingUp ||
      this.#stalled;
    if (open && !this.#closed) return;
    for (const resolve of this.#settledWaiters.splice(0)) resolve();
  }
}
