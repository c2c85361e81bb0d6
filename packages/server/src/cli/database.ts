import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { examine } from '../store/maintenance/checks.ts';
import { migrate } from '../store/migrations.ts';
import { databaseFileIn, openSqlite } from '../store/sqlite/driver.ts';
import {
  type CommandContext,
  configOf,
  existingDatabase,
  type OutputOptions,
  openSnapshotOf,
  withData,
  withDatabaseAlone,
} from './command-context.ts';
import { CommandError, ReportedError, UsageError } from './errors.ts';
import { printJson, rowSummary } from './terminal.ts';

/** Adds the commands `migrate` and `move`. */
export function addDatabaseCommands(program: Command, context: CommandContext): void {
  const migration = program
    .command('migrate')
    .description('update the schema of the database; every start does this too')
    .option('--json', 'print JSON');
  withData(migration).action((options: OutputOptions) => updateSchema(options, context));
  addMove(program, context);
}

async function updateSchema(options: OutputOptions, context: CommandContext): Promise<void> {
  const { clock, terminal } = context;
  const { data: folder, databaseUrl } = existingDatabase(context, options);
  const driver =
    databaseUrl === null
      ? await openSqlite({ folder, use: 'alone' })
      : await (await import('../store/postgres/driver.ts')).openPostgres({ url: databaseUrl });
  try {
    // Servers of the version before can go on using a PostgreSQL database.
    const applied = await driver.exclusively(() => migrate(driver, { clock }));
    const migrations = applied.map(({ version, name }) => ({ version, name }));
    if (options.json) return printJson(terminal, { migrations });
    for (const { version, name } of migrations) terminal.print(`Applied ${version} (${name}).`);
    if (migrations.length === 0) terminal.print('The schema is the one of this version.');
  } finally {
    await driver.close();
  }
}

interface MoveOptions extends OutputOptions {
  readonly to?: string;
}

function addMove(program: Command, context: CommandContext): void {
  const command = program
    .command('move')
    .description('copy a data folder into an empty PostgreSQL database and verify it')
    .option('--to <url>', 'PostgreSQL database (default: DOCUMENT_VAULT_DATABASE_URL)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
No server may use the folder or the database meanwhile. The command compares all rows by counts and sums, and
runs the checks of doctor. The exit code is 1 when a check finds a problem. In the folder, no row changes; its
schema is updated. Other users of the machine can read the arguments of a command: put a URL with a password into
DOCUMENT_VAULT_DATABASE_URL.

Examples:
  $ DOCUMENT_VAULT_DATABASE_URL=postgres://vault@db.internal/vault document-vault move --data /srv/vault
  $ document-vault move --to postgres://vault@db.internal/vault`,
    );
  withData(command).action((options: MoveOptions) => move(options, context));
}

async function move(options: MoveOptions, context: CommandContext): Promise<void> {
  const { clock, terminal } = context;
  const env = {
    ...context.env,
    ...(options.to !== undefined && { DOCUMENT_VAULT_DATABASE_URL: options.to }),
  };
  const config = configOf({ ...context, env }, options);
  const { data: folder, databaseUrl } = config;
  if (databaseUrl === null) {
    throw new UsageError(
      'Name the PostgreSQL database in DOCUMENT_VAULT_DATABASE_URL or with --to.',
    );
  }
  if (!existsSync(databaseFileIn(folder))) {
    throw new CommandError(`${folder} contains no database. Name another folder with --data.`);
  }
  const { importInto } = await import('../store/postgres/import.ts');
  const rows = await withDatabaseAlone({ ...config, databaseUrl: null }, async (source) => {
    await migrate(source, { clock });
    return withDatabaseAlone(config, async (target) => {
      await migrate(target, { clock });
      return importInto(databaseUrl, source.reader);
    });
  });
  const snapshot = await openSnapshotOf(config);
  const findings = await examine(snapshot).finally(() => snapshot.close());
  const problems = findings.flatMap((finding) => finding.problems);
  if (options.json) {
    printJson(terminal, { rows, problems });
  } else {
    terminal.print(`Copied ${rowSummary(rows)}. Counts and sums of all columns are equal.`);
    terminal.print(`${findings.length} checks of doctor, ${problems.length} problems.`);
    for (const problem of problems) terminal.print(`  ${problem}`);
  }
  if (problems.length > 0) throw new ReportedError('there are problems');
  if (!options.json) {
    terminal.print(
      `Start servers with DOCUMENT_VAULT_DATABASE_URL. ${folder} is not used any more.`,
    );
  }
}
