import { Argument, type Command } from 'commander';
import type { Tier } from '../../domain/shapes.ts';
import type { Context } from '../workplace.ts';
import { tiers } from './create.ts';
import { changeStanding, type StandingOptions, withAccount } from './standing.ts';

/** `user set-tier` */
export function addUserSetTier(user: Command, context: Context): void {
  withAccount(user.command('set-tier'))
    .description('change the limits of an account')
    .addArgument(new Argument('<tier>', 'limits from now on').choices(tiers))
    .addHelpText('after', examples)
    .action((account: string, tier: Tier, options: StandingOptions) =>
      changeStanding(context, { account, standing: { tier }, options }),
    );
}

const examples = `
Examples:
  $ document-vault user set-tier ada@example.com paid`;
