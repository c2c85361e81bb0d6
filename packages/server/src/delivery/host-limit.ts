/** What a new host or address is allowed. */
export interface LimitOptions {
  /** The most attempts at once to a host that acknowledges deliveries. */
  readonly concurrency: number;
  /** The most attempts at once to a host that has not acknowledged any. */
  readonly newConcurrency: number;
  /** The most attempts a minute to a host that has not acknowledged any. */
  readonly newPerMinute: number;
  /** The longest pause of a host that fails, in milliseconds; 0: none. */
  readonly longestPauseMs: number;
}

const minuteMs = 60_000;
/** Failures in a row after which a host is paused. */
const toleratedFailures = 5;
/** Milliseconds of the first pause; each further one is twice as long. */
const firstPauseMs = 1_000;

/** Limits attempts to one target: few at once and slowly, until it acknowledges deliveries. */
export class HostLimit {
  readonly #options: LimitOptions;
  /** Attempts that run. */
  running = 0;
  /** Attempts that have a place kept for them. */
  reserved = 0;
  #window: number;
  #isProven = false;
  /** Attempts that the pace allows at once. */
  #tokens: number;
  #filledAt: number;

  constructor(options: LimitOptions, now: number) {
    this.#options = options;
    this.#window = options.newConcurrency;
    this.#tokens = options.newPerMinute;
    this.#filledAt = now;
  }

  /** How many more attempts may run, their pace aside. */
  get room(): number {
    return this.#window - this.running - this.reserved;
  }

  get isIdle(): boolean {
    return this.running + this.reserved === 0;
  }

  /** When the next attempt may start, in epoch milliseconds; `now` or earlier: at once. */
  readyAt(now: number): number {
    if (this.#isProven) return now;
    this.#fill(now);
    // Fractions of a token do not add up exactly.
    if (this.#tokens > 0.999_999) return now;
    return now + Math.ceil(((1 - this.#tokens) * minuteMs) / this.#options.newPerMinute);
  }

  start(now: number): void {
    this.running += 1;
    if (this.#isProven) return;
    this.#fill(now);
    this.#tokens -= 1;
  }

  /** Each acknowledgement lets in one more at once. */
  acknowledge(): void {
    this.#window = Math.min(this.#options.concurrency, this.#window + 1);
    this.#isProven = true;
  }

  #fill(now: number): void {
    const { newPerMinute } = this.#options;
    const filled = this.#tokens + ((now - this.#filledAt) * newPerMinute) / minuteMs;
    this.#tokens = Math.min(newPerMinute, filled);
    this.#filledAt = now;
  }
}

/** Growing pauses of a host that fails, for one account. */
export class HostPause {
  readonly #longestMs: number;
  #failures = 0;
  #pauses = 0;
  #until = 0;
  /** Grows with each pause. An attempt that started before a pause does not lengthen it. */
  round = 0;

  constructor({ longestPauseMs }: LimitOptions) {
    this.#longestMs = longestPauseMs;
  }

  /** Epoch milliseconds. */
  get until(): number {
    return this.#until;
  }

  /** The host has responded, and not with a failure of its own. */
  succeed(): void {
    this.#failures = 0;
    this.#pauses = 0;
  }

  /**
   * @param failure the round in which the attempt started, and the wait that the host asked for
   * @returns whether a pause begins
   */
  fail(
    { round, retryAfterMs = 0 }: { readonly round: number; readonly retryAfterMs?: number },
    now: number,
  ): boolean {
    this.#failures += 1;
    const isTolerated = this.#failures < toleratedFailures && retryAfterMs === 0;
    if (this.#longestMs === 0 || isTolerated || round !== this.round) return false;
    const grown = firstPauseMs * 2 ** this.#pauses;
    this.#pauses += 1;
    this.round += 1;
    this.#until = now + Math.min(this.#longestMs, Math.max(grown, retryAfterMs));
    return true;
  }
}
