import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment, Result } from '../suite/suite.ts';

/** Runs the suite in a runtime and returns the results of all cases. */
export type Driver = (environment: Omit<Environment, 'runtime'>) => Promise<Result[]>;

/** Time limit of a whole run in milliseconds, many times its usual duration. */
export const runLimitMs = 180_000;

/** Returns the version that a program prints with `--version`. */
export async function versionOf(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 30_000 });
  return /\d[\d.-]*/.exec(stdout)?.[0] ?? stdout.trim();
}

/** Creates a driver that starts a program and reads the results from its standard output. */
export function processDriver(
  runtime: Environment['runtime'],
  program: string,
  args: readonly string[],
): Driver {
  return async (environment) => {
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DENO_NO_UPDATE_CHECK: '1',
      CONFORMANCE_ENVIRONMENT: JSON.stringify({ ...environment, runtime }),
    };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), runLimitMs);
    const [output, errors, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (status, signal) => resolve(status ?? signal));
      }),
    ]).finally(() => clearTimeout(timer));
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}${output}`);
    return JSON.parse(output.trim().split('\n').at(-1) ?? '');
  };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
