import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { runCommandLine } from '../../../src/cli/program.ts';
import { otherSecret, secret } from '../builds.ts';

export interface Surroundings {
  /** WEBHOOK_SECRET; null unsets it. @default the secret of the tests */
  readonly WEBHOOK_SECRET?: string | null;
  /** The content of standard input. */
  readonly input?: string | Uint8Array<ArrayBuffer>;
  /** Other variables of the environment, for `command`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the waits of `command`. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const mainFile = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

/** Runs the command line in this process, as if typed. */
export async function command(args: readonly string[], around: Surroundings = {}): Promise<Ended> {
  const { WEBHOOK_SECRET = secret, input = '', env = {} } = around;
  const { sleep = async () => expect.fail('the command sleeps') } = around;
  let out = '';
  let err = '';
  const code = await runCommandLine(args, {
    env: { ...env, WEBHOOK_SECRET: WEBHOOK_SECRET ?? undefined },
    print(line) {
      out += `${line}\n`;
    },
    printError(line) {
      err += `${line}\n`;
    },
    read: async () => Buffer.from(input),
    sleep,
  });
  return withoutSecrets({ code, out, err }, WEBHOOK_SECRET);
}

/** Runs the command line as a process of its own. */
export async function run(args: readonly string[], around: Surroundings = {}): Promise<Ended> {
  const { WEBHOOK_SECRET = secret, input = '' } = around;
  const { WEBHOOK_SECRET: _, ...env } = process.env;
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: WEBHOOK_SECRET === null ? env : { ...env, WEBHOOK_SECRET },
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  // A command that refuses its arguments does not read standard input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return withoutSecrets({ code: child.exitCode, out, err }, WEBHOOK_SECRET);
}

/** Throws when the output contains a secret. */
function withoutSecrets(ended: Ended, WEBHOOK_SECRET: string | null): Ended {
  for (const value of [secret, otherSecret, WEBHOOK_SECRET || secret]) {
    if (`${ended.out}${ended.err}`.includes(value)) {
      throw new Error(`a secret was printed: ${ended.out}${ended.err}`);
    }
  }
  return ended;
}

/** Creates a file that is deleted after the test. */
export async function fileOf(content: string | Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'webhook-verify-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'body');
  await writeFile(file, content);
  return file;
}
