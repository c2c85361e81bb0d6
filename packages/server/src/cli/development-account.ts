import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { developmentFile, operator } from '../domain/accounts/administration.ts';
import { randomToken } from '../domain/accounts/secrets.ts';
import type { User } from '../domain/accounts/users.ts';
import { command, common } from './command.ts';
import {
  type CommandContext,
  changeDatabase,
  type DataOption,
  existingDatabase,
  nameOf,
  type OperatorServices,
} from './command-context.ts';
import { CommandError } from './errors.ts';
import { accountLine } from './terminal.ts';
import { confirmDeletion, requireTerminal } from './user.ts';

/** The account that a server in development created. */
export const developmentAccountCommands = [
  command({
    name: 'development-account remove',
    summary:
      'delete the account that a server in development created, with its vaults, documents, keys and webhooks',
    options: { yes: { help: 'delete without confirmation' }, ...common },
    async run({ yes, ...given }, context) {
      if (!yes) requireTerminal(context);
      const user = await changeAccount(given, context, async ({ administration }, account) => {
        if (!yes) await confirmDeletion(account, context);
        return administration.removeUser(operator, account.id);
      });
      return { result: user, lines: [`Deleted ${accountLine(user)}.`] };
    },
  }),
  command({
    name: 'development-account keep',
    summary: 'set a new password, shown once, and revoke the printed API key',
    options: common,
    async run(given, context) {
      const password = randomToken();
      const user = await changeAccount(given, context, ({ developmentAccounts }) =>
        developmentAccounts.keep(operator, password),
      );
      return {
        result: { ...user, password },
        lines: [
          `Kept ${accountLine(user)}. Its sessions ended; the printed API key is revoked.`,
          `Password, shown only now: ${password}`,
        ],
      };
    },
  }),
];

/** Changes the development account, then deletes the file with its old credentials. */
async function changeAccount(
  given: DataOption,
  context: CommandContext,
  change: (services: OperatorServices, account: User) => Promise<User>,
): Promise<User> {
  const config = existingDatabase(context, given);
  const user = await changeDatabase(context, given, async (services) => {
    const account = await services.developmentAccounts.find();
    if (!account) throw new CommandError(`${nameOf(config)} has no development account.`);
    return change(services, account);
  });
  await rm(join(config.data, developmentFile), { force: true });
  return user;
}
