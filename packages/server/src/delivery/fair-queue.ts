import type { Clock } from '../clock.ts';
import type { Deliveries } from '../store/repositories/deliveries.ts';

export interface TurnsOptions {
  readonly deliveries: Pick<Deliveries, 'queues'>;
  readonly clock: Clock;
  /** Whether a webhook waits for its host, which calls it. */
  readonly isWaiting: (webhookId: string) => boolean;
  /** Called when it is time to look for news. */
  readonly onNews: () => void;
}

/**
 * Milliseconds for which reading all queues may occupy the process as often as anybody asks. What
 * takes longer, with thousands of queues, is followed by a rest in proportion.
 */
const cheapMs = 2;
/** How many times as long as such a reading the rest after it is. */
const restFactor = 4;

/**
 * The webhooks with something due, each in its turn. Whoever stands in line is found without asking
 * for all queues again; those are read when there are news of them, which come from outside or with
 * the alarm.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #line = new Set<string>();
  #hasNews = false;
  #alarmAt = Number.POSITIVE_INFINITY;
  #cancelAlarm: () => void = () => undefined;
  #restsUntil = 0;
  #rest: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Whether something may be due to a webhook that does not stand in line. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  get waiting(): ReadonlySet<string> {
    return this.#line;
  }

  announceNews(): void {
    this.#hasNews = true;
  }

  /** At the end of the line, unless it stands there. */
  add(webhookId: string): void {
    this.#line.add(webhookId);
  }

  next(): string | undefined {
    const [webhookId] = this.#line;
    if (webhookId !== undefined) this.#line.delete(webhookId);
    return webhookId;
  }

  /** Lets those join that the news are about; a little later when reading them costs much. */
  async hearNews(): Promise<void> {
    if (!this.#hasNews || this.#isResting()) return;
    this.#hasNews = false;
    const { deliveries, clock, isWaiting } = this.#options;
    const now = clock.now();
    const start = performance.now();
    const queues = await deliveries.queues();
    const spent = performance.now() - start;
    if (spent > cheapMs) this.#restsUntil = start + spent * (1 + restFactor);
    this.#cancelAlarm();
    this.#alarmAt = Number.POSITIVE_INFINITY;
    for (const { webhookId, dueAt } of queues) {
      if (isWaiting(webhookId)) continue;
      if (dueAt <= now) this.#line.add(webhookId);
      else this.newsAt(dueAt);
    }
  }

  /** Unless there are news earlier anyway. */
  newsAt(time: number): void {
    if (this.#closed || time >= this.#alarmAt) return;
    this.#cancelAlarm();
    this.#alarmAt = time;
    this.#cancelAlarm = this.#options.clock.at(time, () => {
      this.#alarmAt = Number.POSITIVE_INFINITY;
      this.#options.onNews();
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelAlarm();
    clearTimeout(this.#rest);
  }

  #isResting(): boolean {
    const left = this.#restsUntil - performance.now();
    if (left <= 0) return false;
    this.#rest ??= setTimeout(() => {
      this.#rest = undefined;
      this.#options.onNews();
    }, left);
    return true;
  }
}
