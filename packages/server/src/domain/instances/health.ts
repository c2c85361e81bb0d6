import { setTimeout } from 'node:timers/promises';
import { type Clock, cachedFor } from '../../lib/clock.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { serverItself } from '../actor.ts';
import { type Shape, timestamp } from '../shapes.ts';
import type { Emit, ServiceOptions } from '../unit-of-work.ts';
import type { Backlog } from '../webhooks/backlog.ts';

/** One health check. */
export interface HealthProbe {
  readonly name: string;
  /** The message when `run` rejects, a sentence for the operator. */
  readonly failure: string;
  /** Returns the problem as a sentence, or undefined. May reject. */
  run(): Promise<string | undefined>;
}

/** The results of all checks. */
export type HealthReport = Omit<Shape<'InstanceHealth'>, 'instanceId'>;

export interface Health {
  /** Runs all checks concurrently. Concurrent callers share one report. Never rejects. */
  check(): Promise<HealthReport>;
}

export interface HealthOptions {
  readonly checks: readonly HealthProbe[];
  readonly clock: Clock;
  readonly log: { warn(facts: object, message: string): void };
  /** Milliseconds of real time until a check counts as failed. Default 5,000. */
  readonly timeoutMs?: number;
}

export function createHealth({ checks, clock, log, timeoutMs = 5_000 }: HealthOptions): Health {
  async function runCheck({ name, failure, run }: HealthProbe): Promise<Shape<'HealthCheck'>> {
    const start = performance.now();
    const message = await Promise.race([run(), timeout(timeoutMs)]).catch((error: unknown) => {
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

/** A disk that hangs must not block the caller. */
async function timeout(ms: number): Promise<never> {
  await setTimeout(ms, undefined, { ref: false });
  throw new Error(`the check did not end within ${ms} ms`);
}

/** Makes a durable write. */
export function storeCheck(store: Store, clock: Clock): HealthProbe {
  return {
    name: 'store',
    failure: 'The store cannot be written to',
    async run() {
      await store.probe(clock.now());
      return undefined;
    },
  };
}

/** Verifies that the bucket of the contents can be reached. */
export function objectsCheck(objects: { check(): Promise<void> }): HealthProbe {
  return {
    name: 'contents',
    failure: 'The object store of the contents cannot be reached.',
    async run() {
      await objects.check();
      return undefined;
    },
  };
}

/** Verifies that so many bytes can still be stored. */
export function diskCheck({
  freeBytes,
  minimumBytes,
}: {
  readonly freeBytes: () => Promise<number>;
  readonly minimumBytes: number;
}): HealthProbe {
  return {
    name: 'disk',
    failure: 'The free space on the disk cannot be told',
    async run() {
      const free = await freeBytes();
      if (free >= minimumBytes) return undefined;
      return `The disk has ${free} bytes free; ${minimumBytes} are the minimum`;
    },
  };
}

export interface BacklogCheckOptions {
  readonly backlog: Backlog;
  readonly clock: Clock;
  /** Maximum wait of a due delivery, in milliseconds. */
  readonly maxWaitMs: number;
}

/**
 * Checks for late deliveries. A slow receiver delays only its own queue, so its webhook is ignored:
 * otherwise anyone could make the service look degraded.
 */
export function backlogCheck({ backlog, clock, maxWaitMs }: BacklogCheckOptions): HealthProbe {
  return {
    name: 'deliveries',
    failure: 'The queue of deliveries cannot be read',
    async run() {
      const now = clock.now();
      const since = await backlog.waitingSince(now);
      if (since === undefined || now - since <= maxWaitMs) return undefined;
      return `The oldest due delivery has waited for ${Math.floor((now - since) / 1000)} s`;
    },
  };
}

export interface HealthMonitorOptions extends Pick<ServiceOptions, 'store' | 'work'> {
  readonly health: Health;
}

/**
 * Creates one round of the health monitor: runs the checks, then stores a changed status of the instances
 * and emits its event. All instances share store and disk, and so their health.
 *
 * A round fails while the store is not writable. The next successful round first reports what the failed
 * one found.
 */
export function createHealthMonitor({ health, store, work }: HealthMonitorOptions) {
  /** The first degraded report that could not be stored. */
  let untold: HealthReport | undefined;

  return async function watch(): Promise<void> {
    const report = await health.check();
    if (report.status === 'degraded') untold ??= report;
    const reports = untold && untold !== report ? [untold, report] : [report];
    if (await isTold(reports)) {
      untold = undefined;
      return;
    }
    await work(serverItself, async (tx, emit) => {
      for (const each of reports) await tell(tx, emit, each);
    });
    untold = undefined;
  };

  async function isTold(reports: readonly HealthReport[]): Promise<boolean> {
    for (const { status } of reports) {
      if ((await store.instances.notIn(status)).length > 0) return false;
    }
    return true;
  }
}

/** Stores the status of every instance that has another one, and emits its event. */
async function tell(tx: Repositories, emit: Emit, report: HealthReport): Promise<void> {
  for (const instanceId of await tx.instances.notIn(report.status)) {
    await tx.instances.setStatus(instanceId, report.status);
    await emit({
      type: report.status === 'healthy' ? 'instance.health.recovered' : 'instance.health.degraded',
      accountId: null,
      instanceId,
      object: { instanceId, ...report },
    });
  }
}

/** One condition of readiness. */
export interface ReadinessCheck {
  /** The problem in a few words. It is public. */
  readonly name: string;
  /** Rejects when the condition is not met. */
  readonly check: () => Promise<void>;
}

/** Returns the problems; none when the server is ready. */
export type Readiness = () => Promise<readonly string[]>;

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly checks: readonly ReadinessCheck[];
  /** Called for a failing check, and again only after it succeeded. */
  readonly onFailure: (name: string, error: unknown) => void;
}

/** Age in milliseconds up to which a result is reused, so that frequent probes cost little. */
const maxAgeMs = 1_000;

export function createReadiness({ clock, checks, onFailure }: ReadinessOptions): Readiness {
  const failing = new Set<string>();

  async function perform({ name, check }: ReadinessCheck): Promise<void> {
    try {
      await check();
      failing.delete(name);
    } catch (error) {
      if (!failing.has(name)) onFailure(name, error);
      failing.add(name);
    }
  }

  return cachedFor({
    clock,
    maxAgeMs,
    async load() {
      await Promise.all(checks.map(perform));
      return checks.map(({ name }) => name).filter((name) => failing.has(name));
    },
  });
}
