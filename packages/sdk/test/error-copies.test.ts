import { createRequire } from 'node:module';
import * as errors from '@document-vault/sdk';
import { build, type Format } from 'esbuild';
import { expect, test } from 'vitest';

type Entry = typeof errors;

/** The public entry as an application's bundler makes it, short names and all. */
async function minified(format: Format): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@document-vault/sdk'", resolveDir: import.meta.dirname },
    conditions: ['@document-vault/source'],
    bundle: true,
    minify: true,
    format,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

async function copies(): Promise<Record<string, Entry>> {
  const module = { exports: {} };
  const run = new Function('module', 'exports', 'require', await minified('cjs'));
  run(module, module.exports, createRequire(import.meta.url));
  const code = Buffer.from(await minified('esm')).toString('base64');
  const esm = await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
  return { CJS: module.exports as Entry, ESM: esm };
}

const named = Object.entries(errors).filter(
  ([, value]) => typeof value === 'function' && value.prototype instanceof Error,
);

test('guarantee 11: names and isVaultError hold across copies and after minification', async () => {
  expect(named.length).toBeGreaterThan(12);
  for (const [format, copy] of Object.entries(await copies())) {
    expect(copy.VaultError, format).not.toBe(errors.VaultError);
    for (const [name] of named) {
      const Class = copy[name as 'NotFoundError'];
      expect(Class.name, `${name} is minified`).not.toBe(name);
      const error = new Class('gone', {} as never);
      expect(error.name).toBe(name);
      expect(error.stack).toMatch(new RegExp(`^${name}: gone`));
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name, message: 'gone' });
      expect(errors.isVaultError(error)).toBe(true);
      expect(error).not.toBeInstanceOf(errors.VaultError);
      expect(error).toBeInstanceOf(copy.VaultError);
      expect(copy.isVaultError(new errors.NotFoundError('gone', {} as never))).toBe(true);
    }
  }
});
