/** Fails when a page of documentation is longer than a reader reads: the rest belongs into a guide. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Lines at most, by pathspec. A later line counts. */
const limits: readonly [pathspec: string, lines: number][] = [
  ['packages/*/README.md', 250],
  ['packages/*/docs/*.md', 350],
  ['packages/*/src/*README.md', 60],
  ['ARCHITECTURE.md', 150],
];

const lines = new Map<string, number>();
for (const [pathspec, limit] of limits) {
  const pages = execFileSync('git', ['ls-files', '--', pathspec], { encoding: 'utf8' });
  for (const page of pages.split('\n').filter(Boolean)) lines.set(page, limit);
}
for (const [page, limit] of lines) {
  const length = readFileSync(page, 'utf8').trimEnd().split('\n').length;
  if (length <= limit) continue;
  console.error(`${page} has ${length} lines, and ${limit} are allowed`);
  process.exitCode = 1;
}
