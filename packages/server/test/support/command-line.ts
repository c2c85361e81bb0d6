import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { urlOfFolder } from './postgres/databases.ts';

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Content of standard input. */
  readonly input?: string;
  /** Reply to every question. Default: the terminal is not interactive. */
  readonly reply?: string;
  readonly clock?: Clock;
}

/** Runs a command in this process and collects its output. */
export async function command(argv: readonly string[], options: CommandOptions = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const questions: string[] = [];
  const code = await runCommandLine(argv, {
    clock: options.clock ?? systemClock,
    env: { ...databaseOf(argv), ...options.env },
    terminal: {
      print: (line) => out.push(line),
      printError: (line) => err.push(line),
      isInteractive: options.reply !== undefined,
      read: async () => options.input ?? '',
      async ask(question) {
        questions.push(question);
        return options.reply ?? '';
      },
    },
  });
  return { code, out: out.join('\n'), err: err.join('\n'), questions };
}

/** Returns the environment that names the database of `--data`, where PostgreSQL is tested. */
function databaseOf(argv: readonly string[]): Readonly<Record<string, string>> {
  const url = urlOfFolder(argv[argv.indexOf('--data') + 1] ?? '');
  return url === undefined ? {} : { DOCUMENT_VAULT_DATABASE_URL: url };
}

/** Runs a command with `--json`, requires that it succeeds, and returns the printed value. */
// biome-ignore lint/suspicious/noExplicitAny: tests read output of every shape
export async function commandJson(argv: readonly string[], options?: CommandOptions): Promise<any> {
  const { code, out, err } = await command([...argv, '--json'], options);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

export const mainFile = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Variables that differ from those of this process; undefined removes one. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Starts the command line as a child process, which ends with the test. */
export function spawnCommand(argv: readonly string[], env: Environment = {}) {
  const child = spawn(
    process.execPath,
    [
      '--conditions=@document-vault/source',
      '--disable-warning=ExperimentalWarning',
      mainFile,
      ...argv,
    ],
    { env: { ...process.env, NODE_ENV: '', ...env }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** Runs a command as a child process and waits for its exit. */
export async function runProcess(
  argv: readonly string[],
  { env, input = '' }: { readonly env?: Environment; readonly input?: string } = {},
): Promise<Outcome> {
  const child = spawnCommand(argv, env);
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), exit(child)]);
  return { code: child.exitCode, out, err };
}

/** Starts a server as a child process. `banner` is its output until it listens. */
export async function startProcess(
  data: string,
  flags: readonly string[] = [],
  env: Environment = {},
) {
  const child = spawnCommand(
    ['start', '--port', '0', '--data', data, '--log-level', 'warn', ...flags],
    env,
  );
  child.stderr.pipe(process.stderr);
  let banner = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    banner += chunk;
    if (/listening on \S+.*\n\n$/s.test(banner)) break;
  }
  const url = /listening on (\S+)/.exec(banner)?.[1];
  if (url === undefined) throw new Error(`The server exited before it listened: ${banner}`);
  return {
    url,
    banner,
    async stop() {
      child.kill('SIGTERM');
      await exit(child);
      return child.exitCode;
    },
  };
}

async function exit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
