/** Who runs on which processor core, so that the load takes nothing from what it measures. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';

/** Lists of cores as `taskset` writes them; undefined where processes cannot be pinned. */
export interface Cores {
  readonly peers: string;
  readonly load: string;
}

/** What every measurement stands on. */
export interface Surroundings {
  /** A folder that is removed at the end. */
  readonly scratch: string;
  readonly cores: Cores | undefined;
}

/** The first half of the cores for the peers, the second for the load. */
export function splitCores(): Cores | undefined {
  const available = availableCores();
  if (available.length < 2) return undefined;
  const half = Math.floor(available.length / 2);
  return {
    peers: available.slice(0, half).join(','),
    load: available.slice(half).join(','),
  };
}

function availableCores(): number[] {
  try {
    const output = execFileSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' });
    return parseCores(output.slice(output.lastIndexOf(':') + 1).trim());
  } catch (error) {
    // Not Linux, or a small image: the scheduler decides.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** `0,2-4` is 0, 2, 3, 4. */
function parseCores(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Puts all threads of this process on the cores of the load. */
export function pinLoad(cores: Cores | undefined): void {
  if (cores) execFileSync('taskset', ['-acp', cores.load, String(process.pid)]);
}

/** A command that runs on the cores of the peers. */
export function onPeerCores(cores: Cores | undefined, command: readonly string[]): string[] {
  return cores ? ['taskset', '-c', cores.peers, ...command] : [...command];
}

export function describeMachine(cores: Cores | undefined): string {
  const pinning = cores
    ? `peers on core ${cores.peers}, load on core ${cores.load}`
    : 'nothing pinned';
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const [busy = 0] = loadavg();
  const load = `load average ${busy.toFixed(1)} before the run`;
  return `${cpus().length} × ${model}, ${load}, ${pinning}, Node ${process.version}`;
}
