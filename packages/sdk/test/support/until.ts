import { vi } from 'vitest';

/** Waits for a condition, on a busy machine too. */
export const until = (condition: () => boolean) =>
  vi.waitUntil(condition, { interval: 1, timeout: 20_000 });
