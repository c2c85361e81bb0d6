import { randomUUID } from 'node:crypto';
import type { Leases } from '../store/driver.ts';

export interface LeasedTaskOptions {
  readonly leases: Leases | undefined;
  /** Identifies the task among all processes. */
  readonly name: string;
  /** Milliseconds between two runs. A killed process keeps the lease for twice as long. */
  readonly intervalMs: number;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export type LeasedTask = ReturnType<typeof leasedTask>;

/**
 * Returns a periodic task that one of several processes runs. Two can run it for a moment, when a run outlives the
 * lease. The task must allow it: its transactions lock what they change.
 */
export function leasedTask({ leases, name, intervalMs, run }: LeasedTaskOptions) {
  if (!leases) return { run, release: async () => undefined };
  const lease = { names: [name], holder: randomUUID(), durationMs: 2 * intervalMs };
  return {
    /** Runs the task, unless another process has its lease. */
    async run(signal: AbortSignal): Promise<void> {
      const { size } = await leases.take(lease);
      if (size > 0) await run(signal);
    },
    /** Lets another process run the task at once. */
    release: () => leases.release(lease),
  };
}
