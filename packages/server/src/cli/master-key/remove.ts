import type { Command } from 'commander';
import { type Context, type DataOption, withData } from '../workplace.ts';
import { replaceMasterKey } from './replacing.ts';

interface Options extends DataOption {
  readonly json?: true;
}

/** `master-key remove` */
export function addMasterKeyRemove(masterKey: Command, context: Context): void {
  const command = masterKey
    .command('remove')
    .description('store the secrets as they are again, without a master key')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((options: Options) => run(options, context));
}

const examples = `
The key is read from DOCUMENT_VAULT_MASTER_KEY or DOCUMENT_VAULT_MASTER_KEY_FILE. Start the server
without it afterwards: a start with a master key seals the secrets again.

Examples:
  $ DOCUMENT_VAULT_MASTER_KEY_FILE=master.key document-vault master-key remove`;

async function run(options: Options, context: Context): Promise<void> {
  const replacement = await replaceMasterKey(context, options, null);
  const { terminal } = context;
  if (options.json) return terminal.print(JSON.stringify(replacement, null, 2));
  terminal.print(`Stored ${replacement.secrets} secrets without a master key.`);
  terminal.print('Start the server without one: a start with a master key seals them again.');
}
