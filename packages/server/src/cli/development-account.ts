import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { developmentFile, operator } from '../domain/accounts/administration.ts';
import { randomToken } from '../domain/accounts/secrets.ts';
import type { User } from '../domain/accounts/users.ts';
import { CommandError, UsageError } from './failures.ts';
import { accountLine } from './user/account-line.ts';
import { confirmRemoval } from './user/delete.ts';
import {
  type Context,
  changing,
  configOf,
  type DataOption,
  dataFolder,
  type Workplace,
  withData,
} from './workplace.ts';

interface Options extends DataOption {
  readonly json?: true;
}

interface RemoveOptions extends Options {
  readonly yes?: true;
}

/** `development-account remove` and `keep` */
export function addDevelopmentAccount(program: Command, context: Context): void {
  const command = program
    .command('development-account')
    .description('the account that a server in development made');
  withData(command.command('remove'))
    .description('remove it with its vaults, documents, keys and webhooks')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action((options: RemoveOptions) => remove(options, context));
  withData(command.command('keep'))
    .description('give it a new password, shown once, and revoke the API key that was printed')
    .option('--json', 'print JSON')
    .action((options: Options) => keep(options, context));
}

async function remove(options: RemoveOptions, context: Context): Promise<void> {
  const { terminal } = context;
  if (!options.yes && !terminal.isInteractive) {
    throw new UsageError('No terminal to confirm on. Pass --yes to delete without confirmation.');
  }
  const user = await withAccount(options, context, async ({ administration }, account) => {
    if (!options.yes) await confirmRemoval(account, context);
    return administration.removeUser(operator, account.id);
  });
  terminal.print(options.json ? JSON.stringify(user, null, 2) : `Deleted ${accountLine(user)}.`);
}

async function keep(options: Options, context: Context): Promise<void> {
  const { terminal } = context;
  const password = randomToken();
  const user = await withAccount(options, context, ({ developmentAccounts }) =>
    developmentAccounts.keep(operator, password),
  );
  if (options.json) return terminal.print(JSON.stringify({ ...user, password }, null, 2));
  terminal.print(`Kept ${accountLine(user)}. Its sessions ended; the printed API key is revoked.`);
  terminal.print(`Password, shown this once: ${password}`);
}

/** Changes the development account, and removes the file with its old credentials. */
async function withAccount(
  options: Options,
  context: Context,
  change: (place: Workplace, account: User) => Promise<User>,
): Promise<User> {
  const folder = dataFolder(context, options);
  const user = await changing(context, configOf(context, options), async (place) => {
    const account = await place.developmentAccounts.find();
    if (!account) throw new CommandError(`The database in ${folder} has no development account.`);
    return change(place, account);
  });
  await rm(join(folder, developmentFile), { force: true });
  return user;
}
