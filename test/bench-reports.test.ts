import { afterEach, expect, test } from 'vitest';
import { reportDeliveries } from '../bench/deliveries-report.ts';
import { figuresSection } from '../bench/figures.ts';
import { report as reportComparison } from '../bench/report.ts';
import type { DeliveryFigures, PeerFigures, Results } from '../bench/results.ts';
import { failWhenMissed, judge } from '../bench/targets.ts';

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

test('deliveries are judged by processor time where it is known', () => {
  const text = report({ deliveryMicroseconds: 300, barePostMicroseconds: 120 });
  expect(text).toMatch(/✗ not met +1 webhooks: deliveries\/s .* 0\.40 +0\.60\n/);
});

const peer = (processorMicroseconds: number, requestsPerSecond: number): PeerFigures => ({
  processorMicroseconds,
  requestsPerSecond,
  loadMicroseconds: 10,
  p50: 1,
  p99: 2,
  responses: 1000,
  residentMemory: 2 ** 20,
});

const comparison = (vault: PeerFigures, koa?: PeerFigures): Results => ({
  machine: 'a machine',
  connections: 50,
  seconds: 4,
  peers: ['vault', 'koa'].map((name) => ({ name, title: name, versions: [], durability: '' })),
  scenarios: { get: { vault, ...(koa && { koa }) } },
});

afterEach(() => {
  process.exitCode = undefined;
});

test('a target is judged by processor time, and its ratio by the clock stands beside it', () => {
  const missed = comparison(peer(40, 9000), peer(20, 10_000));
  expect(reportComparison(missed)).toMatch(/✗ not met +get: .* ≥ 0.75 +0\.50 +0\.90$/m);
  failWhenMissed(judge(missed));
  expect(process.exitCode).toBe(1);
});

test('targets that are met or not measured leave the exit code as it is', () => {
  const met = comparison(peer(24, 5000), peer(20, 10_000));
  expect(reportComparison(met)).toMatch(/✓ met +get: .* ≥ 0.75 +0\.83 +0\.50$/m);
  failWhenMissed(judge(met));
  failWhenMissed(judge(comparison(peer(24, 5000))));
  expect(process.exitCode).toBeUndefined();
});

test('a target is judged by the clock where processor time is not known, without NaN', () => {
  const unknown = comparison(peer(Number.NaN, 9000), peer(Number.NaN, 10_000));
  expect(reportComparison(unknown)).toMatch(/✓ met +get: .* ≥ 0.75 +0\.90$/m);
  for (const results of [unknown, comparison(peer(Number.NaN, 9000))]) {
    expect(reportComparison(results)).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test('the figures of the README name machine, versions and commit of each part', () => {
  const stamp = { commit: 'abc1234', date: '2026-01-01' };
  const results = comparison(peer(24, 5000), peer(20, 10_000));
  const peers = results.peers.map((facts) => ({ ...facts, versions: ['koa 3.0.0'] }));
  const text = figuresSection({ comparison: { ...results, peers, ...stamp } });
  expect(text).toContain('The server: 2026-01-01, commit abc1234; a machine.\nBeside koa 3.0.0.');
  expect(text).toContain('✓ met  get: ');
  expect(text).not.toContain('Deliveries');
  expect(figuresSection({})).toBe('Nothing has been measured yet.');
});
