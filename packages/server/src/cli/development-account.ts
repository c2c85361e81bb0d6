import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { developmentFile, operator } from '../domain/accounts/administration.ts';
import { randomToken } from '../domain/accounts/secrets.ts';
import type { User } from '../domain/accounts/users.ts';
import {
  type CommandContext,
  changeDatabase,
  existingDatabase,
  nameOf,
  type OperatorServices,
  type OutputOptions,
  withData,
} from './command-context.ts';
import { CommandError } from './errors.ts';
import { accountLine, printJson } from './terminal.ts';
import { confirmDeletion, requireTerminal } from './user.ts';

interface RemoveOptions extends OutputOptions {
  readonly yes?: true;
}

/** Adds the commands `development-account remove | keep`. */
export function addDevelopmentAccountCommands(program: Command, context: CommandContext): void {
  const command = program
    .command('development-account')
    .description('manage the account that a server in development created');
  withData(command.command('remove'))
    .description('delete it with its vaults, documents, keys and webhooks')
    .option('--yes', 'delete without confirmation')
    .option('--json', 'print JSON')
    .action((options: RemoveOptions) => remove(options, context));
  withData(command.command('keep'))
    .description('set a new password, shown once, and revoke the printed API key')
    .option('--json', 'print JSON')
    .action((options: OutputOptions) => keep(options, context));
}

async function remove(options: RemoveOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  if (!options.yes) requireTerminal(context);
  const user = await changeAccount(options, context, async ({ administration }, account) => {
    if (!options.yes) await confirmDeletion(account, context);
    return administration.removeUser(operator, account.id);
  });
  if (options.json) return printJson(terminal, user);
  terminal.print(`Deleted ${accountLine(user)}.`);
}

async function keep(options: OutputOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const password = randomToken();
  const user = await changeAccount(options, context, ({ developmentAccounts }) =>
    developmentAccounts.keep(operator, password),
  );
  if (options.json) return printJson(terminal, { ...user, password });
  terminal.print(`Kept ${accountLine(user)}. Its sessions ended; the printed API key is revoked.`);
  terminal.print(`Password, shown only now: ${password}`);
}

/** Changes the development account, then deletes the file with its old credentials. */
async function changeAccount(
  options: OutputOptions,
  context: CommandContext,
  change: (services: OperatorServices, account: User) => Promise<User>,
): Promise<User> {
  const config = existingDatabase(context, options);
  const user = await changeDatabase(context, options, async (services) => {
    const account = await services.developmentAccounts.find();
    if (!account) throw new CommandError(`${nameOf(config)} has no development account.`);
    return change(services, account);
  });
  await rm(join(config.data, developmentFile), { force: true });
  return user;
}
