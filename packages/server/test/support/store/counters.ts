import type { Queries } from '../../../src/store/driver.ts';
import { counterChecks } from '../../../src/store/maintenance/counter-checks.ts';
import { rowChecks } from '../../../src/store/maintenance/row-checks.ts';

const names = new Set([
  'vault-counters',
  'list-counters',
  'account-counters',
  'webhook-counters',
  'webhook-queues',
  'instances',
]);

/** Problems that `doctor` finds in counters and in references to instances. */
export async function counterProblems(queries: Queries): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, sql } of [...counterChecks, ...rowChecks]) {
    if (!names.has(name)) continue;
    const rows = await queries.all<{ problem: string }>(sql);
    problems.push(...rows.map(({ problem }) => problem));
  }
  return problems;
}
