import type { Command } from 'commander';
import { operator } from '../../domain/accounts/administration.ts';
import type { Tier } from '../../domain/shapes.ts';
import {
  type Context,
  changing,
  configOf,
  type DataOption,
  dataFolder,
  withData,
} from '../workplace.ts';
import { accountLine } from './account-line.ts';

export interface StandingOptions extends DataOption {
  readonly json?: true;
}

/** Gives a command what those that change an account have in common. */
export function withAccount(command: Command): Command {
  return withData(
    command.argument('<account>', 'email address or id').option('--json', 'print JSON'),
  );
}

export interface StandingChange {
  readonly account: string;
  readonly standing: { readonly tier?: Tier; readonly status?: 'active' | 'suspended' };
  readonly options: StandingOptions;
}

/** Changes an account and shows it. */
export async function changeStanding(context: Context, change: StandingChange): Promise<void> {
  const { account, standing, options } = change;
  dataFolder(context, options);
  const user = await changing(context, configOf(context, options), ({ administration }) =>
    administration.setStanding(operator, account, standing),
  );
  const { terminal } = context;
  terminal.print(options.json ? JSON.stringify(user, null, 2) : `Now ${accountLine(user)}.`);
}
