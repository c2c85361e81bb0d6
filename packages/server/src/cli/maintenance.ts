import type { Command } from 'commander';
import type { Clock } from '../clock.ts';
import { type Config, objectStoreOf } from '../config/config.ts';
import { createContents, openObjects } from '../store/contents/open-contents.ts';
import { backUp } from '../store/maintenance/backup.ts';
import { examine, examinePermissions, type Finding } from '../store/maintenance/checks.ts';
import { examineContents } from '../store/maintenance/content-check.ts';
import { restore as restoreBackup } from '../store/maintenance/restore.ts';
import { examineSealing } from '../store/maintenance/sealing-check.ts';
import { createSealer } from '../store/sealing.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { requireLocalFolder } from '../store/sqlite/data-folder.ts';
import { DatabaseUnreadableError } from '../store/sqlite/errors.ts';
import { createStore } from '../store/store.ts';
import {
  type CommandContext,
  configOf,
  existingDatabase,
  type OutputOptions,
  openSnapshotOf,
  withData,
} from './command-context.ts';
import { CommandError, ReportedError } from './errors.ts';
import { printable, printJson, rowSummary } from './terminal.ts';

/** Adds the commands `backup`, `restore` and `doctor`. */
export function addMaintenanceCommands(program: Command, context: CommandContext): void {
  addBackup(program, context);
  addRestore(program, context);
  addDoctor(program, context);
}

interface BackupOptions extends OutputOptions {
  readonly force?: true;
}

function addBackup(program: Command, context: CommandContext): void {
  const command = program
    .command('backup')
    .description('copy the database into a file and verify it; can run while the server runs')
    .argument('<file>', 'file of the backup')
    .option('--force', 'replace an existing file')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault backup vault-2026-03-02.db
  $ document-vault backup /backups/vault.db --force --data /srv/vault`,
    );
  withData(command).action((file: string, options: BackupOptions) =>
    backup(file, options, context),
  );
}

async function backup(
  file: string,
  options: BackupOptions,
  context: CommandContext,
): Promise<void> {
  const config = existingDatabase(context, options);
  refusePostgres(config, 'pg_dump --format=custom --file=FILE "$DOCUMENT_VAULT_DATABASE_URL"');
  const { data: folder } = config;
  const result = await backUp({ folder, file, overwrite: options.force === true });
  const { terminal } = context;
  if (options.json) return printJson(terminal, result);
  terminal.print(`Wrote and verified ${result.file}, ${result.sizeBytes} bytes.`);
  terminal.print(`The backup contains ${rowSummary(result.rows)}.`);
  const { masterKeyId } = result;
  if (masterKeyId) {
    terminal.print(`Master key ${masterKeyId} seals its secrets. Keep that key too.`);
  }
  if (result.contentsInS3 > 0) {
    terminal.print(
      `${result.contentsInS3} contents are in S3, and not in the backup. Keep the bucket, and set DOCUMENT_VAULT_CONTENTS_GRACE to how long you keep backups.`,
    );
  }
}

/** @throws CommandError for a PostgreSQL database, naming its own command and point-in-time recovery */
function refusePostgres({ databaseUrl }: Config, instead: string): void {
  if (databaseUrl === null) return;
  throw new CommandError(
    `PostgreSQL has its own backups. Run ${instead}. To return to any moment, set up continuous archiving and point-in-time recovery: https://www.postgresql.org/docs/current/continuous-archiving.html`,
  );
}

function addRestore(program: Command, context: CommandContext): void {
  const command = program
    .command('restore')
    .description('replace the database with a verified backup; keeps the replaced files')
    .argument('<file>', 'file of the backup')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault restore vault-2026-03-02.db
  $ document-vault restore /backups/vault.db --data /srv/vault`,
    );
  withData(command).action((file: string, options: OutputOptions) =>
    restore(file, options, context),
  );
}

async function restore(
  file: string,
  options: OutputOptions,
  context: CommandContext,
): Promise<void> {
  const config = configOf(context, options);
  refusePostgres(
    config,
    'pg_restore --dbname="$DOCUMENT_VAULT_DATABASE_URL" FILE into an empty database',
  );
  const { data: folder, masterKey } = config;
  const result = await restoreBackup({ folder, file, now: context.clock.now(), masterKey });
  const { terminal } = context;
  if (options.json) return printJson(terminal, result);
  terminal.print(`Restored ${result.file} with ${rowSummary(result.rows)}.`);
  const { masterKeyId } = result;
  if (masterKeyId) {
    terminal.print(`Master key ${masterKeyId} seals its secrets. Start the server with that key.`);
  }
  if (result.contentsInS3 > 0) {
    terminal.print(
      `${result.contentsInS3} contents are in S3, and not in the backup. Start the server with their bucket in DOCUMENT_VAULT_CONTENTS; doctor --contents finds those that are missing.`,
    );
  }
  if (result.replaced) terminal.print(`The replaced database is kept in ${result.replaced}.`);
}

function addDoctor(program: Command, context: CommandContext): void {
  const command = program
    .command('doctor')
    .description('check the database; changes nothing and can run while the server runs')
    .option('--contents', 'also read all contents and compare them with their digests')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The exit code is 1 when a check finds a problem. --contents takes as long as reading everything that is
stored, in the database and in S3.

Examples:
  $ document-vault doctor
  $ document-vault doctor --contents
  $ document-vault doctor --json --data /srv/vault`,
    );
  withData(command).action((options: DoctorOptions) => doctor(options, context));
}

interface DoctorOptions extends OutputOptions {
  readonly contents?: boolean | undefined;
}

async function doctor(options: DoctorOptions, context: CommandContext): Promise<void> {
  const config = existingDatabase(context, options);
  if (config.databaseUrl === null) requireLocalFolder(config.data);
  const findings = [
    ...(await examineDatabase(config, options, context)),
    ...(config.databaseUrl === null ? [await examinePermissions(config.data)] : []),
  ];
  const failed = findings.filter(({ problems }) => problems.length > 0);
  const { terminal } = context;
  if (options.json) {
    const checks = findings.map((finding) => ({ ...finding, ok: finding.problems.length === 0 }));
    printJson(terminal, { ok: failed.length === 0, checks });
  } else {
    for (const finding of findings) terminal.print(describe(finding));
    terminal.print(`${findings.length} checks, ${failed.length} with problems.`);
  }
  if (failed.length > 0) throw new ReportedError('there are problems');
}

async function examineDatabase(
  config: Config,
  { contents }: DoctorOptions,
  { clock }: CommandContext,
): Promise<readonly Finding[]> {
  let snapshot: Snapshot;
  try {
    snapshot = await openSnapshotOf(config);
  } catch (error) {
    if (!(error instanceof DatabaseUnreadableError)) throw error;
    return [{ name: 'database', title: 'The database can be opened', problems: [error.message] }];
  }
  try {
    const findings = [...(await examine(snapshot)), await examineSealing(snapshot, config)];
    const isSound = findings.every(({ problems }) => problems.length === 0);
    if (!contents) return findings;
    return [
      ...findings,
      isSound ? await readContents(snapshot, { config, clock }) : unreadContents,
    ];
  } finally {
    await snapshot.close();
  }
}

/** Reading contents by unsound rows would report the same problems again. */
const unreadContents: Finding = {
  name: 'contents',
  title: 'Contents have the digests of their documents',
  problems: ['the contents were not read, because of the problems above'],
};

async function readContents(
  snapshot: Snapshot,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
): Promise<Finding> {
  const store = createStore(snapshot, createSealer(config.masterKey));
  const objects = await openObjects(objectStoreOf(config), store);
  try {
    const contents = createContents({ store, clock, objects });
    return await examineContents({ queries: snapshot.reader, store, contents });
  } finally {
    objects?.close();
  }
}

function describe({ title, problems, warnings = [] }: Finding): string {
  const passed = warnings.length === 0 ? 'ok      ' : 'warning ';
  const mark = problems.length === 0 ? passed : 'problem ';
  return [
    `${mark} ${title}`,
    ...[...problems, ...warnings].map((line) => `           ${printable(line)}`),
  ].join('\n');
}
