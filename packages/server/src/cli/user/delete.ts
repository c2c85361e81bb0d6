import type { Command } from 'commander';
import { operator } from '../../domain/accounts/administration.ts';
import type { User } from '../../domain/accounts/users.ts';
import { CommandError, UsageError } from '../failures.ts';
import { printable } from '../table.ts';
import { type Context, changing, configOf, dataFolder } from '../workplace.ts';
import { accountLine } from './account-line.ts';
import { type StandingOptions, withAccount } from './standing.ts';

interface Options extends StandingOptions {
  readonly yes?: true;
}

/** `user delete` */
export function addUserDelete(user: Command, context: Context): void {
  withAccount(user.command('delete'))
    .description('remove an account with its vaults, documents, keys and webhooks')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples)
    .action((account: string, options: Options) => run(account, options, context));
}

const examples = `
Examples:
  $ document-vault user delete ada@example.com
  $ document-vault user delete ada@example.com --yes`;

async function run(account: string, options: Options, context: Context): Promise<void> {
  const { terminal } = context;
  if (!options.yes && !terminal.isInteractive) {
    throw new UsageError('No terminal to confirm on. Pass --yes to delete without confirmation.');
  }
  dataFolder(context, options);
  const user = await changing(context, configOf(context, options), async ({ administration }) => {
    if (!options.yes) await confirmRemoval(await administration.user(operator, account), context);
    return administration.removeUser(operator, account);
  });
  terminal.print(options.json ? JSON.stringify(user, null, 2) : `Deleted ${accountLine(user)}.`);
}

/** Asks for the address of the account that is to be removed. */
export async function confirmRemoval({ email }: User, { terminal }: Context): Promise<void> {
  const shown = printable(email);
  const question = `This removes ${shown} with all vaults and documents. Type the address to go on: `;
  const answer = await terminal.ask(question);
  if (answer.trim() !== email) throw new CommandError('Nothing was deleted.');
}
