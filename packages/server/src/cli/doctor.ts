import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { examine, examinePermissions, type Finding } from '../store/maintenance/checks.ts';
import { examineSealing } from '../store/maintenance/sealing-check.ts';
import { databaseFileIn } from '../store/sqlite/driver.ts';
import { DatabaseUnreadableError } from '../store/sqlite/errors.ts';
import { openSnapshot, type Snapshot } from '../store/sqlite/snapshot.ts';
import { ReportedError } from './failures.ts';
import { printable } from './table.ts';
import { type Context, configOf, type DataOption, dataFolder, withData } from './workplace.ts';

interface Options extends DataOption {
  readonly json?: true;
}

/** `doctor` */
export function addDoctor(program: Command, context: Context): void {
  const command = program
    .command('doctor')
    .description('look for damage; changes nothing and works beside a running server')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((options: Options) => run(options, context));
}

const examples = `
It exits with 1 when it has found a problem.

Examples:
  $ document-vault doctor
  $ document-vault doctor --json --data /srv/vault`;

async function run(options: Options, context: Context): Promise<void> {
  const folder = dataFolder(context, options);
  const config = configOf(context, options);
  const findings = [...(await examineDatabase(config)), await examinePermissions(folder)];
  const troubled = findings.filter(({ problems }) => problems.length > 0);
  const { terminal } = context;
  if (options.json) {
    const checks = findings.map((finding) => ({ ...finding, ok: finding.problems.length === 0 }));
    terminal.print(JSON.stringify({ ok: troubled.length === 0, checks }, null, 2));
  } else {
    for (const finding of findings) terminal.print(describe(finding));
    const verdict = troubled.length === 0 ? 'No problems' : `Problems in ${troubled.length}`;
    terminal.print(`${verdict}; ${findings.length} checks.`);
  }
  if (troubled.length > 0) throw new ReportedError('there are problems');
}

async function examineDatabase(config: Config): Promise<readonly Finding[]> {
  let snapshot: Snapshot;
  try {
    snapshot = openSnapshot(databaseFileIn(config.data));
  } catch (error) {
    if (!(error instanceof DatabaseUnreadableError)) throw error;
    return [{ name: 'database', title: 'The database can be opened', problems: [error.message] }];
  }
  try {
    return [...(await examine(snapshot)), await examineSealing(snapshot, config)];
  } finally {
    await snapshot.close();
  }
}

function describe({ title, problems, warnings = [] }: Finding): string {
  const good = warnings.length === 0 ? 'ok      ' : 'warning ';
  const mark = problems.length === 0 ? good : 'problem ';
  return [
    `${mark} ${title}`,
    ...[...problems, ...warnings].map((line) => `           ${printable(line)}`),
  ].join('\n');
}
