import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { Result, World } from '../suite/suite.ts';

/** Runs the suite somewhere, and answers what became of each case. */
export type Driver = (world: Omit<World, 'runtime'>) => Promise<Result[]>;

/** A whole run: many times what it takes. */
export const runLimitMs = 180_000;

/** What a program calls its version. */
export async function versionOf(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 30_000 });
  return /\d[\d.-]*/.exec(stdout)?.[0] ?? stdout.trim();
}

/** A driver of a program that prints the results. */
export function processDriver(
  runtime: World['runtime'],
  program: string,
  args: readonly string[],
): Driver {
  return async (world) => {
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DENO_NO_UPDATE_CHECK: '1',
      CONFORMANCE_WORLD: JSON.stringify({ ...world, runtime }),
    };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), runLimitMs);
    const [output, complaints, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (status, signal) => resolve(status ?? signal));
      }),
    ]).finally(() => clearTimeout(timer));
    if (code !== 0) throw new Error(`it ended with ${code}: ${complaints}${output}`);
    return JSON.parse(output.trim().split('\n').at(-1) ?? '');
  };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
