import { execFile, execFileSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, inject, test } from 'vitest';
import { type InstalledPackage, targetsOf } from './install.ts';

const { packages } = inject('installation');
const all = Object.entries(packages);

const build = String.raw`dist/[\w.-]+\.(js|cjs|d\.ts|d\.cts)`;
const sources = String.raw`src/([\w./-]+\.(ts|graphql|json)|generated/validators/\w+\.js)`;
const guides = String.raw`docs/[\w-]+\.md`;
/** Written by the release of a version. */
const changes = String.raw`CHANGELOG\.md`;
/** What a package holds beside its manifest, its README and its licence. */
const contents: Readonly<Record<string, RegExp>> = {
  sdk: new RegExp(`^(${build}|${sources}|${guides}|${changes}|GUARANTEES\\.md|schema\\.graphql)$`),
  testing: new RegExp(`^(${build}|${sources}|${changes})$`),
  'webhook-verify': new RegExp(`^(${build}|${sources}|${guides}|${changes})$`),
  // Its migrations, its pages, and its reference of the interface with the tools that show it.
  server: new RegExp(
    `^(${build}|${guides}|${changes}|src/.*|dist/((sqlite|postgres)/migrations|console|docs)/.*|dist/(share-page\\.html|GRAPHIQL-LICENSE))$`,
  ),
};

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');

/** Whether a file or folder is of the repository: a server or a build may have made others. */
function isTracked(path: string): boolean {
  return tracked.some((file) => file === path || file.startsWith(`${path}/`));
}

describe.each(all)('the tarball of %s', (name, { tarball, folder, manifest, files }) => {
  const texts = (pattern: RegExp) => {
    const matching = files.filter((path) => pattern.test(path));
    return Promise.all(
      matching.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') })),
    );
  };

  test('holds its build, its sources and its descriptions, and nothing else', () => {
    const others = files.filter((path) => !contents[name]?.test(path));
    expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(
      files.filter((path) => /(^|\/)test\/|\.(test|config)\.|tsconfig|\.tsbuildinfo/.test(path)),
    ).toEqual([]);
  });

  test('holds every file that the manifest names', () => {
    expect(files).toEqual(expect.arrayContaining(targetsOf(manifest)));
  });

  test('names no source map and nothing of the machine that built it', async () => {
    for (const { path, text } of await texts(/^dist\/[^/]+$/)) {
      expect(text, path).not.toMatch(/^\/\/# sourceMappingURL=/m);
      expect(text.includes(resolve('.')), path).toBe(false);
    }
  });

  test('holds what its descriptions link to', async () => {
    for (const { path, text } of await texts(/\.md$/)) {
      const links = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
      const targets = links.map((link) => posix.join(posix.dirname(path), link));
      expect(files, path).toEqual(expect.arrayContaining(targets));
    }
  });

  test('describes no file of the repository that it does not hold', async () => {
    for (const { path, text } of await texts(/\.md$/)) {
      const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+|[A-Z]+\.md)\/?`/g)].map(
        ([, file = '']) => file,
      );
      const missing = named.filter(
        (file) =>
          [file, join('packages', name, file)].some(isTracked) &&
          !files.some((packed) => packed === file || packed.startsWith(`${file}/`)),
      );
      expect(missing, path).toEqual([]);
    }
  });

  test('has a manifest that says what a package says', () => {
    const { license, engines, exports, dependencies = {}, version } = manifest;
    expect(license).toBe('MIT');
    expect(engines.node).toMatch(/^>=\d+/);
    expect(exports['./package.json']).toBe('./package.json');
    // A range of one version, or the packages of this repository of the same one.
    for (const range of Object.values(dependencies)) expect(range).toMatch(/^\d+\.\d+\.\d+$/);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });

  test('is clean under publint', async () => {
    const bytes = await readFile(tarball);
    const { messages, pkg } = await publint({
      strict: true,
      pack: { tarball: new Uint8Array(bytes).buffer },
    });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  test('has types that attw agrees with', async () => {
    expect(await problemsOf(packages[name as keyof typeof packages])).toBe('');
  });
});

/** What attw finds where `exports` is read: Node since 12, TypeScript since 4.7, every bundler. */
async function problemsOf({ tarball, manifest, files }: InstalledPackage): Promise<string> {
  const withoutCode = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'string')
    .map(([subpath]) => subpath);
  const isDual = files.some((path) => path.endsWith('.cjs'));
  const profile = ['--profile', isDual ? 'node16' : 'esm-only'];
  const exclude = withoutCode.length > 0 ? ['--exclude-entrypoints', ...withoutCode] : [];
  const args = [tarball, '--no-color', ...profile, ...exclude];
  const attw = resolve('node_modules/.bin/attw');
  try {
    await promisify(execFile)(process.execPath, [attw, ...args]);
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe('what only one of them has', () => {
  test.each(['sdk', 'testing', 'webhook-verify'] as const)('%s has no side effects', (name) => {
    expect(packages[name].manifest.sideEffects).toBe(false);
  });

  test('the verifier has no dependencies', () => {
    expect(packages['webhook-verify'].manifest).not.toHaveProperty('dependencies');
  });

  test('the command line is an executable', async () => {
    const { folder, manifest } = packages['webhook-verify'];
    const file = join(folder, manifest.bin?.['webhook-verify'] ?? '');
    expect((await readFile(file, 'utf8')).startsWith('#!/usr/bin/env node\n')).toBe(true);
    expect((await stat(file)).mode & 0o111).toBe(0o111);
  });
});
