import type { Command } from 'commander';
import { loadConfig } from '../config/config.ts';
import { helpText } from '../config/options.ts';
import type { RunningServer } from '../start.ts';
import { version } from '../version.ts';
import { endingOf } from './failures.ts';
import type { Terminal } from './terminal.ts';
import type { Context } from './workplace.ts';

/** `start`: its flags are those of the configuration, which reads them itself and names every mistake at once. */
export function addStart(program: Command, context: Context, flags: readonly string[]): void {
  program
    .command('start')
    .description('start the server; what happens without a command')
    .usage('[flags]')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', () => `\n${helpText()}\n${examples}`)
    .action(() => run(context, flags));
}

const examples = `
Examples:
  $ document-vault start
  $ document-vault start --port 4100 --data /srv/vault
  $ document-vault start --production --base-url https://vault.example.com`;

async function run({ env, terminal }: Context, flags: readonly string[]): Promise<void> {
  const config = loadConfig({ argv: flags, env });
  // The other commands do without the front door and what it takes to load it.
  const { run: start } = await import('../start.ts');
  const starting = start(config);
  closeOnSignal(starting, terminal);
  const server = await starting;
  terminal.print(banner(server, config.data));
}

function banner({ url, account }: RunningServer, data: string): string {
  const lines = [
    '',
    `  Document Vault ${version} is listening on ${url}`,
    '',
    `  Reference  ${url}/docs`,
    `  Data       ${data}`,
  ];
  if (account) {
    lines.push(
      `  Account    ${account.email}  password ${account.password}`,
      `  API key    ${account.apiKey}`,
    );
  }
  return [...lines, ''].join('\n');
}

/** What a shell reports for a process that a signal has ended. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ends the process when it is asked to, once what runs is finished, the start included; asked again,
 * at once.
 */
function closeOnSignal(starting: Promise<RunningServer>, terminal: Terminal): void {
  let closing = false;
  const close = (signal: keyof typeof exitCodes) => {
    if (closing) process.exit(exitCodes[signal]);
    closing = true;
    starting
      .then((server) => server.close())
      .then(
        () => process.exit(0),
        (error) => {
          terminal.complain(endingOf(error).message ?? '');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', close);
  process.on('SIGINT', close);
}
