import type { Command } from 'commander';
import { createSigningKeys } from '../domain/accounts/access-tokens.ts';
import {
  type CommandContext,
  changeDatabase,
  type OutputOptions,
  withData,
} from './command-context.ts';
import { printJson } from './terminal.ts';

/** Adds the command `keys rotate`. */
export function addKeysCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('manage the keys that sign access tokens');
  const command = keys
    .command('rotate')
    .description('create a new signing key for access tokens')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault keys rotate`,
    );
  withData(command).action((options: OutputOptions) => rotate(options, context));
}

async function rotate(options: OutputOptions, context: CommandContext): Promise<void> {
  const kid = await changeDatabase(context, options, async ({ store }) =>
    (await createSigningKeys(store, context.clock)).rotate(),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, { kid });
  terminal.print(`The server signs new access tokens with ${kid}.`);
  terminal.print('Earlier access tokens stay valid until they expire.');
}
