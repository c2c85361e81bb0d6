/** How long something took, sorted into buckets while it happens: an observation allocates nothing. */
export interface DurationCounts {
  /** Upper bounds of the buckets, in seconds; one more bucket has everything beyond. */
  readonly bounds: readonly number[];
  /** Observations by bucket, not cumulated; the last is for everything beyond the bounds. */
  readonly counts: readonly number[];
  /** Of all observations, in seconds. */
  readonly sum: number;
}

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
