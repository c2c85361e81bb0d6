import type { Command } from 'commander';
import { restore } from '../store/maintenance/restore.ts';
import { rowSummary } from './row-summary.ts';
import { type Context, configOf, type DataOption, withData } from './workplace.ts';

interface Options extends DataOption {
  readonly json?: true;
}

/** `restore` */
export function addRestore(program: Command, context: Context): void {
  const command = program
    .command('restore')
    .description('put a verified backup in the place of the database, which is kept beside it')
    .argument('<file>', 'the backup')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((file: string, options: Options) => run(file, options, context));
}

const examples = `
Examples:
  $ document-vault restore vault-2026-03-02.db
  $ document-vault restore /backups/vault.db --data /srv/vault`;

async function run(file: string, options: Options, context: Context): Promise<void> {
  const { data: folder, masterKey } = configOf(context, options);
  const restoration = await restore({ folder, file, now: context.clock.now(), masterKey });
  const { terminal } = context;
  if (options.json) return terminal.print(JSON.stringify(restoration, null, 2));
  terminal.print(`Restored ${restoration.file} with ${rowSummary(restoration.rows)}.`);
  const { masterKeyId } = restoration;
  if (masterKeyId) {
    terminal.print(
      `Its secrets are sealed with master key ${masterKeyId}: start the server with it.`,
    );
  }
  if (restoration.replaced) terminal.print(`What was there before is ${restoration.replaced}.`);
}
