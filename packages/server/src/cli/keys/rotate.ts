import type { Command } from 'commander';
import { createSigningKeys } from '../../domain/accounts/access-tokens.ts';
import {
  type Context,
  changing,
  configOf,
  type DataOption,
  dataFolder,
  withData,
} from '../workplace.ts';

interface Options extends DataOption {
  readonly json?: true;
}

/** `keys rotate` */
export function addKeysRotate(keys: Command, context: Context): void {
  const command = keys
    .command('rotate')
    .description('sign access tokens with a new key from now on')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((options: Options) => run(options, context));
}

const examples = `
Examples:
  $ document-vault keys rotate`;

async function run(options: Options, context: Context): Promise<void> {
  dataFolder(context, options);
  const kid = await changing(context, configOf(context, options), async ({ store }) =>
    (await createSigningKeys(store, context.clock)).rotate(),
  );
  const { terminal } = context;
  if (options.json) return terminal.print(JSON.stringify({ kid }, null, 2));
  terminal.print(`Access tokens are signed with ${kid} from now on.`);
  terminal.print('Those signed before are good until they expire.');
}
