#!/usr/bin/env node
import { ConfigError, helpText, loadConfig } from './config.ts';
import { type RunningServer, run, UnsupportedNodeError } from './start.ts';
import { DatabaseInUseError, DatabaseRefusedError } from './store/drivers/sqlite/errors.ts';
import { MigrationError } from './store/migrations.ts';
import { version } from './version.ts';

/** Where people look; the log goes to standard error. */
function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function banner({ url, account }: RunningServer, data: string): string {
  const lines = [
    '',
    `  Document Vault ${version} is listening on ${url}`,
    '',
    `  Contract   ${url}/openapi/v1.json`,
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

/** Ends the process when it is asked to, once what runs is finished. */
function closeOnSignal(server: RunningServer): void {
  let closing = false;
  const close = async () => {
    if (closing) return;
    closing = true;
    await server.close();
    process.exit(0);
  };
  process.on('SIGTERM', close);
  process.on('SIGINT', close);
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes('--help')) return print(helpText());
  if (argv.includes('--version')) return print(version);

  const config = loadConfig({ argv, env: process.env });
  const server = await run(config);
  closeOnSignal(server);
  print(banner(server, config.data));
}

/** Why the server did not start: a sentence for what its operator can mend, everything else in full. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `${message}. Stop what listens there, or choose another --port.`;
  const isMendable = mendable.some((kind) => error instanceof kind);
  return isMendable ? message : (error.stack ?? message);
}

const mendable = [
  UnsupportedNodeError,
  ConfigError,
  DatabaseInUseError,
  DatabaseRefusedError,
  MigrationError,
];

try {
  await main();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
