import type { Command } from 'commander';
import { operator } from '../../domain/accounts/administration.ts';
import {
  type Context,
  changing,
  configOf,
  type DataOption,
  dataFolder,
  withData,
} from '../workplace.ts';

/** `key revoke` */
export function addKeyRevoke(key: Command, context: Context): void {
  const command = key
    .command('revoke')
    .description('end an API key')
    .argument('<key id>', 'as key list shows it: key_…')
    .addHelpText('after', examples);
  withData(command).action((keyId: string, options: DataOption) => run(keyId, options, context));
}

const examples = `
Examples:
  $ document-vault key revoke key_019cadd454567cf2b3f5c9a7d4f0a1b2`;

async function run(keyId: string, options: DataOption, context: Context): Promise<void> {
  dataFolder(context, options);
  await changing(context, configOf(context, options), ({ administration }) =>
    administration.revokeKey(operator, keyId),
  );
  context.terminal.print(`Revoked ${keyId}.`);
}
