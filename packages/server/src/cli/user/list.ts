import type { Command } from 'commander';
import { operator } from '../../domain/accounts/administration.ts';
import { table } from '../table.ts';
import { type Context, type DataOption, reading, withData } from '../workplace.ts';

interface Options extends DataOption {
  readonly json?: true;
}

/** `user list` */
export function addUserList(user: Command, context: Context): void {
  const command = user
    .command('list')
    .description('show every account; works beside a running server')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((options: Options) => run(options, context));
}

const examples = `
Examples:
  $ document-vault user list
  $ document-vault user list --json`;

async function run(options: Options, context: Context): Promise<void> {
  const users = await reading(context, options, ({ administration }) =>
    administration.users(operator),
  );
  const { terminal } = context;
  if (options.json) return terminal.print(JSON.stringify(users, null, 2));
  const rows = users.map(({ email, name, role, tier, status, createdAt, id }) => [
    email,
    name,
    role,
    tier,
    status,
    createdAt,
    id,
  ]);
  terminal.print(table(['EMAIL', 'NAME', 'ROLE', 'TIER', 'STATUS', 'CREATED', 'ID'], rows));
}
