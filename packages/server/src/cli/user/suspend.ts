import type { Command } from 'commander';
import type { Context } from '../workplace.ts';
import { changeStanding, type StandingOptions, withAccount } from './standing.ts';

/** `user suspend` */
export function addUserSuspend(user: Command, context: Context): void {
  withAccount(user.command('suspend'))
    .description('answer every request of an account 403, until it is resumed')
    .addHelpText('after', examples)
    .action((account: string, options: StandingOptions) =>
      changeStanding(context, { account, standing: { status: 'suspended' }, options }),
    );
}

const examples = `
Examples:
  $ document-vault user suspend ada@example.com`;
