/** One transaction holds the row, and the next one waits for it in the database. */
const maxRunning = 2;

interface HotRow {
  running: number;
  readonly waiting: (() => void)[];
}

/** Limits how many transactions on one row run at the same time, in the order of their calls. */
export class HotRows {
  readonly #rows = new Map<string, HotRow>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const row = this.#rows.get(name) ?? { running: 0, waiting: [] };
    this.#rows.set(name, row);
    if (row.running < maxRunning) row.running += 1;
    else await new Promise<void>((resolve) => row.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes this place.
      const next = row.waiting.shift();
      if (next) next();
      else row.running -= 1;
      if (row.running === 0) this.#rows.delete(name);
    }
  }
}
