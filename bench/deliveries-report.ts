import type { DeliveryFigures, DeliveryResults, MemorySample } from './results.ts';
import { table } from './table.ts';
import { type Judgement, judgementTable, ratio } from './targets.ts';

const rateLimit = 0.5;
/** How far the memory of the second half may lie above that of the first, in which heaps find their size. */
const growthLimit = 1.2;

export function reportDeliveries({ machine, figures }: DeliveryResults): string {
  const rates = table(
    ['webhooks', 'at once', 'deliveries/s', 'bare POSTs/s', 'ratio'],
    figures.map(({ webhooks, atOnce, deliveriesPerSecond, barePostsPerSecond }) => [
      webhooks,
      atOnce,
      shown(deliveriesPerSecond, 0),
      shown(barePostsPerSecond, 0),
      shown(ratio(deliveriesPerSecond, barePostsPerSecond), 2),
    ]),
  );
  return [machine, rates, ...figures.map(memoryTable), judgementTable(figures.flatMap(judge))].join(
    '\n\n',
  );
}

function shown(figure: number | undefined, digits: number): string {
  return figure === undefined ? '–' : figure.toFixed(digits);
}

function memoryTable({ webhooks, backlog, pending, memory }: DeliveryFigures): string {
  const title =
    `a backlog of ${backlog.toLocaleString('en')} over ${webhooks} webhooks; ` +
    `${pending} unfinished at its end`;
  const rows = tenOf(memory).map(({ seconds, delivered, residentMemory }) => [
    seconds.toFixed(1),
    delivered,
    Math.round(residentMemory / 2 ** 20),
  ]);
  return `${title}\n\n${table(['s', 'delivered', 'RSS MiB'], rows)}`;
}

/** From the first to the last. */
function tenOf(samples: readonly MemorySample[]): MemorySample[] {
  const step = Math.max(1, Math.floor(samples.length / 10));
  return samples.filter((_, index) => index % step === 0 || index === samples.length - 1);
}

function judge({
  webhooks,
  memory,
  deliveriesPerSecond,
  barePostsPerSecond,
}: DeliveryFigures): Judgement[] {
  const rate = ratio(deliveriesPerSecond, barePostsPerSecond);
  const growth = growthOf(memory);
  return [
    {
      name: `${webhooks} webhooks: deliveries/s × bare POSTs/s, as many at once`,
      target: `≥ ${rateLimit}`,
      reached: rate,
      met: rate !== undefined && rate >= rateLimit,
    },
    {
      name: `${webhooks} webhooks: memory in the second half of the backlog × the first`,
      target: `≤ ${growthLimit}`,
      reached: growth,
      met: growth !== undefined && growth <= growthLimit,
    },
  ];
}

/** undefined: one sample has no two halves. */
function growthOf(samples: readonly MemorySample[]): number | undefined {
  if (samples.length < 2) return undefined;
  const half = Math.ceil(samples.length / 2);
  const most = (part: readonly MemorySample[]) =>
    Math.max(...part.map(({ residentMemory }) => residentMemory));
  return most(samples.slice(-half)) / most(samples.slice(0, half));
}
