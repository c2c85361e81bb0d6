import { vi } from 'vitest';

/** Waits until a condition is true. The limit leaves time for a busy machine. */
export const until = (condition: () => boolean) =>
  vi.waitUntil(condition, { interval: 1, timeout: 20_000 });
