import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cachedConsole, versionOf } from '../from-sources.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a version is built once, read from the cache afterwards, and replaced by the next version', async () => {
  const cache = join(folder, 'cache');
  const built = await cachedConsole(cache, 'one');
  expect([...built.keys()]).toContain('index.html');
  expect(await readdir(cache)).toEqual(['one']);
  const kept = deserialize(await readFile(join(cache, 'one')));
  expect(kept).toEqual(built);

  const body = Buffer.from('from the cache');
  await writeFile(join(cache, 'one'), serialize(new Map([['index.html', { body }]])));
  expect((await cachedConsole(cache, 'one')).get('index.html')?.body).toEqual(body);

  expect((await cachedConsole(cache, 'two')).get('index.html')).toEqual(built.get('index.html'));
  expect(await readdir(cache)).toEqual(['two']);
});

test('a file of the cache that cannot be read is built again', async () => {
  await writeFile(join(folder, 'one'), serialize(new Map()).subarray(0, -1));
  const built = await cachedConsole(folder, 'one');
  expect(built.has('index.html')).toBe(true);
  expect(deserialize(await readFile(join(folder, 'one')))).toEqual(built);
});

test('a folder that cannot be written does not prevent a build', async () => {
  await writeFile(join(folder, 'file'), '');
  expect((await cachedConsole(join(folder, 'file'), 'one')).has('index.html')).toBe(true);
});

test('the version changes with a changed, a new and a removed file', async () => {
  const versions = new Set<string>();
  const note = async () => versions.add(await versionOf([folder]));
  const first = join(folder, 'first.ts');
  await writeFile(first, 'text');
  await note();
  await utimes(first, 1, 1);
  await note();
  await writeFile(join(folder, 'second.ts'), 'text');
  await note();
  expect(versions.size).toBe(3);
  await rm(join(folder, 'second.ts'));
  await note();
  expect(versions.size).toBe(3);
});
