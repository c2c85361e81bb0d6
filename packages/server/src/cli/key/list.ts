import type { Command } from 'commander';
import { operator } from '../../domain/accounts/administration.ts';
import { table } from '../table.ts';
import { type Context, type DataOption, reading, withData } from '../workplace.ts';

interface Options extends DataOption {
  readonly user?: string;
  readonly json?: true;
}

/** `key list` */
export function addKeyList(key: Command, context: Context): void {
  const command = key
    .command('list')
    .description('show the API keys; works beside a running server')
    .option('--user <account>', 'those of one account: email address or id')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((options: Options) => run(options, context));
}

const examples = `
Examples:
  $ document-vault key list
  $ document-vault key list --user ada@example.com --json`;

async function run(options: Options, context: Context): Promise<void> {
  const keys = await reading(context, options, ({ administration }) =>
    administration.keys(operator, options.user),
  );
  const { terminal } = context;
  if (options.json) return terminal.print(JSON.stringify(keys, null, 2));
  const rows = keys.map((key) => [
    key.keyId,
    key.email,
    key.name,
    `${key.prefix}…`,
    key.scopes.join(','),
    key.lastUsedAt ?? 'never',
    key.expiresAt ?? 'never',
  ]);
  const headings = ['KEY ID', 'ACCOUNT', 'NAME', 'KEY', 'SCOPES', 'LAST USED', 'EXPIRES'];
  terminal.print(table(headings, rows));
}
