import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { ConfigInput } from '../src/config/config.ts';
import type { Access } from './server-process.ts';

const program = fileURLToPath(new URL('./server-child.ts', import.meta.url));

/** A line of its log. */
// biome-ignore lint/suspicious/noExplicitAny: lines of every shape
export type LogLine = any;

/** A server in a process of its own, whose clock can be moved. */
export interface MovableServer extends Access {
  readonly pid: number;
  readonly log: readonly LogLine[];
  advance(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startMovableServer(
  data: string,
  options: ConfigInput = {},
): Promise<MovableServer> {
  const child = fork(program, [data, JSON.stringify(options)], {
    execArgv: ['--conditions=@document-vault/source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const exit = once(child, 'exit');
  const log: LogLine[] = [];
  const { stderr } = child;
  if (!stderr) throw new Error('its standard error is not read');
  createInterface({ input: stderr }).on('line', (line) => log.push(parse(line)));
  const [access] = (await Promise.race([
    once(child, 'message'),
    exit.then(() => {
      throw new Error(`no server: ${JSON.stringify(log)}`);
    }),
  ])) as [Access];
  return {
    ...access,
    pid: child.pid ?? 0,
    log,
    async advance(milliseconds) {
      child.send(milliseconds);
      await once(child, 'message');
    },
    async stop() {
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
    },
  };
}

/** What is no line of the log is what the process says when it breaks. */
function parse(line: string): LogLine {
  return line.startsWith('{') ? JSON.parse(line) : { said: line };
}
