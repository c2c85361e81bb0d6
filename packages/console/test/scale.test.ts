import { expect, test } from 'vitest';
import { scaleOf } from '../src/screens/instances/scale.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [2, [0, 1, 2]],
  [3, [0, 2, 4]],
  [10, [0, 5, 10]],
  [11, [0, 10, 20]],
  [2000, [0, 1000, 2000]],
  [1_234_567, [0, 1_000_000, 2_000_000]],
])('the scale of a plot up to %i is %j', (highest, scale) => {
  expect(scaleOf(highest)).toEqual(scale);
});
