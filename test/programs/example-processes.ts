/** Processes of the examples, which tests start and stop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Environment variables of an example; undefined removes one. */
export type ExampleEnv = Readonly<Record<string, string | undefined>>;

const processes = new Set<ChildProcess>();

/** Kills the examples that still run. */
export async function stopExamples(): Promise<void> {
  for (const child of processes) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    processes.delete(child);
  }
}

export interface RunningExample {
  /** The first line of standard output: the address of an example that listens. */
  readonly url: string;
  /** Returns the next line of standard output. */
  printed(): Promise<string>;
  /** Returns the next line of standard error. */
  warned(): Promise<string>;
}

/** Starts an example that listens, on a free port. */
export async function startExample(file: string, env: ExampleEnv): Promise<RunningExample> {
  const child = spawnExample(file, [], { PORT: '0', ...env });
  const printed = linesOf(child.stdout);
  const warned = linesOf(child.stderr);
  return { url: await printed(), printed, warned };
}

/** Returns a function that returns the next line. */
export function linesOf(stream: Readable): () => Promise<string> {
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  return async () => String((await lines.next()).value);
}

/** Starts an example with piped output. */
export function spawnExample(
  file: string,
  args: readonly string[],
  env: ExampleEnv,
  cwd?: string | undefined,
) {
  const flags = ['--conditions=@document-vault/source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, resolve(file), ...args], {
    env: { ...process.env, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.add(child);
  return child;
}

export interface EndedExample {
  readonly code: number | null;
  /** The printed lines. */
  readonly stdout: string[];
  readonly stderr: string[];
}

/** Runs an example until it exits. */
export async function runExample(
  file: string,
  args: readonly string[],
  env: ExampleEnv,
  cwd?: string | undefined,
): Promise<EndedExample> {
  const child = spawnExample(file, args, env, cwd);
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code: child.exitCode, stdout: linesIn(stdout), stderr: linesIn(stderr) };
}

function linesIn(printed: string): string[] {
  return printed === '' ? [] : printed.trimEnd().split('\n');
}
