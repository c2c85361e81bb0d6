import { type Config, objectStoreOf } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { clockProblem } from '../store/clock-check.ts';
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
import { command, common } from './command.ts';
import {
  type CommandContext,
  configOf,
  existingDatabase,
  openSnapshotOf,
} from './command-context.ts';
import { CommandError } from './errors.ts';
import { printable, rowSummary } from './terminal.ts';

const fileArgument = { file: { help: 'file of the backup' } } as const;

export const maintenanceCommands = [
  command({
    name: 'backup',
    summary: 'copy the database into a file and verify it; can run while the server runs',
    arguments: fileArgument,
    options: { force: { help: 'replace an existing file' }, ...common },
    examples: [
      'document-vault backup vault-2026-03-02.db',
      'document-vault backup /backups/vault.db --force --data /srv/vault',
    ],
    async run({ file, force: overwrite, ...given }, context) {
      const config = existingDatabase(context, given);
      refusePostgres(config, 'pg_dump --format=custom --file=FILE "$DOCUMENT_VAULT_DATABASE_URL"');
      const result = await backUp({ folder: config.data, file, overwrite });
      const { sizeBytes, rows, masterKeyId, contentsInS3 } = result;
      return {
        result,
        lines: [
          `Wrote and verified ${result.file}, ${sizeBytes} bytes.`,
          `The backup contains ${rowSummary(rows)}.`,
          ...(masterKeyId
            ? [`Master key ${masterKeyId} seals its secrets. Keep that key too.`]
            : []),
          ...(contentsInS3 > 0
            ? [
                `${contentsInS3} contents are in S3, and not in the backup. Keep the bucket, and set DOCUMENT_VAULT_CONTENTS_GRACE to how long you keep backups.`,
              ]
            : []),
        ],
      };
    },
  }),
  command({
    name: 'restore',
    summary: 'replace the database with a verified backup; keeps the replaced files',
    arguments: fileArgument,
    options: common,
    examples: [
      'document-vault restore vault-2026-03-02.db',
      'document-vault restore /backups/vault.db --data /srv/vault',
    ],
    async run({ file, ...given }, context) {
      const config = configOf(context, given);
      refusePostgres(
        config,
        'pg_restore --dbname="$DOCUMENT_VAULT_DATABASE_URL" FILE into an empty database',
      );
      const { data: folder, masterKey } = config;
      const result = await restoreBackup({ folder, file, now: context.clock.now(), masterKey });
      const { rows, masterKeyId, contentsInS3, replaced } = result;
      return {
        result,
        lines: [
          `Restored ${result.file} with ${rowSummary(rows)}.`,
          ...(masterKeyId
            ? [`Master key ${masterKeyId} seals its secrets. Start the server with that key.`]
            : []),
          ...(contentsInS3 > 0
            ? [
                `${contentsInS3} contents are in S3, and not in the backup. Start the server with their bucket in DOCUMENT_VAULT_CONTENTS; doctor --contents finds those that are missing.`,
              ]
            : []),
          ...(replaced ? [`The replaced database is kept in ${replaced}.`] : []),
        ],
      };
    },
  }),
  command({
    name: 'doctor',
    summary: 'check the database; changes nothing and can run while the server runs',
    options: {
      contents: { help: 'also read all contents and compare them with their digests' },
      ...common,
    },
    notes: `The exit code is 1 when a check finds a problem. --contents takes as long as reading everything that is
stored, in the database and in S3.`,
    examples: [
      'document-vault doctor',
      'document-vault doctor --contents',
      'document-vault doctor --json --data /srv/vault',
    ],
    async run({ contents, ...given }, context) {
      const config = existingDatabase(context, given);
      if (config.databaseUrl === null) requireLocalFolder(config.data);
      const findings = [
        ...(await examineDatabase(config, contents, context)),
        ...(config.databaseUrl === null ? [await examinePermissions(config.data)] : []),
      ];
      const failed = findings.filter(({ problems }) => problems.length > 0);
      const hasFailed = failed.length > 0;
      const checks = findings.map((finding) => ({ ...finding, ok: finding.problems.length === 0 }));
      const summary = `${findings.length} checks, ${failed.length} with problems.`;
      return {
        result: { ok: !hasFailed, checks },
        lines: [...findings.map(describe), summary],
        hasFailed,
      };
    },
  }),
];

/** @throws CommandError for a PostgreSQL database, naming its own command and point-in-time recovery */
function refusePostgres({ databaseUrl }: Config, instead: string): void {
  if (databaseUrl === null) return;
  throw new CommandError(
    `PostgreSQL has its own backups. Run ${instead}. To return to any moment, set up continuous archiving and point-in-time recovery: https://www.postgresql.org/docs/current/continuous-archiving.html`,
  );
}

async function examineDatabase(
  config: Config,
  readsContents: boolean,
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
    const findings = [
      ...(await examine(snapshot)),
      await examineSealing(snapshot, config),
      ...(config.databaseUrl === null ? [] : [await examineClock(snapshot)]),
    ];
    const isSound = findings.every(({ problems }) => problems.length === 0);
    if (!readsContents) return findings;
    return [
      ...findings,
      isSound ? await readContents(snapshot, { config, clock }) : unreadContents,
    ];
  } finally {
    await snapshot.close();
  }
}

async function examineClock({ reader }: Snapshot): Promise<Finding> {
  const problem = await clockProblem(reader);
  return {
    name: 'clock',
    title: 'The clock of this machine is the one of the database server, within 5 minutes',
    problems: problem === undefined ? [] : [problem],
  };
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
