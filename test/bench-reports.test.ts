import { expect, test } from 'vitest';
import { reportDeliveries } from '../bench/deliveries-report.ts';
import type { DeliveryFigures } from '../bench/results.ts';

const sample = (seconds: number, mebibytes: number) => ({
  seconds,
  delivered: 10 * seconds,
  residentMemory: mebibytes * 2 ** 20,
});

function report(figures: Partial<DeliveryFigures>): string {
  const all = {
    webhooks: 1,
    atOnce: 2,
    backlog: 100,
    deliveriesPerSecond: 600,
    barePostsPerSecond: 1000,
    pending: 0,
    memory: [sample(0, 100), sample(0.5, 110)],
    ...figures,
  };
  return reportDeliveries({ machine: 'a machine', figures: [all] });
}

test('the deliveries report names ratio and growth of a long backlog', () => {
  const text = report({});
  expect(text).toMatch(/✓ met +1 webhooks: deliveries\/s .* 0\.60\n/);
  expect(text).toMatch(/✓ met +1 webhooks: memory .* 1\.10$/m);
  expect(text).not.toContain('not measured');
});

test('the deliveries report says "not measured" for a backlog that ends before the rates', () => {
  const text = report({ deliveriesPerSecond: undefined, barePostsPerSecond: undefined });
  expect(text).toMatch(/– not measured +1 webhooks: deliveries\/s/);
  expect(text).not.toMatch(/NaN|Infinity|undefined/);
});

test('the deliveries report says "not measured" for the growth of a single memory sample', () => {
  for (const memory of [[], [sample(0, 100)]]) {
    const text = report({ memory });
    expect(text).toMatch(/– not measured +1 webhooks: memory/);
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
  }
});
