import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timestamp } from '../src/domain/shapes.ts';

test('timestamp returns the same text as toISOString for every year from 0 to 9999', () => {
  const moment = fc.integer({ min: Date.UTC(0), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });
  fc.assert(
    fc.property(moment, (milliseconds) => {
      expect(timestamp(milliseconds)).toBe(new Date(milliseconds).toISOString());
    }),
    { examples: [[0], [-1], [86_399_999], [86_400_000], [Date.UTC(2026, 1, 28, 23, 59, 59, 9)]] },
  );
});
