import type { Command } from 'commander';
import { backUp } from '../store/maintenance/backup.ts';
import { rowSummary } from './row-summary.ts';
import { type Context, type DataOption, dataFolder, withData } from './workplace.ts';

interface Options extends DataOption {
  readonly force?: true;
  readonly json?: true;
}

/** `backup` */
export function addBackup(program: Command, context: Context): void {
  const command = program
    .command('backup')
    .description('copy the database into a file and verify it; works beside a running server')
    .argument('<file>', 'where the backup goes')
    .option('--force', 'replace a file that is there already')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((file: string, options: Options) => run(file, options, context));
}

const examples = `
Examples:
  $ document-vault backup vault-2026-03-02.db
  $ document-vault backup /backups/vault.db --force --data /srv/vault`;

async function run(file: string, options: Options, context: Context): Promise<void> {
  const folder = dataFolder(context, options);
  const backup = await backUp({ folder, file, overwrite: options.force === true });
  const { terminal } = context;
  if (options.json) return terminal.print(JSON.stringify(backup, null, 2));
  terminal.print(`Wrote and verified ${backup.file}, ${backup.sizeBytes} bytes.`);
  terminal.print(`It holds ${rowSummary(backup.rows)}.`);
  if (backup.masterKeyId) {
    terminal.print(
      `Its secrets are sealed with master key ${backup.masterKeyId}: keep that key too.`,
    );
  }
}
