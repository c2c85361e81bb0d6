import { setImmediate } from 'node:timers/promises';

/** Items that are made into answers before the requests of others get their turn: some milliseconds of work. */
const stretch = 2000;

/** Spreads the making of a large answer over many turns of the event loop. A small one waits for nothing. */
export class Pace {
  #items = 0;
  readonly #turns: (Promise<void> | undefined)[] = [undefined];

  /** Resolves when it is the turn of so many more items. */
  turnOf(items: number): Promise<void> | undefined {
    const turn = Math.floor(this.#items / stretch);
    this.#items += items;
    while (this.#turns.length <= turn) {
      this.#turns.push(follow(this.#turns.at(-1)));
    }
    return this.#turns[turn];
  }

  /** Resolves when it has been the turn of all items so far. */
  reached(): Promise<void> | undefined {
    return this.#turns.at(-1);
  }
}

async function follow(turn: Promise<void> | undefined): Promise<void> {
  await turn;
  await setImmediate();
}
