import type { DeliveryFigures, DeliveryResults, Judgement, MemorySample } from './results.ts';
import { table } from './table.ts';
import { judgementOf, judgementTable, ratio } from './targets.ts';

const rateLimit = 0.2;
/** How far the memory of the second half may lie above that of the first, in which heaps find their size. */
const growthLimit = 1.2;

export function reportDeliveries({ machine, figures }: DeliveryResults): string {
  const rates = table(
    [
      'webhooks',
      'at once',
      'CPU µs',
      'bare CPU µs',
      'ratio',
      'deliveries/s',
      'bare POSTs/s',
      'ratio',
    ],
    figures.map((figure) => [
      figure.webhooks,
      figure.atOnce,
      shown(figure.deliveryMicroseconds, 1),
      shown(figure.barePostMicroseconds, 1),
      shown(ratio(figure.barePostMicroseconds, figure.deliveryMicroseconds), 2),
      shown(figure.deliveriesPerSecond, 0),
      shown(figure.barePostsPerSecond, 0),
      shown(ratio(figure.deliveriesPerSecond, figure.barePostsPerSecond), 2),
    ]),
  );
  return [
    machine,
    rates,
    ...figures.map(memoryTable),
    judgementTable(figures.flatMap(judgeDeliveries)),
  ].join('\n\n');
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

export function judgeDeliveries(figures: DeliveryFigures): Judgement[] {
  const { webhooks, deliveriesPerSecond, barePostsPerSecond } = figures;
  return [
    judgementOf({
      name: `${webhooks} webhooks: deliveries/s × bare POSTs/s, as many at once`,
      bound: 'at least',
      limit: rateLimit,
      reached: ratio(deliveriesPerSecond, barePostsPerSecond),
      byProcessor: ratio(figures.barePostMicroseconds, figures.deliveryMicroseconds),
    }),
    judgementOf({
      name: `${webhooks} webhooks: memory in the second half of the backlog × the first`,
      bound: 'at most',
      limit: growthLimit,
      reached: growthOf(figures.memory),
    }),
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
