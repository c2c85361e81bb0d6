import type { Leases } from '../store/driver.ts';

/** Milliseconds that a killed process keeps its webhooks. */
const durationMs = 30_000;

/** Milliseconds until a webhook of another process is claimed again. */
const retryMs = 2_000;

export interface WebhookLeasesOptions {
  readonly leases: Leases;
  /** Identifies the worker. */
  readonly holder: string;
  /** Called when a webhook of another process can be claimed again. */
  readonly onRetryDue: () => void;
}

/**
 * The webhooks that this process serves, with a lease for each. A process takes a webhook when it finds due deliveries
 * of it, and keeps it until it is idle.
 */
export class WebhookLeases {
  readonly #options: WebhookLeasesOptions;
  readonly #held = new Set<string>();
  /** Webhooks with due deliveries since the last renewal. */
  readonly #recent = new Set<string>();
  /** Webhooks of other processes, with the moment of the next try in milliseconds of `performance.now()`. */
  readonly #elsewhere = new Map<string, number>();
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** The last change of the leases. A later one waits for it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: WebhookLeasesOptions) {
    this.#options = options;
  }

  /** Whether another process served a webhook at the last claim. */
  isElsewhere(webhookId: string): boolean {
    return this.#elsewhere.has(webhookId);
  }

  /**
   * Takes the leases of webhooks.
   *
   * @param webhookIds all webhooks with due deliveries
   * @returns those that this process has
   */
  claim(webhookIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#inTurn(async () => {
      await this.#take(webhookIds);
      const ours = webhookIds.filter((id) => this.#held.has(id));
      for (const id of ours) this.#recent.add(id);
      if (this.#elsewhere.size > 0) this.#retryLater();
      return new Set(ours);
    });
  }

  /**
   * Prolongs the leases, and releases those of idle webhooks.
   *
   * @param isIdle whether the worker claims a webhook again before its next attempt
   * @returns whether no lease was lost
   */
  renew(isIdle: (webhookId: string) => boolean): Promise<boolean> {
    return this.#inTurn(async () => {
      const idle = [...this.#held].filter((id) => !this.#recent.has(id) && isIdle(id));
      this.#recent.clear();
      for (const id of idle) this.#held.delete(id);
      const { holder, leases } = this.#options;
      const names = namesOf(this.#held);
      const kept = names.length > 0 ? await leases.take({ names, holder, durationMs }) : undefined;
      if (idle.length > 0) await leases.release({ names: namesOf(idle), holder });
      return kept === undefined || kept.size === names.length;
    });
  }

  /** Releases all leases. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#inTurn(async () => {
      const { holder, leases } = this.#options;
      if (this.#held.size > 0) await leases.release({ names: namesOf(this.#held), holder });
      this.#held.clear();
    });
  }

  async #take(webhookIds: readonly string[]): Promise<void> {
    const now = performance.now();
    const due = new Set(webhookIds);
    for (const id of this.#elsewhere.keys()) if (!due.has(id)) this.#elsewhere.delete(id);
    const wanted = webhookIds.filter(
      (id) => !this.#held.has(id) && (this.#elsewhere.get(id) ?? 0) <= now,
    );
    if (wanted.length === 0) return;
    const { holder, leases } = this.#options;
    const taken = await leases.take({ names: namesOf(wanted), holder, durationMs });
    for (const id of wanted) {
      if (!taken.has(nameOf(id))) this.#elsewhere.set(id, now + retryMs);
      else {
        this.#held.add(id);
        this.#elsewhere.delete(id);
      }
    }
  }

  #retryLater(): void {
    if (this.#isClosed || this.#retry) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#options.onRetryDue();
    }, retryMs);
    this.#retry.unref();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

function nameOf(webhookId: string): string {
  return `webhook ${webhookId}`;
}

function namesOf(webhookIds: Iterable<string>): string[] {
  return Array.from(webhookIds, nameOf);
}
