import { expect, test } from 'vitest';
import { loadedOnce } from '../src/lib/clock.ts';

test('loadedOnce loads once for concurrent and later calls', async () => {
  let loads = 0;
  const value = loadedOnce(async () => ++loads);
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  expect(await value()).toBe(1);
});

test('loadedOnce loads again after a rejection, which the calls of one load share', async () => {
  let loads = 0;
  const value = loadedOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error('the file cannot be read');
    return loads;
  });
  const failed = [value(), value()];
  for (const call of failed) await expect(call).rejects.toThrow('the file cannot be read');
  expect(await value()).toBe(2);
});
