import type { Command } from 'commander';
import type { Context } from '../workplace.ts';
import { changeStanding, type StandingOptions, withAccount } from './standing.ts';

/** `user resume` */
export function addUserResume(user: Command, context: Context): void {
  withAccount(user.command('resume'))
    .description('let a suspended account in again, with the tokens and keys it has')
    .addHelpText('after', examples)
    .action((account: string, options: StandingOptions) =>
      changeStanding(context, { account, standing: { status: 'active' }, options }),
    );
}

const examples = `
Examples:
  $ document-vault user resume ada@example.com`;
