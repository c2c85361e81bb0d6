/** The limits of hosts and addresses. */
export interface LimitOptions {
  /** Maximum concurrent attempts to a host that acknowledges deliveries. */
  readonly concurrency: number;
  /** Maximum concurrent attempts to a host that has not acknowledged any. */
  readonly newConcurrency: number;
  /** Maximum attempts per minute to a host that has not acknowledged any. */
  readonly newPerMinute: number;
  /** Longest pause of a failing host, in milliseconds; 0 disables pauses. */
  readonly maxPauseMs: number;
}

const minuteMs = 60_000;
/** Consecutive failures that pause a host. */
const toleratedFailures = 5;
/** Milliseconds of the first pause. Each further pause is twice as long. */
const firstPauseMs = 1_000;

/** Limits attempts to one host or address: few and slow until it acknowledges a delivery. */
export class HostLimit {
  readonly #options: LimitOptions;
  /** Running attempts. */
  running = 0;
  /** Reserved places. */
  reserved = 0;
  #window: number;
  /** Whether it has not acknowledged any attempt. */
  isNew = true;
  /** Token bucket: attempts that the rate allows now. */
  #tokens: number;
  #filledAt: number;

  constructor(options: LimitOptions, now: number) {
    this.#options = options;
    this.#window = options.newConcurrency;
    this.#tokens = options.newPerMinute;
    this.#filledAt = now;
  }

  /** How many more attempts may run, apart from the rate. */
  get room(): number {
    return this.#window - this.running - this.reserved;
  }

  get isIdle(): boolean {
    return this.running + this.reserved === 0;
  }

  /** When the rate allows the next attempt, in epoch milliseconds. */
  readyAt(now: number): number {
    if (!this.isNew) return now;
    this.#fill(now);
    // Fractions of a token do not add up to exactly 1.
    if (this.#tokens > 0.999_999) return now;
    return now + Math.ceil(((1 - this.#tokens) * minuteMs) / this.#options.newPerMinute);
  }

  start(now: number): void {
    this.running += 1;
    if (!this.isNew) return;
    this.#fill(now);
    this.#tokens -= 1;
  }

  /** Each acknowledgement allows one more concurrent attempt and ends the rate limit. */
  acknowledge(): void {
    this.#window = Math.min(this.#options.concurrency, this.#window + 1);
    this.isNew = false;
  }

  #fill(now: number): void {
    const { newPerMinute } = this.#options;
    const filled = this.#tokens + ((now - this.#filledAt) * newPerMinute) / minuteMs;
    this.#tokens = Math.min(newPerMinute, filled);
    this.#filledAt = now;
  }
}

/** The growing pauses of a failing host, for one account. */
export class HostPause {
  readonly #maxMs: number;
  #failures = 0;
  #pauses = 0;
  /** End of the pause, in epoch milliseconds. */
  until = 0;
  /** Counts the pauses. An attempt that started before a pause does not extend it. */
  round = 0;

  constructor({ maxPauseMs }: LimitOptions) {
    this.#maxMs = maxPauseMs;
  }

  /** Notes a response that is not a failure of the host. */
  succeed(): void {
    this.#failures = 0;
    this.#pauses = 0;
  }

  /**
   * @param failure the round at the start of the attempt, and the wait that the host asked for
   * @returns whether a pause starts
   */
  fail(
    {
      round,
      retryAfterMs = 0,
    }: { readonly round: number; readonly retryAfterMs: number | undefined },
    now: number,
  ): boolean {
    this.#failures += 1;
    const isTolerated = this.#failures < toleratedFailures && retryAfterMs === 0;
    if (this.#maxMs === 0 || isTolerated || round !== this.round) return false;
    const grown = firstPauseMs * 2 ** this.#pauses;
    this.#pauses += 1;
    this.round += 1;
    this.until = now + Math.min(this.#maxMs, Math.max(grown, retryAfterMs));
    return true;
  }
}
