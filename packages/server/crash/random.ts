/** Random numbers that a seed repeats. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** Whether something happens that happens so often, from 0 to 1. */
  happens(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** Mulberry32: short, and even enough to choose by. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    below: (limit) => Math.floor(next() * limit),
    happens: (probability) => next() < probability,
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('there is nothing to pick from');
      return item;
    },
  };
}

/** CRASH_SEED, to repeat the choices of an earlier run; otherwise another one each time. */
export function chooseSeed(): number {
  const given = process.env.CRASH_SEED;
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}
