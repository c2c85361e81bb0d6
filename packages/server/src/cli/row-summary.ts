import type { RowCounts } from '../store/maintenance/verification.ts';

/** What a database holds, in a few words. */
export function rowSummary(rows: RowCounts): string {
  const count = (name: string) => `${rows[name] ?? 0} ${name}`;
  return `${count('users')}, ${count('vaults')} and ${count('documents')}`;
}
