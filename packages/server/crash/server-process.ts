import { once } from 'node:events';
import { spawnCommand } from '../test/support/command-line.ts';

/** How a client reaches a server. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
}

export interface ServerProcess {
  /** Resolves once it listens. */
  readonly listening: Promise<Access>;
  readonly isKilled: () => boolean;
  /** Ends it as a power cut would: with SIGKILL, in the middle of its work. */
  kill(): Promise<void>;
  /** Ends it as its operator would. */
  stop(): Promise<void>;
}

const flags = [
  ['--port', '0'],
  ['--log-level', 'warn'],
  ['--requests-per-minute', '1000000000,1000000000,1000000000'],
  ['--requests-per-hour', '1000000000,1000000000,1000000000'],
].flat();

/** Starts a server in a process of its own. An error that it logs fails the test. */
export function startServerProcess(
  data: string,
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  const child = spawnCommand(['start', '--data', data, ...flags], env);
  const exit = once(child, 'exit');
  let killed = false;
  let banner = '';
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const listening = new Promise<Access>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      banner += chunk;
      const url = /listening on (\S+)\n/.exec(banner)?.[1];
      const apiKey = /API key {4}(\S+)\n/.exec(banner)?.[1];
      if (url && apiKey) resolve({ url, apiKey });
    });
    child.once('exit', () => reject(new Error(`no server: ${banner}${complaints}`)));
  });
  // Not awaited when the test kills the server during its start.
  listening.catch(() => undefined);

  async function end(signal: NodeJS.Signals, expected: readonly unknown[]): Promise<void> {
    child.kill(signal);
    const ending = await exit;
    if (complaints !== '') throw new Error(`the server complained: ${complaints}`);
    if (String(ending) !== String(expected)) throw new Error(`the server ended with ${ending}`);
  }

  return {
    listening,
    isKilled: () => killed,
    kill() {
      killed = true;
      return end('SIGKILL', [null, 'SIGKILL']);
    },
    stop: () => end('SIGTERM', [0, null]),
  };
}
