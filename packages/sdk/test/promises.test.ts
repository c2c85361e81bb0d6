import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const list = await readFile(new URL('../PROMISES.md', import.meta.url), 'utf8');
const { scripts } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));

/** The text of each promise, by its number. */
const promises = new Map(
  list
    .split(/^(?=\d+\. )/m)
    .slice(1)
    .map((text) => [Number.parseInt(text, 10), text]),
);

/** Every number that the title of a test here names. */
async function namedByTests(): Promise<Set<number>> {
  const files = await readdir(import.meta.dirname, { recursive: true });
  const named = new Set<number>();
  for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
    const text = await readFile(new URL(file, import.meta.url), 'utf8');
    const titles = text.matchAll(/^\s*(?:describe|it|test)(?:\.each)?\b.*?'promise (\d+)\b/gm);
    for (const [, number] of titles) named.add(Number(number));
  }
  return named;
}

/** Every number whose promise names a command of this repository. */
function heldByCommands(): Set<number> {
  const held = new Set<number>();
  for (const [number, text] of promises) {
    const commands = [...text.matchAll(/`npm (?:run )?([\w:]+)`/g)].map(([, name = '']) => name);
    if (commands.some((name) => name in scripts)) held.add(number);
  }
  return held;
}

describe('what the client promises', () => {
  it('is numbered without a gap', () => {
    expect([...promises.keys()]).toEqual(Array.from({ length: 19 }, (_, n) => n + 1));
  });

  it('is held by a test that names its number, or by a command', async () => {
    const held = new Set([...(await namedByTests()), ...heldByCommands()]);
    expect([...promises.keys()].filter((number) => !held.has(number))).toEqual([]);
  });

  it('is all that tests call a promise', async () => {
    expect([...(await namedByTests())].filter((number) => !promises.has(number))).toEqual([]);
  });
});
