/**
 * Fails when a file in a clean folder contains a phrase that makes readers guess.
 *
 * The check covers comments, names, messages and prose. A folder joins `cleanPaths` once it has no finding;
 * `node scripts/check-words.ts PATH…` lists the findings of other paths.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Phrases with their replacement. */
const phrases: Readonly<Record<string, string>> = {
  whoever: 'name the person or the program: anyone who, a client that',
  whatever: 'name the thing: any, every, regardless of',
  nobody: 'no client, no user, no one',
  somebody: 'a user, a client',
  anybody: 'anyone, every client',
  'is told': 'receives, is notified',
  'are told': 'receive, are notified',
  'told of': 'notified of, reported to',
  tells: 'returns, reports, shows',
  answers: 'a function returns, a server responds, a value is a response',
  answered: 'returned, responded',
  'all the same': 'still, nevertheless',
  'of the kind': 'name the kind',
  'for its sake': 'for this reason, because of it',
  'unless it says so': 'name the condition',
  'as it is then': 'name the state and the time',
  besides: 'apart from, also',
  // A package of another owner could have this name.
  'npx webhook-verify': 'npx -p @document-vault/webhook-verify webhook-verify',
};

/** Pathspecs of files without findings, from the root of the repository. */
const cleanPaths: readonly string[] = [
  '.dependency-cruiser.cjs',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'bench',
  'docs',
  'examples',
  'openapi',
  'packages/console',
  'packages/sdk',
  'packages/server/README.md',
  'packages/server/docs',
  'packages/testing',
  'packages/server/browser',
  'packages/server/crash',
  'packages/server/power',
  'packages/server/src',
  'packages/server/test',
  'packages/webhook-verify',
  'scripts',
  ':(exclude)scripts/check-words.ts',
  'test',
];

export interface Finding {
  /** Line number from 1. */
  readonly line: number;
  readonly phrase: string;
}

/** Finds phrases in a text, also across the line breaks of comments. */
export function findPhrases(text: string): Finding[] {
  return Object.keys(phrases)
    .flatMap((phrase) => {
      const pattern = new RegExp(`\\b${phrase.replaceAll(' ', '[\\s*/#>]+')}\\b`, 'gi');
      return [...text.matchAll(pattern)].map(({ index }) => ({
        line: text.slice(0, index).split('\n').length,
        phrase,
      }));
    })
    .sort((a, b) => a.line - b.line);
}

const ownText = /\.(?:[cm]?[jt]sx?|md|graphql|json|sql|html|ya?ml)$/;

/** Generated files, which repeat texts of their sources. */
const excluded = /(?:^|\/)(?:generated|package-lock\.json$|CHANGELOG\.md$)/;

function findIn(paths: readonly string[]): string[] {
  const files = execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' });
  return files
    .split('\n')
    .filter((file) => ownText.test(file) && !excluded.test(file))
    .flatMap((file) =>
      findPhrases(readFileSync(file, 'utf8')).map(
        ({ line, phrase }) => `${file}:${line}: "${phrase}"; write: ${phrases[phrase]}`,
      ),
    );
}

if (import.meta.main) {
  const [...paths] = process.argv.slice(2);
  const findings = findIn(paths.length > 0 ? paths : cleanPaths);
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
}
