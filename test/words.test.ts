import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { findPhrases } from '../scripts/check-words.ts';

// The phrases are split here, so that this file has no finding itself.
const word = `no${'body'}`;
const [first, second] = ['is', 'told'];

test('findPhrases returns phrase and line, in upper and lower case', () => {
  expect(findPhrases(`fine\n${word.toUpperCase()} waits, ${word} runs`)).toEqual([
    { line: 2, phrase: word },
    { line: 2, phrase: word },
  ]);
});

test('findPhrases finds a phrase across the lines of a comment', () => {
  const text = `/**\n * The caller ${first}\n * ${second} at once.\n */`;
  expect(findPhrases(text)).toEqual([{ line: 2, phrase: `${first} ${second}` }]);
  expect(findPhrases(`// The caller ${first}\n// ${second} at once.`)).toHaveLength(1);
});

test('findPhrases ignores longer words that contain a phrase', () => {
  expect(findPhrases(`x${word} ${word}s`)).toEqual([]);
});

test('the script exits with 1 and names file, line and replacement of a finding', () => {
  const run = () =>
    execFileSync(process.execPath, ['scripts/check-words.ts', 'scripts/check-words.ts'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(run).toThrow(/^scripts\/check-words\.ts:\d+: "[\w ]+"; write: \w/m);
});
