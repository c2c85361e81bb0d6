import { CommandFailure } from '../../../src/cli/terminal.ts';
import { command } from './command-line.ts';

export interface Listening {
  /** URL of the service. */
  readonly from: string;
  readonly to: string;
  readonly apiKey: string;
  readonly args?: readonly string[];
  /** Run during the waits, one in each. The command ends in the wait after the last. */
  readonly steps?: readonly (() => unknown)[];
  readonly WEBHOOK_SECRET?: string | null;
}

/** Runs `listen` and returns its output with its waits, in milliseconds. */
export async function listen({ from, to, apiKey, args = [], steps = [], ...around }: Listening) {
  const waits: number[] = [];
  const left = [...steps];
  const ended = await command(['listen', '--to', to, ...args], {
    ...around,
    env: { VAULT_URL: from, VAULT_API_KEY: apiKey },
    async sleep(milliseconds) {
      waits.push(milliseconds);
      const step = left.shift();
      if (!step) throw new CommandFailure('stopped');
      await step();
    },
  });
  return { ...ended, waits };
}
