import type { Browser, Page } from 'playwright-core';

/** The connection that Lighthouse calls slow 4G: 1.6 Mbit/s down, 0.75 up, 150 ms there and back. */
export const slow4G = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };

/** How much slower the processor is than that of this machine. */
const slowdown = 4;

/** Slows the connection and the processor of a page down. */
export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', { offline: false, ...slow4G });
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Returns the tasks of the page's main thread while something runs, in milliseconds that they take a slow processor.
 * It counts processor time: other programs of the machine lengthen no task.
 */
export async function tasksOf(
  browser: Browser | null,
  run: () => Promise<unknown>,
): Promise<number[]> {
  if (!browser) throw new Error('The browser is closed');
  await browser.startTracing(undefined, { categories: ['toplevel'] });
  await run();
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(
    (await browser.stopTracing()).toString(),
  );
  const idOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const threads = traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(idOf);
  const tasksOfThreads = [...new Set(threads)].map((thread) =>
    traceEvents
      .filter((event) => event.name === 'ThreadControllerImpl::RunTask' && idOf(event) === thread)
      .map(({ tdur = 0 }) => (tdur / 1000) * slowdown),
  );
  // Other pages of the browser are idle.
  const [busiest] = tasksOfThreads.toSorted((a, b) => sum(b) - sum(a));
  if (!busiest?.length) throw new Error('The trace has no task');
  return busiest;
}

export function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

/** Prints a figure beside the test's result. */
export function report(what: string, milliseconds: number): number {
  process.stdout.write(`${what}: ${Math.round(milliseconds)} ms\n`);
  return milliseconds;
}
