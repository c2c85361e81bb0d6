import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { describe, expect, inject, test } from 'vitest';
import { entries as limits } from '../../scripts/size-limits.ts';

const { project, packages } = inject('installation');

const forNode = limits.filter(({ runtime }) => runtime === 'node').map(({ name }) => name);

/** The entries for browsers: of the client and of the test kit all but those for Node, and those of the verifier that are measured so. */
const forBrowsers = [
  ...packages.sdk.entries.filter((entry) => !forNode.includes(entry)),
  ...packages.testing.entries,
  ...new Set(
    limits
      .filter(({ name, runtime }) => runtime === 'browser' && name.includes('webhook-verify'))
      .map(({ name }) => name),
  ),
];

interface Bundle {
  readonly code: string;
  /** The files that went into it. */
  readonly modules: readonly string[];
}

/** Bundles a program for browsers, as Vite does. */
async function bundle(program: string): Promise<Bundle> {
  const folder = await mkdtemp(join(project, 'browser-'));
  const input = join(folder, 'program.js');
  await writeFile(input, program);
  const result = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, modulePreload: false, rolldownOptions: { input } },
  });
  if (!('output' in result)) throw new Error('Vite returns one bundle for one program');
  const chunks = result.output.filter((output) => output.type === 'chunk');
  return {
    code: chunks.map(({ code }) => code).join('\n'),
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}

/** What Vite puts in place of Node's modules. */
const ofNode = /__vite-browser-external|^node:/;

/** What only a client says. */
const clientCode = /x-api-key|retry-after|\/api\/v1\//;

describe('in a bundle for browsers', () => {
  test.each(forBrowsers)('%s imports no module of Node', async (entry) => {
    const { code, modules } = await bundle(`import * as all from '${entry}'; console.log(all);`);
    expect(modules.filter((id) => ofNode.test(id))).toEqual([]);
    expect(code.length).toBeGreaterThan(500);
  });

  test('a program that imports node:fs has a module of Node', async () => {
    const { modules } = await bundle(`import fs from 'node:fs'; console.log(fs);`);
    expect(modules.filter((id) => ofNode.test(id))).not.toEqual([]);
  });

  test('a bundle of createCipher has no code of the client', async () => {
    const entry = '@document-vault/sdk/crypto';
    const { code } = await bundle(
      `import { createCipher } from '${entry}'; console.log(createCipher);`,
    );
    expect(code).toContain('AES-GCM');
    expect(code).not.toMatch(clientCode);
  });

  test('a bundle of isVaultError has no code of the client', async () => {
    const use = (name: string) =>
      bundle(`import { ${name} } from '@document-vault/sdk'; console.log(${name});`);
    expect((await use('isVaultError')).code).not.toMatch(clientCode);
    expect((await use('DocumentVault')).code).toMatch(clientCode);
  });

  test.each(['@document-vault/sdk', '@document-vault/webhook-verify'])(
    'a bundle that imports nothing from %s is empty',
    async (entry) => {
      expect((await bundle(`import '${entry}';`)).code.trim()).toBe('');
    },
  );
});
