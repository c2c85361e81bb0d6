import { setImmediate } from 'node:timers/promises';

/** Fields that are answered before the requests of others get their turn: some milliseconds of work. */
const stretch = 5000;

/** Spreads the making of a large answer over many turns of the event loop. A small one waits for nothing. */
export class Pace {
  #fields = 0;
  readonly #turns: (Promise<void> | undefined)[] = [undefined];

  /** Whether there was more than one turn takes. */
  get isLong(): boolean {
    return this.#turns.length > 1;
  }

  /** Resolves when it is the turn of so many more fields; undefined when they need not wait. */
  turnOf(fields: number): Promise<void> | undefined {
    const turn = Math.floor(this.#fields / stretch);
    this.#fields += fields;
    while (this.#turns.length <= turn) {
      this.#turns.push(follow(this.#turns.at(-1)));
    }
    return this.#turns[turn];
  }

  /** The items of a list, each when it is the turn of its fields. */
  spread<Item>(items: readonly Item[], fieldsOfEach: number): (Item | Promise<Item>)[] {
    return items.map((item) => this.turnOf(fieldsOfEach)?.then(() => item) ?? item);
  }

  /** Resolves when it has been the turn of everything so far, and of what that has led to. */
  async reached(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.#turns.at(-1); ) {
      last = this.#turns.at(-1);
      await last;
      await setImmediate();
    }
  }
}

async function follow(turn: Promise<void> | undefined): Promise<void> {
  await turn;
  await setImmediate();
}
