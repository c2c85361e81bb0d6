import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work between two looks at other requests. */
const sliceMs = 5;

/** Cuts long work into slices, with the requests of others in between. */
export interface Slices {
  isOver(): boolean;
  /** Resolves when other requests have had their turn. */
  next(): Promise<void>;
}

export function createSlices(): Slices {
  let end = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= end,
    async next() {
      await setImmediate();
      end = performance.now() + sliceMs;
    },
  };
}
