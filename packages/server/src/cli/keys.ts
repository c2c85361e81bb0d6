import type { Command } from 'commander';
import { createSigningKeys } from '../domain/accounts/access-tokens.ts';
import {
  type CommandContext,
  changeDatabase,
  type OutputOptions,
  withData,
} from './command-context.ts';
import { printJson } from './terminal.ts';

interface RotateOptions extends OutputOptions {
  readonly now?: true;
}

/** Adds the command `keys rotate`. */
export function addKeysCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('manage the keys that sign access tokens');
  const command = keys
    .command('rotate')
    .description('publish a new key, which signs access tokens after 5 minutes')
    .option('--now', 'sign with the new key at once: for a key that others may have')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Programs that verify access tokens may cache the published keys for 5 minutes. Without --now, the new key
signs after that time. With --now, such programs can reject new tokens until they load the keys again.
Tokens of the old key stay valid until they expire, at most 65 minutes after the new key starts to sign.

Examples:
  $ document-vault keys rotate
  $ document-vault keys rotate --now`,
    );
  withData(command).action((options: RotateOptions) => rotate(options, context));
}

async function rotate(options: RotateOptions, context: CommandContext): Promise<void> {
  const { kid, signsFrom } = await changeDatabase(context, options, async ({ store }) =>
    (await createSigningKeys(store, context.clock)).rotate({ now: options.now ?? false }),
  );
  const { terminal } = context;
  const from = new Date(signsFrom).toISOString();
  if (options.json) return printJson(terminal, { kid, signsFrom: from });
  terminal.print(
    options.now
      ? `The key ${kid} signs access tokens from now on.`
      : `The key ${kid} is published now and signs access tokens from ${from}.`,
  );
  terminal.print('Earlier access tokens stay valid until they expire.');
}
