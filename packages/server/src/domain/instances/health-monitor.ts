import type { Repositories, Store } from '../../store/store.ts';
import { serverOrigin } from '../actor.ts';
import type { Emit, UnitOfWork } from '../unit-of-work.ts';
import type { Health, HealthReport } from './health.ts';

export interface HealthMonitorOptions {
  readonly health: Health;
  readonly store: Store;
  readonly work: UnitOfWork;
}

/**
 * One round of the health monitor: runs the checks, and stores and tells of it when the instances
 * have become ill or well. All instances of a server share its store and its disk, and so its health.
 *
 * A round fails while the store cannot be written to. What it found then is told by the first round
 * that can, before what that round finds itself.
 */
export function createHealthMonitor({ health, store, work }: HealthMonitorOptions) {
  /** The first report of an illness that could not be stored. */
  let untold: HealthReport | undefined;

  return async function watch(): Promise<void> {
    const report = await health.check();
    if (report.status === 'degraded') untold ??= report;
    const reports = untold && untold !== report ? [untold, report] : [report];
    if (await isTold(reports)) {
      untold = undefined;
      return;
    }
    await work(serverOrigin, async (tx, emit) => {
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

/** Stores the status and emits the event of every instance for which it is new. */
async function tell(tx: Repositories, emit: Emit, report: HealthReport): Promise<void> {
  for (const instanceId of await tx.instances.notIn(report.status)) {
    await tx.instances.setStatus(instanceId, report.status);
    await emit({
      type: report.status === 'healthy' ? 'instance.health.recovered' : 'instance.health.degraded',
      owner: { userId: null, instanceId },
      object: { instanceId, ...report },
    });
  }
}
