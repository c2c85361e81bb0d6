/** A histogram of durations. */
export interface DurationCounts {
  /** Upper bounds of the buckets in seconds, ascending. A last bucket has no bound. */
  readonly bounds: readonly number[];
  /** Observations by bucket, not cumulated. */
  readonly counts: readonly number[];
  /** Sum of all observations in seconds. */
  readonly sum: number;
}

/** Counts durations into buckets without allocating memory. */
export class Durations {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds ascending, in seconds */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array<number>(bounds.length + 1).fill(0);
  }

  observe(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += seconds;
  }

  get counts(): DurationCounts {
    return { bounds: this.#bounds, counts: [...this.#counts], sum: this.#sum };
  }
}
