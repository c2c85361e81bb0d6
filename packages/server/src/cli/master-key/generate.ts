import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { Context } from '../workplace.ts';

/** `master-key generate` */
export function addMasterKeyGenerate(masterKey: Command, { terminal }: Context): void {
  masterKey
    .command('generate')
    .description('print a new master key; stores nothing')
    .addHelpText('after', examples)
    .action(() => terminal.print(randomBytes(32).toString('base64')));
}

const examples = `
Keep the key apart from the data folder and its backups. Without it, the server does not start.

Examples:
  $ (umask 077; document-vault master-key generate > master.key)`;
