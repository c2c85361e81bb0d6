import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { entries as limits } from '../../scripts/size-limits.ts';

const { project, packages } = inject('installation');
const dual = [packages.sdk, packages.testing, packages['webhook-verify']];
const secret = 'whsec_example_0123456789abcdefghijklmnop';

/** Runs a program in the project; rejects when it fails. */
async function run(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project });
  return stdout;
}

describe('every entry', () => {
  test('import and require load every entry with the same exports', async () => {
    const entries = dual.flatMap((installed) => installed.entries);
    const code = `
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const found = {};
      for (const entry of ${JSON.stringify(entries)}) {
        const esm = Object.keys(await import(entry)).filter((name) => name !== 'default');
        const files = [import.meta.resolve(entry), require.resolve(entry)];
        found[entry] = { esm, cjs: Object.keys(require(entry)), files };
      }
      console.log(JSON.stringify(found));`;
    await writeFile(join(project, 'consumer.mjs'), code);
    const found: Record<string, Record<'esm' | 'cjs' | 'files', string[]>> = JSON.parse(
      await run('consumer.mjs'),
    );

    expect(Object.keys(found)).toEqual(entries);
    for (const [entry, { esm, cjs, files }] of Object.entries(found)) {
      expect(cjs.toSorted(), entry).toEqual(esm.toSorted());
      expect(esm, entry).not.toEqual([]);
      expect(files.map((file) => file.replace(/^.*\./, ''))).toEqual(['js', 'cjs']);
    }
    expect(found['@document-vault/sdk']?.esm).toContain('DocumentVault');
    expect(found['@document-vault/webhook-verify']?.esm).toContain('createVerifier');
  });

  test('import and require of /testing start a server with one class of errors', async () => {
    const code = `
      import { createRequire } from 'node:module';
      import { TestFeatureError } from '@document-vault/server';
      import { startTestServer } from '@document-vault/server/testing';
      const required = createRequire(import.meta.url)('@document-vault/server/testing');
      for (const start of [startTestServer, required.startTestServer]) {
        const service = await start();
        const { name } = await service.account.createVault({ name: 'Taxes' });
        const headers = { 'x-api-key': service.account.apiKey };
        const { status } = await fetch(service.baseUrl + '/api/v1/vaults', { headers });
        const isError = await service.account
          .createVault({ name: '' })
          .catch((error) => error instanceof TestFeatureError);
        await service.close();
        console.log(name, status, isError);
      }`;
    await writeFile(join(project, 'test-server.mjs'), code);
    expect(await run('test-server.mjs')).toBe('Taxes 200 true\n'.repeat(2));
  });

  test('every entry of the verifier has a size limit', () => {
    const limited = new Set(limits.map(({ name }) => name));
    const { entries } = packages['webhook-verify'];
    expect(entries.filter((entry) => !limited.has(entry))).toEqual([]);
  });

  test('isVaultError returns true for errors of the ES module and the CommonJS build', async () => {
    const code = `
      import { createRequire } from 'node:module';
      import { isVaultError } from '@document-vault/sdk';
      import { createCipher } from '@document-vault/sdk/crypto';
      const required = createRequire(import.meta.url)('@document-vault/sdk/crypto');
      const errors = [];
      for (const create of [createCipher, required.createCipher]) {
        await create({ passphrase: '' }).catch((error) => errors.push(error));
      }
      console.log(errors.map((error) => [error.name, isVaultError(error)]).join(' '));`;
    await writeFile(join(project, 'errors.mjs'), code);
    expect(await run('errors.mjs')).toBe('UsageError,true UsageError,true\n');
  });
});

describe('the command line of the verifier', () => {
  const { folder, manifest } = packages['webhook-verify'];
  const file = join(folder, manifest.bin?.['webhook-verify'] ?? '');

  test('--version prints the version of the package', async () => {
    expect(await run(file, '--version')).toBe(`${manifest.version}\n`);
  });

  test('sign prints a signature', async () => {
    await writeFile(join(project, 'body'), '{}');
    const output = await run(file, 'sign', 'body', '--secret', secret);
    expect(output).toMatch(/^hmac_sha256=[0-9a-f]{64}\n$/);
  });
});
