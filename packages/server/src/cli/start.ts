import type { RunningServer } from '../app/start.ts';
import { type Config, databaseFlag, databaseName, loadConfig } from '../config/config.ts';
import { helpText } from '../config/options.ts';
import { version } from '../lib/version.ts';
import { command } from './command.ts';
import { endingOf } from './errors.ts';
import type { Terminal } from './terminal.ts';

export const startCommand = command({
  name: 'start',
  summary: 'start the server; the default command',
  options: {},
  takesConfiguration: true,
  notes: helpText(),
  examples: [
    'document-vault start',
    'document-vault start --port 4100 --data /srv/vault',
    'document-vault start --production --base-url https://vault.example.com',
  ],
  async run(_, { env, terminal }, args) {
    const config = loadConfig({ argv: args, env });
    // Otherwise graphql-js searches for a second copy of itself at each field of a result: a tenth of a query's time.
    process.env.NODE_ENV ??= 'production';
    // Loaded here only: the other commands do not need the HTTP server.
    const { run } = await import('../app/start.ts');
    const starting = run(config);
    closeOnSignal(starting, terminal);
    return { result: null, lines: [banner(await starting, config)] };
  },
});

function banner(server: RunningServer, config: Config): string {
  const { url, localUrl, account, hasAccounts } = server;
  const lines = [
    '',
    `  Document Vault ${version} is listening on ${localUrl}`,
    '',
    ...(url === localUrl ? [] : [`  Base URL   ${url}`]),
    ...(config.console ? [`  Console    ${url}/console/`] : []),
    `  Reference  ${url}/docs`,
    `  Data       ${databaseName(config)}`,
    `  Mode       ${config.mode}: ${limitsText(config)}`,
  ];
  if (account) {
    lines.push(
      `  Account    ${account.email}  password ${account.password}`,
      `  API key    ${account.apiKey}`,
    );
  }
  if (!hasAccounts) {
    const command = 'document-vault user create --email <address> --name <name> --role admin';
    lines.push(
      `  Next       create the first account, in another terminal:`,
      `             ${command}${databaseFlag(config)}`,
    );
  }
  return [...lines, ''].join('\n');
}

/** Says what new users meet: development and production differ. */
function limitsText({ defaultTier, requestsPerMinute, registration }: Config): string {
  const perMinute = requestsPerMinute[defaultTier];
  const tier = `new accounts and addresses are ${defaultTier} tier (${perMinute} requests a minute)`;
  return `${tier}, registration is ${registration}`;
}

/** The exit codes that a shell reports for a process ended by the signal. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Shuts the server down on the first signal and exits at once on the second. A signal during the start
 * takes effect after it.
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
          terminal.printError(endingOf(error).message);
          process.exit(1);
        },
      );
  };
  for (const signal of Object.keys(exitCodes)) process.on(signal, close);
}
