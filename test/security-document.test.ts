import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Returns the tests that tables of a document name, as glob patterns. */
function namedTests(document: string): string[] {
  const rows = document.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
  return rows.flatMap((row) => {
    let folder = 'packages/server/test';
    const cell = row.split('|').at(-2) ?? '';
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
      // A path from the root sets the folder of the names that follow it in the cell.
      if (name.startsWith('packages/')) folder = name.slice(0, name.lastIndexOf('/'));
      const path = name.startsWith('packages/') ? name : `${folder}/${name}`;
      return path.endsWith('/') ? `${path}*.test.ts` : `${path}.test.ts`;
    });
  });
}

test('every test that SECURITY.md names exists', async () => {
  const patterns = namedTests(await readFile('SECURITY.md', 'utf8'));
  expect(patterns.length).toBeGreaterThan(40);
  for (const pattern of patterns) {
    expect(await Array.fromAsync(glob(pattern)), pattern).not.toEqual([]);
  }
});
