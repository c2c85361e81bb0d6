import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entries as sizeEntries } from '../../../scripts/size-limits.ts';
import { secret } from './builds.ts';
import { type StagedPackage, stagePackage, targetsOf } from './staged-package.ts';

let staged: StagedPackage;
beforeAll(async () => {
  staged = await stagePackage();
}, 120_000);
afterAll(() => staged.remove());

describe('the tarball', () => {
  const files = async (): Promise<string[]> => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', staged.folder];
    const [packed] = JSON.parse(await staged.run('npm', args));
    return packed.files.map(({ path }: { path: string }) => path);
  };

  test('holds the build, its sources and what every package has, and nothing else', async () => {
    const packed = await files();
    const outside = packed.filter(
      (path) => !/^dist\/[\w.-]+\.(js|cjs|d\.ts|d\.cts)$|^src\/[\w./-]+\.ts$/.test(path),
    );
    expect(outside.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(packed.filter((path) => /test|\.config\.|\.tsbuildinfo/.test(path))).toEqual([]);
  });

  test('holds every file that the manifest names', async () => {
    const targets = targetsOf(staged.manifest);
    expect(targets.length).toBeGreaterThan(20);
    expect(await files()).toEqual(expect.arrayContaining(targets));
  });

  test('has no dependencies', () => {
    expect(staged.manifest).not.toHaveProperty('dependencies');
  });
});

describe('every entry', () => {
  test('is imported and required, each as its own kind of module', async () => {
    const { entries, manifest } = staged;
    const code = `
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const names = {};
      const files = [];
      for (const entry of ${JSON.stringify(entries)}) {
        const esm = Object.keys(await import(entry)).filter((name) => name !== 'default');
        names[entry] = [esm, Object.keys(require(entry))];
        files.push(import.meta.resolve(entry), require.resolve(entry));
      }
      console.log(JSON.stringify({ names, files }));`;
    await writeFile(join(staged.project, 'consumer.mjs'), code);
    const { names, files } = JSON.parse(await staged.run(process.execPath, ['consumer.mjs']));

    for (const [esm, cjs] of Object.values<[string[], string[]]>(names)) {
      expect(cjs.toSorted()).toEqual(esm.toSorted());
      expect(esm).not.toEqual([]);
    }
    expect(files.map((file: string) => file.replace(/^.*\./, ''))).toEqual(
      entries.flatMap(() => ['js', 'cjs']),
    );
    expect(names[manifest.name][0]).toContain('createVerifier');
  });

  test('has a limit of its size', () => {
    const limited = new Set(sizeEntries.map(({ name }) => name));
    expect(staged.entries.filter((entry) => !limited.has(entry))).toEqual([]);
  });

  const { ESNext, Node16, NodeNext } = ts.ModuleKind;
  test.each<[string, ts.ModuleKind, ts.ModuleResolutionKind, string[]]>([
    ['node16', Node16, ts.ModuleResolutionKind.Node16, ['mts', 'cts']],
    ['nodenext', NodeNext, ts.ModuleResolutionKind.NodeNext, ['mts', 'cts']],
    ['bundler', ESNext, ts.ModuleResolutionKind.Bundler, ['ts']],
  ])(
    'has types under %s, which are checked themselves',
    async (_, module, moduleResolution, kinds) => {
      const { entries, project } = staged;
      const code = entries.map((entry, index) => `import * as entry${index} from '${entry}';\n`);
      code.push(`export const types = [${entries.map((_, index) => `entry${index}`)}];\n`);
      code.push(`import { fixture } from '@document-vault/webhook-verify/fixtures';\n`);
      code.push(`export const name: string = fixture('vault.created').data.object.name;\n`);
      code.push(
        `// @ts-expect-error a number it is not\nexport const id: number = fixture('vault.created').id;\n`,
      );
      const files = kinds.map((kind) => join(project, `consumer.${kind}`));
      for (const file of files) await writeFile(file, code.join(''));
      const program = ts.createProgram(files, {
        module,
        moduleResolution,
        target: ts.ScriptTarget.ES2022,
        lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
      });
      const problems = ts
        .getPreEmitDiagnostics(program)
        // The types of the frameworks are not ours.
        .filter(({ file }) => file === undefined || file.fileName.startsWith(project))
        .map(({ file, messageText }) => {
          const text = ts.flattenDiagnosticMessageText(messageText, '\n');
          return `${file?.fileName ?? ''}: ${text}`;
        });
      expect(problems).toEqual([]);
    },
  );
});

describe('the command line', () => {
  const file = () => join(staged.folder, staged.manifest.bin['webhook-verify'] ?? '');

  test('is an executable of the running Node', async () => {
    expect((await readFile(file(), 'utf8')).startsWith('#!/usr/bin/env node\n')).toBe(true);
    expect((await stat(file())).mode & 0o111).toBe(0o111);
    const { version } = staged.manifest;
    expect(await staged.run(process.execPath, [file(), '--version'])).toBe(`${version}\n`);
  });

  test('signs', async () => {
    await writeFile(join(staged.project, 'body'), '{}');
    const args = [file(), 'sign', 'body', '--secret', secret];
    expect(await staged.run(process.execPath, args)).toMatch(/^hmac_sha256=[0-9a-f]{64}\n$/);
  });
});
