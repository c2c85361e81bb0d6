import { existsSync } from 'node:fs';
import { examine } from '../store/maintenance/checks.ts';
import { migrate } from '../store/migrations.ts';
import { databaseFileIn, openSqlite } from '../store/sqlite/driver.ts';
import { command, common } from './command.ts';
import {
  configOf,
  existingDatabase,
  openSnapshotOf,
  withDatabaseAlone,
} from './command-context.ts';
import { CommandError, UsageError } from './errors.ts';
import { rowSummary } from './terminal.ts';

export const databaseCommands = [
  command({
    name: 'migrate',
    summary: 'update the schema of the database; every start does this too',
    options: common,
    async run(given, context) {
      const { clock } = context;
      const { data: folder, databaseUrl } = existingDatabase(context, given);
      const driver =
        databaseUrl === null
          ? await openSqlite({ folder, use: 'alone' })
          : await (await import('../store/postgres/driver.ts')).openPostgres({ url: databaseUrl });
      try {
        // Servers of the version before can go on using a PostgreSQL database.
        const applied = await driver.exclusively(() => migrate(driver, { clock }));
        const migrations = applied.map(({ version, name }) => ({ version, name }));
        const lines = migrations.map(({ version, name }) => `Applied ${version} (${name}).`);
        const unchanged = ['The schema is the one of this version.'];
        return { result: { migrations }, lines: lines.length > 0 ? lines : unchanged };
      } finally {
        await driver.close();
      }
    },
  }),
  command({
    name: 'move',
    summary: 'copy a data folder into an empty PostgreSQL database and verify it',
    options: {
      to: { value: 'url', help: 'PostgreSQL database (default: DOCUMENT_VAULT_DATABASE_URL)' },
      ...common,
    },
    notes: `No server may use the folder or the database meanwhile. The command compares all rows by counts and sums, and
runs the checks of doctor. The exit code is 1 when a check finds a problem. In the folder, no row changes; its
schema is updated. Other users of the machine can read the arguments of a command: put a URL with a password into
DOCUMENT_VAULT_DATABASE_URL.`,
    examples: [
      'DOCUMENT_VAULT_DATABASE_URL=postgres://vault@db.internal/vault document-vault move --data /srv/vault',
      'document-vault move --to postgres://vault@db.internal/vault',
    ],
    async run({ to, ...given }, context) {
      const { clock } = context;
      const env = {
        ...context.env,
        ...(to !== undefined && { DOCUMENT_VAULT_DATABASE_URL: to }),
      };
      const config = configOf({ ...context, env }, given);
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
      const hasFailed = problems.length > 0;
      return {
        result: { rows, problems },
        lines: [
          `Copied ${rowSummary(rows)}. Counts and sums of all columns are equal.`,
          `${findings.length} checks of doctor, ${problems.length} problems.`,
          ...(hasFailed
            ? problems.map((problem) => `  ${problem}`)
            : [`Start servers with DOCUMENT_VAULT_DATABASE_URL. ${folder} is not used any more.`]),
        ],
        hasFailed,
      };
    },
  }),
];
