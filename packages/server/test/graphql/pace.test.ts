import { expect, test } from 'vitest';
import { Pace } from '../../src/graphql/pace.ts';

test('a small answer waits for nothing', () => {
  const pace = new Pace();
  for (let page = 0; page < 20; page += 1) expect(pace.turnOf(100)).toBeUndefined();
});

test('a large one is made in turns, with others in between', async () => {
  const pace = new Pace();
  const order: string[] = [];
  const pages = Array.from({ length: 60 }, async (_, number) => {
    await pace.turnOf(100);
    order.push(`page ${number}`);
  });
  // Asked for at the same time by somebody else.
  setImmediate(() => order.push('other'));
  await Promise.all(pages);
  expect(order.filter((name) => name !== 'other')).toEqual(pages.map((_, n) => `page ${n}`));
  expect(order.indexOf('other')).toBeGreaterThanOrEqual(20);
  expect(order.indexOf('other')).toBeLessThan(41);
});
