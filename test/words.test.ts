import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { findPhrases } from '../scripts/check-words.ts';

// The phrases are split here, so that this file has no finding itself.
const nobody = `no${'body'}`;
const told = ['is', 'told'];

test('findPhrases returns phrase and line, in upper and lower case', () => {
  expect(findPhrases(`fine\n${nobody.toUpperCase()} waits, ${nobody} runs`)).toEqual([
    { line: 2, phrase: nobody },
    { line: 2, phrase: nobody },
  ]);
});

test('findPhrases finds a phrase across the lines of a comment', () => {
  const text = `/**\n * The caller ${told[0]}\n * ${told[1]} at once.\n */`;
  expect(findPhrases(text)).toEqual([{ line: 2, phrase: told.join(' ') }]);
  expect(findPhrases(`// The caller ${told[0]}\n// ${told[1]} at once.`)).toHaveLength(1);
});

test('findPhrases ignores longer words that contain a phrase', () => {
  expect(findPhrases(`x${nobody} ${nobody}s`)).toEqual([]);
});

test('the script exits with 1 and names file, line and replacement of a finding', () => {
  const run = () =>
    execFileSync(process.execPath, ['scripts/check-words.ts', 'scripts/check-words.ts'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(run).toThrow(/^scripts\/check-words\.ts:\d+: "[\w ]+"; write: \w/m);
});
