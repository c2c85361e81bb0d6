import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { entries } from '../../../scripts/size-limits.ts';

const root = new URL('../../../', import.meta.url);
const list = await readFile(new URL('../GUARANTEES.md', import.meta.url), 'utf8');
const { scripts } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));

/** The text of each guarantee, by its number. */
const guarantees = new Map(
  list
    .split(/^(?=\d+\. )/m)
    .slice(1)
    .map((text) => [Number.parseInt(text, 10), text]),
);

/** The numbers in the titles of the tests. */
async function namedByTests(): Promise<Set<number>> {
  const files = await readdir(import.meta.dirname, { recursive: true });
  const named = new Set<number>();
  for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
    const text = await readFile(new URL(file, import.meta.url), 'utf8');
    const titles = text.matchAll(/^\s*(?:describe|it|test)(?:\.each)?\b.*?'guarantee (\d+)\b/gm);
    for (const [, number] of titles) named.add(Number(number));
  }
  return named;
}

/** The numbers of guarantees that name a command of this repository. */
function heldByCommands(): Set<number> {
  const held = new Set<number>();
  for (const [number, text] of guarantees) {
    const commands = [...text.matchAll(/`npm (?:run )?([\w:]+)`/g)].map(([, name = '']) => name);
    if (commands.some((name) => name in scripts)) held.add(number);
  }
  return held;
}

describe('GUARANTEES.md', () => {
  test('numbers its guarantees from 1 to 20', () => {
    expect([...guarantees.keys()]).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  test('has a test or a command for each guarantee', async () => {
    const held = new Set([...(await namedByTests()), ...heldByCommands()]);
    expect([...guarantees.keys()].filter((number) => !held.has(number))).toEqual([]);
  });

  test.each([
    ['@document-vault/sdk', /([\d,]+) bytes, minified and gzipped, for the main entry/],
    ['@document-vault/sdk/crypto', /([\d,]+) for `\/crypto`/],
    ['@document-vault/sdk/oauth', /entry `\/oauth` has at\s+most ([\d,]+) bytes/],
  ])('has the size that check:size enforces for %s', (name, pattern) => {
    const limit = entries.find((entry) => entry.name === name)?.limit;
    expect(pattern.exec(list)?.[1]?.replace(',', '')).toBe(String(limit));
  });

  test('has every guarantee that a test names', async () => {
    expect([...(await namedByTests())].filter((number) => !guarantees.has(number))).toEqual([]);
  });
});
