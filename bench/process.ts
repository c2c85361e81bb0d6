/** Peers as processes of their own. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cores, onPeerCores } from './machine.ts';
import type { Peer, Place } from './peers/peer.ts';
import { contractPaths, type Target } from './scenarios.ts';

/** The peer did not start, or ended before it was asked to. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
}

export interface RunningPeer {
  readonly peer: Peer;
  readonly target: Target;
  /** Where it keeps its data. */
  readonly folder: string;
  readonly process: PeerProcess;
}

export interface PeerProcess {
  readonly pid: number;
  ended(): boolean;
  stop(): Promise<void>;
}

export interface AnsweringProcess extends PeerProcess {
  /** Milliseconds from the start of the process to its first response. */
  readonly firstAnswerMs: number;
}

export interface Command {
  /** Arguments of node. */
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Where it runs. */
  readonly folder: string;
  /** File for the log of the process. Production servers write logs too. */
  readonly logFile: string;
  /** Undefined: it runs wherever this process does. */
  readonly cores: Cores | undefined;
}

export interface Launch extends Command {
  readonly name: string;
  /** Requested until it responds. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A folder for everything that a run leaves behind. */
export async function withScratchFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.once('exit', remove);
  try {
    return await use(folder);
  } finally {
    remove();
    process.off('exit', remove);
  }
}

export interface PeerLaunch {
  readonly scratch: string;
  readonly cores: Cores | undefined;
  /** Arguments of node before the peer's own. */
  readonly nodeOptions?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a peer with its data in place. */
export async function startPeer(
  peer: Peer,
  { scratch, cores, nodeOptions = [], environment }: PeerLaunch,
): Promise<RunningPeer> {
  const place: Place = { folder: join(scratch, peer.name), port: await freePort() };
  await mkdir(place.folder);
  await peer.seed?.(place.folder);
  const url = `http://127.0.0.1:${place.port}`;
  const running = await launch({
    name: peer.title,
    args: [...nodeOptions, ...peer.command(place)],
    environment: { ...peer.environment, ...environment },
    folder: place.folder,
    url: url + contractPaths.vaults,
    logFile: join(scratch, `${peer.name}.log`),
    cores,
  });
  return { peer, target: await peer.open(url, place), folder: place.folder, process: running };
}

/** Starts a process and waits for its first response, of any status. */
export async function launch(options: Launch): Promise<AnsweringProcess> {
  const start = performance.now();
  const child = run(options);
  while (!(await responds(options))) {
    if (child.ended()) {
      const log = await readFile(options.logFile, 'utf8');
      throw new PeerError(`${options.name} did not start:\n${log}`);
    }
    await delay(1);
  }
  return { ...child, firstAnswerMs: performance.now() - start };
}

/** Starts a process; it ends with this one at the latest. */
export function run({ args, environment, folder, logFile, cores }: Command): PeerProcess {
  const log = openSync(logFile, 'w');
  const [command = '', ...rest] = onPeerCores(cores, [process.execPath, ...args]);
  const child = spawn(command, rest, {
    cwd: folder,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...environment },
  });
  closeSync(log);
  const kill = () => child.kill('SIGKILL');
  process.prependOnceListener('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    ended,
    async stop() {
      if (ended()) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      child.kill('SIGCONT');
      await exit;
    },
  };
}

async function responds({ url, headers }: Launch): Promise<boolean> {
  try {
    const response = await fetch(url, { ...(headers && { headers }) });
    await response.arrayBuffer();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Stops all other processes: the work one has left must not cost another its time. */
export function onlyLet(running: PeerProcess, all: readonly PeerProcess[]): void {
  for (const other of all) if (other !== running) process.kill(other.pid, 'SIGSTOP');
  process.kill(running.pid, 'SIGCONT');
}

/** Resident memory of a process, in bytes. */
export function residentMemory(pid: number): number {
  return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}

/** Processor seconds that the threads of a process have used; known on Linux alone. Node ends no thread early. */
export function processorSeconds(pid: number): number {
  try {
    const folder = `/proc/${pid}/task`;
    const nanoseconds = readdirSync(folder).map((thread) => {
      const [used] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
      return Number(used);
    });
    return nanoseconds.reduce((sum, used) => sum + used, 0) / 1e9;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Number.NaN;
    throw error;
  }
}
