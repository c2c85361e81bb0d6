import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queries } from '../driver.ts';
import { MigrationError, pendingIn } from '../migrations.ts';
import type { Snapshot } from '../snapshot.ts';
import { companions, lockFile } from '../sqlite/data-folder.ts';
import { databaseFileIn } from '../sqlite/driver.ts';
import { counterChecks } from './counter-checks.ts';
import { type RowCheck, rowChecks } from './row-checks.ts';

/** A check that every sound database passes. */
interface SnapshotCheck {
  /** Short and stable, for programs. */
  readonly name: string;
  /** What the check verifies, in a few words. */
  readonly title: string;
  /** Returns one sentence per problem. */
  problems(snapshot: Snapshot): Promise<readonly string[]>;
  /** Its problems are warnings. */
  readonly onlyWarns?: true | undefined;
}

export interface Finding {
  readonly name: string;
  readonly title: string;
  readonly problems: readonly string[];
  /** Findings that are no damage, but that operators should know; a sentence each. */
  readonly warnings?: readonly string[];
}

/** Maximum number of listed problems per check. One more line says that there are others. */
export const maxProblems = 20;

const checks: readonly SnapshotCheck[] = [
  {
    name: 'integrity',
    title: 'The database and its indexes are sound',
    problems: (snapshot) => snapshot.integrity(),
  },
  {
    name: 'schema',
    title: 'The schema is the one of this version',
    problems: (snapshot) => schemaProblems(snapshot.reader),
  },
  {
    name: 'references',
    title: 'Every reference leads somewhere',
    async problems(snapshot) {
      const broken = await snapshot.brokenReferences();
      return broken.map(
        ({ table, parent, count }) =>
          `${count} of ${table} refer to rows of ${parent} that do not exist`,
      );
    },
  },
  {
    name: 'search',
    title: 'The search indexes hold every row by its name',
    problems: (snapshot) => snapshot.searchIndexes(),
  },
  ...[...counterChecks, ...rowChecks].map(toCheck),
];

async function schemaProblems(queries: Queries): Promise<readonly string[]> {
  try {
    const pending = await pendingIn(queries);
    return pending.map(
      ({ version, name }) => `step ${version} (${name}) is not taken yet: start the server once`,
    );
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return [error.message];
  }
}

function toCheck({ name, title, sql, onlyWarns }: RowCheck): SnapshotCheck {
  return {
    name,
    title,
    onlyWarns,
    async problems({ reader }) {
      const rows = await reader.all<{ problem: string }>(
        `/* all rows */ ${sql} LIMIT ${maxProblems + 1}`,
      );
      return rows.map(({ problem }) => problem);
    },
  };
}

/** Runs all checks. A check that fails to run is a problem. */
export async function examine(snapshot: Snapshot): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) {
    const { name, title } = check;
    findings.push({ name, title, ...(await attempt(check, snapshot)) });
  }
  return findings;
}

async function attempt(
  check: SnapshotCheck,
  snapshot: Snapshot,
): Promise<Pick<Finding, 'problems' | 'warnings'>> {
  try {
    const found = bounded(await check.problems(snapshot));
    return check.onlyWarns ? { problems: [], warnings: found } : { problems: found };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problems: [`the check failed: ${reason}`] };
  }
}

export function bounded(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxProblems) return problems;
  return [...problems.slice(0, maxProblems), 'and more'];
}

/** Checks that other users can neither read the data nor take the lock. */
export async function examinePermissions(folder: string): Promise<Finding> {
  const database = databaseFileIn(folder);
  const files = [
    database,
    ...companions.map((end) => database + end),
    join(folder, 'development.json'),
    join(folder, lockFile),
  ];
  const problems: string[] = [];
  for (const [path, closing] of [
    [folder, 700],
    ...files.map((file) => [file, 600] as const),
  ] as const) {
    const mode = await modeOf(path);
    // Windows has no such permissions.
    if (process.platform === 'win32' || mode === undefined || (mode & 0o077) === 0) continue;
    problems.push(
      `${path} is open to other users (${mode.toString(8)}): chmod ${closing} closes it`,
    );
  }
  const title = 'The folder and its files are accessible for their owner alone';
  return { name: 'permissions', title, problems };
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
