import { afterEach, expect, test } from 'vitest';
import { reportDeliveries } from '../bench/deliveries-report.ts';
import { figuresOfParts, withFigures } from '../bench/figures.ts';
import { report as reportComparison } from '../bench/report.ts';
import type { DeliveryFigures, PeerFigures, Results, ScaleResults } from '../bench/results.ts';
import { judgeScale, reportScale } from '../bench/scale-report.ts';
import { failWhenMissed, judge, judgementTable } from '../bench/targets.ts';

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
  const text = report({ deliveryMicroseconds: 800, barePostMicroseconds: 120 });
  expect(text).toMatch(/✗ not met +1 webhooks: deliveries\/s .* 0\.15 +0\.60\n/);
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
  const missed = comparison(peer(50, 9000), peer(20, 10_000));
  expect(reportComparison(missed)).toMatch(/✗ not met +get: .* ≥ 0.5 +0\.40 +0\.90$/m);
  failWhenMissed(judge(missed));
  expect(process.exitCode).toBe(1);
});

test('targets that are met or not measured leave the exit code as it is', () => {
  const met = comparison(peer(24, 5000), peer(20, 10_000));
  expect(reportComparison(met)).toMatch(/✓ met +get: .* ≥ 0.5 +0\.83 +0\.50$/m);
  failWhenMissed(judge(met));
  failWhenMissed(judge(comparison(peer(24, 5000))));
  expect(process.exitCode).toBeUndefined();
});

test('a target is judged by the clock where processor time is not known, without NaN', () => {
  const unknown = comparison(peer(Number.NaN, 9000), peer(Number.NaN, 10_000));
  expect(reportComparison(unknown)).toMatch(/✓ met +get: .* ≥ 0.5 +0\.90$/m);
  for (const results of [unknown, comparison(peer(Number.NaN, 9000))]) {
    expect(reportComparison(results)).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test('the figures of the README name machine, versions and commit of each part', () => {
  const stamp = { commit: 'abc1234', date: '2026-01-01' };
  const results = comparison(peer(24, 5000), peer(20, 10_000));
  const peers = results.peers.map((facts) => ({ ...facts, versions: ['koa 3.0.0'] }));
  const parts = figuresOfParts({ comparison: { ...results, peers, ...stamp } });
  expect(Object.keys(parts)).toEqual(['The server']);
  expect(parts['The server']).toContain(
    'The server: 2026-01-01, commit abc1234; a machine.\nBeside koa 3.0.0.',
  );
  expect(parts['The server']).toContain('✓ met  get: ');
  const uploads = { machine: 'a machine', judgements: judge(results), ...stamp };
  const others = figuresOfParts({ scale: { ...scale(['one', 2, 1]), ...stamp }, uploads });
  expect(Object.keys(others)).toEqual(['Scale', 'Uploads and downloads']);
});

test('figures replace those of the same part, and parts that were not measured stay', () => {
  const part = (title: string, figure: string) =>
    `${title}: facts\n\n\`\`\`text\n${figure}\n\`\`\``;
  const page = (...parts: string[]) =>
    `# Bench\n\n<!-- figures -->\n\n${parts.join('\n\n')}\n\n<!-- end of figures -->\n\nMore\n`;
  const before = page(part('The server', 'old'), part('Scale', 'kept'));
  const measured = { 'The server': part('The server', 'new'), Deliveries: part('Deliveries', '1') };
  expect(withFigures(before, measured)).toBe(
    page(part('The server', 'new'), part('Deliveries', '1'), part('Scale', 'kept')),
  );
  expect(withFigures(before, {})).toBe(before);
});

test('the figures of both databases stand side by side, without a judgement', () => {
  const figures = [
    {
      title: 'get',
      database: 'SQLite',
      perSecond: 5000.4,
      p50: 9.12,
      p99: 20,
      processorMicroseconds: 150.6,
    },
    { title: 'deliveries', database: 'PostgreSQL', perSecond: 700 },
  ];
  const stamp = { machine: 'a machine', commit: '1', date: '2026-01-01' };
  const { Databases: text = '' } = figuresOfParts({ databases: { ...stamp, figures } });
  expect(text).toMatch(/^Databases: 2026-01-01, commit 1; a machine\.\n\n```text\n/);
  expect(text).toMatch(/^get +SQLite +5000 +9\.1 +20\.0 +151$/m);
  expect(text).toMatch(/^deliveries +PostgreSQL +700$/m);
  expect(text).not.toMatch(/met|undefined|NaN/);
});

const scale = (...requests: [name: string, target: number, many: number][]): ScaleResults => ({
  machine: 'a machine',
  documents: 1_000_000,
  vaults: 100_000,
  memory: { few: 2 ** 20, many: 2 ** 21 },
  figures: requests.map(([name, target, many]) => ({ name, target, few: 1, many, first: 3 })),
});

test('the scale report marks every request, and the figures have the slowest of each target', () => {
  const results = scale(['one', 2, 1.1], ['page', 2, 1.5], ['deep', 10, 4], ['deeper', 10, 9]);
  expect(reportScale(results)).toMatch(/✓ met +one +1\.00 +1\.10 +3\.00 +≤ 2 +1\.10$/m);
  expect(judgeScale(results).map(({ name, reached }) => [name, reached])).toEqual([
    ['page, the slowest of 2', 1.5],
    ['deeper, the slowest of 2', 9],
  ]);
  failWhenMissed(judgeScale(results));
  expect(process.exitCode).toBeUndefined();
});

test('the figures of scale have every request that misses its target, and the command fails', () => {
  const results = scale(['one', 2, 2.5], ['page', 2, 3], ['search', 2, 1]);
  expect(judgementTable(judgeScale(results))).toMatch(
    /✗ not met +page, the slowest of 3 .*\n✗ not met +one /,
  );
  failWhenMissed(judgeScale(results));
  expect(process.exitCode).toBe(1);
});
