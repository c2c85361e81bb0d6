import type { Clock } from '../../clock.ts';
import { type Shape, timestamp } from '../shapes.ts';

/** One thing that has to be well. */
export interface Check {
  readonly name: string;
  /** What a failure of `run` means, as a sentence for the operator. */
  readonly failure: string;
  /** What is wrong, as a sentence; undefined when all is well. May fail. */
  run(): Promise<string | undefined>;
}

/** What the checks have found. */
export type HealthReport = Omit<Shape<'InstanceHealth'>, 'instanceId'>;

export interface Health {
  /** Runs every check, side by side. Whoever asks while they run gets the same report. Never fails. */
  check(): Promise<HealthReport>;
}

export interface HealthOptions {
  readonly checks: readonly Check[];
  readonly clock: Clock;
  readonly log: { warn(facts: object, message: string): void };
  /** Milliseconds of real time after which a check counts as failed. Default 5,000. */
  readonly timeoutMs?: number;
}

export function createHealth({ checks, clock, log, timeoutMs = 5_000 }: HealthOptions): Health {
  async function runCheck({ name, failure, run }: Check): Promise<Shape<'HealthCheck'>> {
    const start = performance.now();
    const message = await withinTime(run(), timeoutMs).catch((error: unknown) => {
      log.warn({ err: error, check: name }, 'health check failed');
      return failure;
    });
    return {
      name,
      status: message === undefined ? 'healthy' : 'degraded',
      durationMs: Math.round((performance.now() - start) * 1000) / 1000,
      ...(message !== undefined && { message }),
    };
  }

  async function runAll(): Promise<HealthReport> {
    const checkedAt = timestamp(clock.now());
    const results = await Promise.all(checks.map(runCheck));
    const isWell = results.every(({ status }) => status === 'healthy');
    return { status: isWell ? 'healthy' : 'degraded', checks: results, checkedAt };
  }

  let running: Promise<HealthReport> | undefined;
  return {
    check() {
      running ??= runAll().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** A disk that does not answer any more must not keep whoever asks waiting. */
async function withinTime<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer after ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
