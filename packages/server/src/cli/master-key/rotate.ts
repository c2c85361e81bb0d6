import type { Command } from 'commander';
import { loadNewMasterKey } from '../../config/config.ts';
import { type Context, type DataOption, withData } from '../workplace.ts';
import { replaceMasterKey } from './replacing.ts';

interface Options extends DataOption {
  readonly json?: true;
}

/** `master-key rotate` */
export function addMasterKeyRotate(masterKey: Command, context: Context): void {
  const command = masterKey
    .command('rotate')
    .description('seal the stored secrets with a new master key')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((options: Options) => run(options, context));
}

const examples = `
The present key is read from DOCUMENT_VAULT_MASTER_KEY or DOCUMENT_VAULT_MASTER_KEY_FILE, the new one
from DOCUMENT_VAULT_MASTER_KEY_NEW or DOCUMENT_VAULT_MASTER_KEY_NEW_FILE. All secrets are sealed anew
in one transaction: an interruption leaves all of them to one key, the present or the new one.

Examples:
  $ DOCUMENT_VAULT_MASTER_KEY_FILE=master.key DOCUMENT_VAULT_MASTER_KEY_NEW_FILE=new.key \\
      document-vault master-key rotate`;

async function run(options: Options, context: Context): Promise<void> {
  const newKey = loadNewMasterKey(context.env);
  const replacement = await replaceMasterKey(context, options, newKey);
  const { terminal } = context;
  if (options.json) return terminal.print(JSON.stringify(replacement, null, 2));
  const { before, after, secrets } = replacement;
  terminal.print(`Sealed ${secrets} secrets with master key ${after} in place of ${before}.`);
  terminal.print(`Start the server with ${after}. Backups made before still need ${before}.`);
}
